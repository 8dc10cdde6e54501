import CommandSupport
import Commands
import Synchronization
import TestSupport
import Testing

/// What a person sees of servers that refuse, drop, rewrite, make ids or lack tables.
@Suite struct NetworkRealServerTests {
  private let server: RunningServer

  init() throws {
    server = try RunningServer(["--no-auth", "--table", "todoitem", "--table", "note"])
  }

  /// Makes an answer as the server's own.
  private func reply(_ text: String, status: Int = 200) -> ScriptedReply {
    .answer(
      status,
      [("Content-Type", "application/json"), ("X-Tsync-Dataset", server.dataset ?? "")],
      body: Array(text.utf8))
  }

  @Test("D4: a verb that a table doesn't take is the item's, with the server's words")
  func forbiddenVerb() throws {
    let proxy = try Proxy(before: server.url) { request in
      guard request.method == "DELETE" else { return .forward }
      return .answer(
        .answer(
          405, [("Content-Type", "text/html; charset=utf-8")],
          body: Array("Method delete is not allowed".utf8)))
    }
    let anna = try Person(cloning: proxy.url)
    anna.run("new", "-s", "id=milk", "Buy milk")
    anna.run("push")
    anna.run("rm", "milk")
    anna.run("new", "-s", "id=tea", "Buy tea")
    let pushed = anna.run("push")
    #expect(pushed.status == 3)
    #expect(
      pushed.output
        == "rejected milk  405 Method delete is not allowed\ncreated tea  Buy tea\n")
  }

  @Test("F5: a table that the server lacks is named, its changes wait, and all others go on")
  func missingTable() throws {
    let isThere = Mutex(false)
    let proxy = try Proxy(before: server.url) { request in
      guard request.target.hasPrefix("/tables/note"), !isThere.withLock({ $0 }) else {
        return .forward
      }
      return .answer(.json(#"{"error":"no such table"}"#, status: 404))
    }
    let anna = Person()
    // At the first contact, too.
    let cloned = anna.run("clone", "-t", "note", "-t", "todoitem", proxy.url, "list")
    #expect(cloned.status == 5, "\(cloned)")
    #expect(
      cloned.error.contains(
        "tsync: clone: the server has no table note\n"
          + "tsync: to leave it out: tsync -C list config tables todoitem\n"))
    #expect(cloned.error.contains("todoitem  nothing new"))
    anna.run("new", "-t", "note", "-s", "id=n", "A note")
    anna.run("new", "-t", "todoitem", "-s", "id=milk", "Buy milk")
    let pushed = anna.run("push")
    #expect(pushed.status == 5)
    #expect(pushed.output == "created todoitem/milk  Buy milk\n", "\(pushed)")
    #expect(pushed.error.contains("tsync: push: the server has no table note\n"))
    let status = anna.run("status")
    #expect(status.output.contains("note/n"))
    #expect(status.error.contains("the server has no table note"))
    isThere.withLock { $0 = true }
    #expect(anna.run("push").output == "created note/n  A note\n")
    #expect(anna.run("status").error == "")
    // It can be left out, also with changes in it.
    anna.run("set", "note/n", "text=x")
    #expect(anna.run("config", "tables", "todoitem").status == 0)
    #expect(anna.run("push").status == 0)
  }

  @Test("D1: a field that the server drops is printed, and listed until it is edited")
  func dropsAField() throws {
    let row = reply(
      #"{"id":"b1","text":"Buy milk","version":"AAA=","deleted":false}"#, status: 201)
    let proxy = try Proxy(before: server.url) { $0.method == "POST" ? .answer(row) : .forward }
    let anna = try Person(cloning: proxy.url)
    anna.run("new", "-s", "id=b1", "-s", "n1=5", "Buy milk")
    let pushed = anna.run("push")
    #expect(pushed.status == 3)
    #expect(pushed.output == "created b1  Buy milk (the server dropped: n1)\n")
    #expect(pushed.error.hasPrefix("1 rejected "))
    #expect(anna.item("b1")?.contains(#""n1""#) == true)
    #expect(anna.run("status", "-s").output.contains("the server dropped: n1"))
    #expect(anna.run("push").status == 3)
    #expect(proxy.requests.count { $0.method != "GET" } == 1)
  }

  @Test("F3: what the server made of a value is printed")
  func changesAValue() throws {
    let row = reply(
      #"{"id":"b1","text":"Buy milk","due":"2026-03-01T00:00:00.000Z","version":"AAA="}"#,
      status: 201)
    let proxy = try Proxy(before: server.url) { $0.method == "POST" ? .answer(row) : .forward }
    let anna = try Person(cloning: proxy.url)
    anna.run("new", "-s", "id=b1", "-s", "due=2026-03-01", "Buy milk")
    let pushed = anna.run("push")
    #expect(pushed.status == 0)
    #expect(pushed.output == "created b1  Buy milk (the server changed: due)\n")
    #expect(anna.item("b1")?.contains("2026-03-01T00:00:00.000Z") == true)
  }

  @Test("D2: a lost insert into a table of the server's ids is decided by its user")
  func lostInsert() throws {
    let isLost = Mutex(true)
    let list = reply(#"{"items":[{"id":1,"text":"x","version":"AAA="}]}"#)
    let none = reply(#"{"error":"no such row"}"#, status: 404)
    let proxy = try Proxy(before: server.url) { request in
      switch request.method {
      case "POST": return isLost.withLock { $0 } ? .loseAnswer : .forward
      case "GET" where request.target.contains("?$top=1&"):
        return .answer(list)
      // The row has another id.
      case "GET" where request.target.hasPrefix("/tables/todoitem/") && isLost.withLock { $0 }:
        return .answer(none)
      default: return .forward
      }
    }
    let anna = try Person(cloning: server.url)
    anna.run("remote", "set", proxy.url)
    anna.run("config", "dialect", "datasync")
    anna.run("new", "-s", "id=hello", "Hello")
    #expect(anna.run("push").status == 5)
    let count = proxy.requests.count { $0.method == "POST" }
    let again = anna.run("push")
    #expect(again.status == 5)
    #expect(again.output == "unknown hello  Hello\n")
    #expect(again.error.contains("tsync push --again todoitem/hello"), "\(again)")
    #expect(again.error.contains("tsync rm todoitem/hello"), "\(again)")
    #expect(proxy.requests.count { $0.method == "POST" } == count)
    #expect(
      anna.run("status").output.contains("to look for the row: tsync pull; then tsync help push"))
    #expect(anna.run("push", "--again").status == 2)
    // Of one whose row is there only the copy goes, at once.
    anna.run("new", "-s", "id=other", "Other")
    #expect(anna.run("push").status == 5)
    #expect(anna.run("rm", "other").status == 0)
    #expect(!anna.run("status").output.contains("other"))
    isLost.withLock { $0 = false }
    let sent = anna.run("push", "--again", "hello")
    let lines = proxy.requests.map { "\($0.method) \($0.target)" }
    #expect(proxy.requests.count { $0.method == "POST" } == count + 2, "\(lines)")
    #expect(sent.status == 0, "\(sent)")
  }
}
