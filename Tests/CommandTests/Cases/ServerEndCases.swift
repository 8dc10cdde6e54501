import CommandSupport
import Commands
import Glibc
import Remote
import Synchronization
import TestSupport
import Testing

/// A server that ends, or can't go on, in the middle of things.
@Suite("A server at its end") struct ServerEndCases {
  private let place = TemporaryDirectory()

  /// What stands behind a line, and what is to become of it.
  private struct Line {
    var url: String
    /// The process that ends after its next answer to a request of this method.
    var doomed: (process: pid_t, method: String)?
  }

  @Test(
    "case 121: kill -9 after the commit and before the reply: the client heals",
    arguments: ["POST", "PATCH", "DELETE"])
  func killedAfterCommit(method: String) throws {
    let store = place.path(of: "items.db")
    var server: RunningServer? = try RunningServer(store: store)
    let line = Mutex(Line(url: try #require(server).url))
    let front = try ScriptedServer { request in
      let (url, doomed) = line.withLock { ($0.url, $0.doomed) }
      let match = request.value(of: "If-Match").map { [("If-Match", $0)] } ?? []
      guard
        let answer = try? Wire.send(
          request.method, url + request.target, request.body, fields: match)
      else { return .broken }
      if let doomed, doomed.method == request.method {
        // It is committed; the reply is lost with the server.
        kill(doomed.process, SIGKILL)
        line.withLock { $0.doomed = nil }
        return .broken
      }
      let kept = answer.headers.filter {
        !["content-length", "transfer-encoding", "connection"].contains($0.name.lowercased())
      }
      return .answer(
        answer.status, kept.map { (name: $0.name, value: $0.value) }, body: answer.body)
    }
    let anna = try Person(cloning: front.url)
    anna.run("new", "-s", "id=a", "one")
    if method != "POST" {
      #expect(anna.run("push").status == 0)
      _ = method == "PATCH" ? anna.run("set", "a", "text=two") : anna.run("rm", "a")
    }
    let process = try #require(server?.process)
    line.withLock { $0.doomed = (process, method) }
    #expect(anna.run("push").status == 5)
    #expect(anna.run("status").output.contains("?"))
    server = nil

    let again = try RunningServer(store: store)
    line.withLock { $0.url = again.url }
    #expect(anna.run("push").status == 0)
    #expect(anna.conflicts.isEmpty)
    anna.expectClean()
    let row = try again.request("GET", "tables/todoitem/a?__includedeleted=true")
    // A version ends with the count of the table's writes.
    switch method {
    case "POST": #expect(row.contains(#""text":"one""#) && row.contains(#"AAAAE=","deleted""#))
    case "PATCH": #expect(row.contains(#""text":"two""#) && row.contains(#"AAAAI=","deleted""#))
    default: #expect(row.contains(#"AAAAI=","deleted":true"#))
    }
    #expect(anna.run("pull", "-v").output == "")
  }

  @Test("case 122: a server without room is told, nothing is lost, and reading goes on")
  func fullDisk() throws {
    let store = place.path(of: "items.db")
    // Files of half a MiB at most: less than the item below needs.
    var server: RunningServer? = try RunningServer(store: store, fileLimit: 512)
    try #require(server).request("POST", "tables/todoitem", #"{"id":"a","text":"milk"}"#)
    let anna = try Person(cloning: try #require(server).url)
    let text = String(repeating: "x", count: 900_000)
    anna.directory.write(#"{"text": "\#(text)"}"#, to: anna.file("large"))
    let refused = anna.run("push")
    #expect(refused.status == 3)
    #expect(refused.output.hasPrefix("waits large") && refused.output.contains("503"))
    #expect(anna.item("large")?.utf8.count == text.utf8.count + 12)
    #expect(anna.run("pull").status == 0)
    #expect(try #require(server).request("GET", "tables/todoitem/a").contains("milk"))
    #expect(try #require(server).request("GET", "tables/todoitem/large").contains("not exist"))
    server = nil

    let roomy = try RunningServer(store: store)
    #expect(anna.run("remote", "set", roomy.url).status == 0)
    #expect(anna.run("push").status == 0)
    #expect(try roomy.request("GET", "tables/todoitem/large").utf8.count > 900_000)
    anna.expectClean()
  }

  @Test("rows of a mebibyte come in pages that fit, seventy of them as one")
  func largeRows() throws {
    let server = try RunningServer(store: place.path(of: "items.db"))
    let text = String(repeating: "x", count: 1_000_000)
    for number in 10..<80 {
      try server.request("POST", "tables/todoitem", #"{"id":"i\#(number)","text":"\#(text)"}"#)
    }
    let anna = try Person(cloning: server.url)
    #expect(anna.items.count == 70)
    #expect(anna.run("pull", "-v").output == "")
    #expect(anna.run("pull", "--full", "-v").output == "")
    anna.expectClean()
  }
}
