import HTTPTypes
import SyncModel
import TableServer
import Testing

/// Paths, methods, hosts, and what the log says of them.
@Suite struct PathRouteTests {
  @Test(
    "ids with any character but controls are found by their escapes",
    arguments: [
      "a/b", "a?b", "a#b", "a%b", "a+b", "it's", "\"q\"", "é", "e\u{301}", "日本", "..x", "-rf",
      "a\\b",
      String(repeating: "x", count: 255),
    ])
  func ids(name: String) async throws {
    try await TestServer.run { server in
      var object = JSONObject()
      object.append("id", .string(Text(name)))
      let json = String(decoding: JSON.object(object).encoded(), as: UTF8.self)
      let row = try await server.send(.post, "todoitem", json)
      #expect(row.status == 201)
      let path = "todoitem/\(Text(name).percentEncoded)"
      #expect(row.fields[.location] == "http://localhost/tables/\(path)")
      #expect(try await server.send(.get, path)["id"] == .string(Text(name)))
      let quoted = Text(
        name.split(separator: "'", omittingEmptySubsequences: false)
          .joined(separator: "''")
      ).percentEncoded
      let list = try await server.send(.get, "todoitem?$filter=id%20eq%20'\(quoted)'")
      #expect(list.ids == name)
      #expect(try await server.send(.delete, path).status == 204)
    }
  }

  @Test(
    "paths that name nothing are refused",
    arguments: [
      ("", 404), ("nothing", 404), ("nothing/a", 404), ("todoitem/a/b", 404), ("todoitem/%00", 400),
      ("todoitem/%1", 400), ("todoitem/%zz", 400), ("todoitem/%ff", 400), ("todoitem/..", 400),
      ("todoitem/%2e", 400), ("todoitem/%0A", 400),
      ("todoitem/\(String(repeating: "x", count: 256))", 400),
      ("todoitem?x=%ff", 400), ("todo%69tem", 200), ("TodoItem", 200), ("todoitem/", 200),
      ("todoitem?\(String(repeating: "x", count: 17_000))", 414),
    ])
  func paths(path: String, status: Int) async throws {
    try await TestServer.run { server in
      let reply = try await server.send(.get, path)
      #expect(reply.status == status)
      #expect((reply["error"] != nil) == (status != 200))
    }
  }

  @Test(
    "methods that a path doesn't take are told",
    arguments: [
      (HTTPRequest.Method.delete, "todoitem"), (.put, "todoitem"), (.patch, "todoitem"),
      (.head, "todoitem"), (.options, "todoitem"), (.head, "todoitem/a"), (.options, "todoitem/a"),
      (.delete, "todoitem?$filter=id%20ne%20null"),
    ])
  func methods(method: HTTPRequest.Method, path: String) async throws {
    try await TestServer.run { server in
      try await server.store.insert("a", "{}")
      let reply = try await server.send(method, path)
      #expect(reply.status == 405)
      #expect(reply.fields[.allow]?.hasPrefix("GET, ") == true)
      #expect(try await server.store.row(id("a"), in: todoitem)?.isDeleted == false)
    }
  }

  // MARK: Host

  @Test(
    "V14: a host that isn't this machine's own name is refused",
    arguments: [
      ("localhost", true), ("LOCALHOST:8080", true), ("127.0.0.1:1", true), ("[::1]", true),
      ("[::1]:80", true), ("evil.example", false), ("localhost.evil.example", false),
      ("127.0.0.1.evil.example:80", false), ("", false), ("[::2]", false), ("localhost:x", false),
    ])
  func host(name: String, isOwn: Bool) {
    #expect(ServerResponder.answers(host: name) == isOwn)
  }

  // MARK: Log

  @Test("V13: a request is a line without query, bodies, tokens and control characters")
  func log() async throws {
    try await TestServer.run { server in
      _ = try await server.send(
        .post, "todoitem?secret=canary", #"{"id":"a","text":"canary"}"#,
        [(.authorization, "Bearer canary")])
      _ = try await server.send(.get, "todoitem/%1b%5B31m%0a~")
      let lines = server.log.lines
      #expect(lines.count == 2)
      #expect(lines[0].contains(" - - POST /tables/todoitem 201 "))
      #expect(lines[1].contains(" GET /tables/todoitem/%1b%5B31m%0a~ 400 "))
      for line in lines {
        #expect(!line.contains("canary"))
        #expect(line.utf8.dropLast().allSatisfy { (0x20...0x7E).contains($0) })
        #expect(line.utf8.last == UInt8(ascii: "\n"))
        #expect(line.split(separator: " ").count == 8)
      }
    }
  }
}
