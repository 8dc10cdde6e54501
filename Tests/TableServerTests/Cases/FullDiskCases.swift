import GRDB
import HTTPTypes
import SQLiteStore
import SyncModel
import TableServer
import Testing

@Suite struct FullDiskCases {
  @Test("case 122, V11: on a full disk writes are 503, reads go on, and nothing is half stored")
  func full() async throws {
    try await TestServer.run(.sqlite) { server in
      let store = try #require(server.store as? SQLiteItemStore)
      let row = try await server.send(.post, "todoitem", #"{"id":"a","text":"milk"}"#)
      #expect(row.status == 201)
      try await store.pool.writeWithoutTransaction {
        try $0.execute(sql: "PRAGMA max_page_count = 12")
      }
      let large = "{\"id\":\"b\",\"x\":\"\(String(repeating: "x", count: 200_000))\"}"
      for (method, path) in [("POST", "todoitem"), ("PATCH", "todoitem/a"), ("PUT", "todoitem/a")] {
        let body = method == "POST" ? large : large.replacing("\"b\"", with: "\"a\"")
        let reply = try await server.send(
          .init(method) ?? .post, path, body)
        #expect(reply.status == 503)
        #expect(reply["error"] == "the store is not available")
      }
      #expect(try await server.send(.get, "todoitem/a").text == row.text)
      #expect(try await server.send(.get, "todoitem").ids == "a")
      #expect(try await server.send(.get, "todoitem/b").status == 404)
      // The reason is in the log, for those who can do something about it.
      #expect(server.log.lines.contains { $0.contains("error") && $0.contains("full") })
      try await store.pool.writeWithoutTransaction {
        try $0.execute(sql: "PRAGMA max_page_count = 10000")
      }
      #expect(try await server.send(.post, "todoitem", large).version == "AAAAAAAAAAI=")
    }
  }
}
