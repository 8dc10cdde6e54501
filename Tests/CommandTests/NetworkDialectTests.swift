import SyncModel
import TestSupport
import Testing
import Workspace

@testable import Commands

@Suite struct NetworkDialectTests {
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
