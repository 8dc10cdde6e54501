import CommandSupport
import Commands
import Remote
import SyncModel
import Synchronization
import TestSupport
import Testing
import Workspace

@Suite struct NetworkDialectTests {
  private static let unknown = "the dialect is not known yet: the table is empty\n"

  /// A server of 2014 that checks no versions of the protocol, names itself in no answer, and refuses
  /// nothing.
  private final class SilentServer: Sendable {
    private let rows = Mutex<[String]>([])
    private let server = Mutex<ScriptedServer?>(nil)
    /// Whether it passes over conditions on columns that no row has; else no row matches them.
    private let passesOver: Bool

    init(passesOver: Bool) throws {
      self.passesOver = passesOver
      let server = try ScriptedServer { [unowned self] in .json(answer($0.target)) }
      self.server.withLock { $0 = server }
    }

    private func answer(_ target: String) -> String {
      let isKnown =
        !target.contains("id%20gt") && (passesOver || !target.contains("updatedAt"))
      let isWhole = target.contains("__systemproperties")
      let rows = rows.withLock { $0 }
        .map { #"{"id":"\#($0)","text":"milk""# + (isWhole ? #","__version":"AA=="}"# : "}") }
      return "[\(isKnown ? rows.joined(separator: ",") : "")]"
    }

    func add(_ id: String) { rows.withLock { $0.append(id) } }
    var url: String { server.withLock { $0?.url ?? "" } }
    var requests: [ReceivedRequest] { server.withLock { $0?.requests ?? [] } }
  }

  @Test(
    "M1: to an empty server that doesn't say what it speaks, nothing is sent",
    arguments: [true, false])
  func emptyServer(passesOver: Bool) throws {
    let server = try SilentServer(passesOver: passesOver)
    let anna = Person()
    let cloned = anna.run("clone", server.url, "list")
    #expect(
      cloned
        == Outcome(status: 0, output: "", error: "made workspace list (todoitem)\n" + Self.unknown))
    #expect(anna.run("pull") == Outcome(status: 0, output: "", error: Self.unknown))
    #expect(anna.run("push") == Outcome(status: 0, output: "", error: "nothing to push\n"))
    anna.run("new", "-s", "id=tea", "Buy tea")
    let pushed = anna.run("push")
    #expect(pushed.status == 5)
    #expect(
      pushed.error == """
        tsync: push: the dialect is not known yet: the table is empty
        tsync: nothing is sent until you name it         tsync config dialect NAME
        tsync: NAME is mobile-services, mobile-apps, datasync or community-toolkit: tsync help 5 config

        """)
    let synced = anna.run("sync")
    #expect(synced.status == 5)
    #expect(synced.error.hasPrefix(Self.unknown))
    #expect(anna.directory.text("list/.todosync/state.json")?.contains("dialect") != true)
    #expect(anna.run("remote", "-v").output.contains("dialect  not known yet\n"))
    server.add("milk")
    #expect(anna.run("pull").status == 0)
    #expect(anna.item("milk") != nil)
    #expect(anna.run("remote", "-v").output.contains("dialect  Mobile Services (2014)\n"))
    #expect(server.requests.allSatisfy { $0.method == "GET" })
    #expect(server.requests.count <= 40)
  }

  @Test("M1: a second table whose rows show the dialect is asked, too")
  func secondTable() throws {
    let server = try ScriptedServer { request in
      let row = #"{"id":"a","text":"x","version":"1","updatedAt":"2026-03-01T10:00:01Z"}"#
      guard request.target.contains("/note?") else { return .json("[]") }
      let isCounted = request.target.contains("$inlinecount")
      return .json(isCounted ? #"{"results":[\#(row)],"count":1}"# : "[\(row)]")
    }
    let anna = try Person(cloning: server.url, tables: ["todoitem", "note"])
    #expect(anna.directory.text("list/.todosync/items/note/a.json") != nil)
    #expect(anna.run("remote", "-v").output.contains("dialect  Mobile Apps\n"))
  }

  @Test("M1: members that begin with two underscores are the server's, and in no file")
  func underscores() throws {
    let server = try RunningServer()
    try server.request("POST", "tables/todoitem", #"{"id":"a","text":"one","__mine":"x"}"#)
    let anna = try Person(cloning: server.url)
    #expect(anna.item("a")?.contains("__") == false)
    #expect(anna.run("set", "a", "__mine=1").status == 2)
    anna.run("set", "a", "text=two")
    #expect(anna.run("push").output == "updated a  two\n")
    let row = try #require(try server.rows("a").first)
    #expect(row["__mine"] == "x")
    #expect(row["text"] == "two")
  }

  @Test("B2, F4: a dialect that is set keeps data set and user, and another data set is refused")
  func keepsGuards() throws {
    let servers = try [RunningServer(), RunningServer()]
    let current = Mutex(servers[0].url)
    let line = try ScriptedServer { request in
      guard let answer = try? Wire.forward(request, to: current.withLock { $0 }) else {
        return .broken
      }
      let kept = answer.headers.filter {
        !["content-length", "transfer-encoding", "connection"].contains($0.name.lowercased())
      }
      return .answer(
        answer.status, kept.map { (name: $0.name, value: $0.value) }, body: answer.body)
    }
    let anna = Person()
    anna.run("config", "--user", "dialect", "datasync")
    #expect(anna.run("clone", line.url, "list").status == 0)
    let dataset = try #require(servers[0].dataset)
    #expect(anna.directory.text("list/.todosync/state.json")?.contains(dataset) == true)
    anna.run("new", "-s", "id=tea", "Buy tea")
    current.withLock { $0 = servers[1].url }
    let stopped = anna.run("push")
    #expect(stopped.status == 6)
    #expect(stopped.error.contains("a different data set"))
    #expect(try servers[1].rows("tea").isEmpty)
    // Another workspace that was made without the setting is guarded just so.
    current.withLock { $0 = servers[0].url }
    #expect(anna.run("push").status == 0)
    anna.run("config", "--user", "--unset", "dialect")
    #expect(anna.run("pull").status == 0)
    current.withLock { $0 = servers[1].url }
    #expect(anna.run("pull").status == 6)
  }

  @Test("B3, F2: a change of the setting counts at once, and every place has the same names")
  func countsAtOnce() throws {
    let server = try RunningServer()
    let proxy = try Proxy(before: server.url) { _ in .forward }
    let anna = try Person(cloning: proxy.url)
    let shown = { anna.run("remote", "-v").output }
    #expect(shown().contains("dialect  Datasync\n"))
    for (name, title, word) in [
      ("mobile-apps", "Mobile Apps", "$inlinecount=allpages"),
      ("community-toolkit", "Community Toolkit", "$count=true"),
      ("datasync", "Datasync", "$count=true"),
    ] {
      #expect(anna.run("config", "dialect", name).status == 0)
      #expect(shown().contains("dialect  \(title)\n"))
      anna.run("pull")
      let request = try #require(proxy.requests.last)
      #expect(request.target.contains(word))
      let version = request.fields.first { $0.name.lowercased() == "zumo-api-version" }?.value
      #expect(
        version == ["mobile-apps": "2.0.0", "datasync": "3.0.0", "community-toolkit": nil][name])
    }
    anna.run("config", "dialect", "mobile-apps")
    anna.run("config", "--unset", "dialect")
    #expect(shown().contains("dialect  Datasync\n"))
    let text = try #require(anna.directory.text("list/.todosync/state.json"))
    #expect(text.contains(#""dialect": "datasync""#))
  }

  @Test("each dialect that tsync speaks is a value of the setting, by its name")
  func values() throws {
    let key = try #require(SettingKey("dialect"))
    #expect(key.kind == .choice(["auto"] + Dialect.allCases.map(\.name)))
  }

  @Test("F1: a table of a server that gives five rows at most is cloned, and the size is kept")
  func maxTop() throws {
    let server = try ScriptedServer { request in
      let target = QueryText.decoded(request.target[...])
      let options = target.split(separator: "?").last?.split(separator: "&") ?? []
      let top = options.first { $0.hasPrefix("$top=") }.flatMap { Int($0.dropFirst(5)) } ?? 50
      guard top <= 5 else {
        return .json(#"{"error":"You cannot request more than 5 records"}"#, status: 400)
      }
      let start =
        options.first { $0.hasPrefix("$filter=") }
        .flatMap { $0.split(separator: "'").dropFirst().first } ?? ""
      let rows = (100..<160).map { ("2026-03-01T10:00:00.\($0)Z", $0) }
        .filter { $0.0 >= start }.prefix(top)
        .map { #"{"id":"r\#($0.1)","text":"x","version":"1","updatedAt":"\#($0.0)"}"# }
      return .answer(
        200, [("Content-Type", "application/json"), ("x-zumo-server-version", "node-4.0.3")],
        body: Array("[\(rows.joined(separator: ","))]".utf8))
    }
    let anna = try Person(cloning: server.url)
    #expect(anna.directory.names(in: "list/.todosync/items/todoitem").count == 60)
    #expect(
      anna.directory.text("list/.todosync/state.json")?.contains(#""page": 3"#) == true)
    let count = server.requests.count
    #expect(anna.run("pull").status == 0)
    #expect(server.requests[count].target.contains("$top=3&"))
  }
}
