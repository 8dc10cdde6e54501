import GRDB
import HTTPTypes
import SQLiteStore
import SyncModel
import TableServer
import Testing

@Suite struct DamagedStoreCases {
  @Test("a damaged store is 500, not 503: waiting doesn't help; the log says what is wrong")
  func damaged() async throws {
    try await TestServer.run(.sqlite) { server in
      let store = try #require(server.store as? SQLiteItemStore)
      #expect(try await server.send(.post, "todoitem", #"{"id":"a"}"#).status == 201)
      // Where the items should be there is something else now, as after a write gone astray.
      try await store.pool.writeWithoutTransaction { database in
        try database.execute(
          sql: """
            PRAGMA writable_schema = ON;
            UPDATE sqlite_master SET rootpage =
              (SELECT rootpage FROM sqlite_master WHERE name = 'items_by_id') WHERE name = 'items';
            PRAGMA writable_schema = RESET;
            """)
      }
      for (method, path, body) in [
        (.get, "todoitem?$orderby=n", nil), (.get, "todoitem/a", nil),
        (.patch, "todoitem/a", #"{"n":1}"#), (.post, "todoitem", #"{"id":"b"}"#),
      ] as [(HTTPRequest.Method, String, String?)] {
        let reply = try await server.send(method, path, body)
        #expect(reply.status == 500)
        #expect(reply["error"] == "the store is damaged: a backup must be put back")
      }
      #expect(server.log.lines.contains { $0.contains("error") && $0.contains("malformed") })
    }
  }
}
