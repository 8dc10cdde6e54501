import GRDB
import HTTPTypes
import SQLiteStore
import SyncModel
import TableServer
import Testing

@Suite struct DamagedStoreCases {
  @Test("of a damaged store, reads are 500, and writes 503: a push ends, and its changes wait")
  func damaged() async throws {
    try await TestServer.run(.sqlite) { server in
      let store = try #require(server.store as? SQLiteItemStore)
      #expect(try await server.send(.post, "todoitem", #"{"id":"a"}"#).status == 201)
      // Where the items should be there is something else now, as after a write gone astray.
      try await store.spoil(
        """
        PRAGMA writable_schema = ON;
        UPDATE sqlite_master SET rootpage =
          (SELECT rootpage FROM sqlite_master WHERE name = 'items_by_id') WHERE name = 'items';
        PRAGMA writable_schema = RESET;
        """)
      for (method, path, body, status) in [
        (.get, "todoitem?$orderby=n", nil, 500), (.get, "todoitem/a", nil, 500),
        (.patch, "todoitem/a", #"{"n":1}"#, 503), (.put, "todoitem/a", #"{"n":1}"#, 503),
        (.delete, "todoitem/a", nil, 503), (.post, "todoitem/a", nil, 503),
        (.post, "todoitem", #"{"id":"b"}"#, 503),
      ] as [(HTTPRequest.Method, String, String?, Int)] {
        let reply = try await server.send(method, path, body)
        #expect(reply.status == status)
        #expect(reply["error"] == "the store is damaged: a backup must be put back")
      }
      #expect(server.log.lines.contains { $0.contains("error") && $0.contains("malformed") })
    }
  }

  @Test("where only an index is damaged, rows are read, and no write is refused for good")
  func damagedIndex() async throws {
    try await TestServer.run(.sqlite) { server in
      let store = try #require(server.store as? SQLiteItemStore)
      #expect(try await server.send(.post, "todoitem", #"{"id":"a"}"#).status == 201)
      try await store.spoil(
        """
        PRAGMA writable_schema = ON;
        UPDATE sqlite_master SET rootpage =
          (SELECT rootpage FROM sqlite_master WHERE name = 'tables') WHERE name = 'items_by_moment';
        PRAGMA writable_schema = RESET;
        """)
      #expect(try await server.send(.get, "todoitem/a").status == 200)
      for (method, path, body) in [
        (.patch, "todoitem/a", #"{"n":1}"#), (.delete, "todoitem/a", nil),
        (.post, "todoitem", #"{"id":"b"}"#),
      ] as [(HTTPRequest.Method, String, String?)] {
        #expect(try await server.send(method, path, body).status == 503)
      }
    }
  }

  @Test("of one damaged item, reads are 500, and writes refused: the others go through")
  func damagedItem() async throws {
    try await TestServer.run(.sqlite) { server in
      let store = try #require(server.store as? SQLiteItemStore)
      for id in ["a", "b"] {
        #expect(try await server.send(.post, "todoitem", "{\"id\":\"\(id)\"}").status == 201)
      }
      try await store.spoil("UPDATE items SET version = '' WHERE id = 'a'")
      for (method, body, status) in [
        (.get, nil, 500), (.patch, #"{"n":1}"#, 422), (.put, #"{"n":1}"#, 422),
        (.delete, nil, 422), (.post, nil, 422),
      ] as [(HTTPRequest.Method, String?, Int)] {
        let reply = try await server.send(method, "todoitem/a", body)
        #expect(reply.status == status)
        #expect(reply["error"] == "the item is damaged in the store: a backup must be put back")
        #expect(try await server.send(.patch, "todoitem/b", #"{"n":1}"#).status == 200)
      }
      #expect(server.log.lines.contains { $0.contains("error") && $0.contains("item 'a'") })
    }
  }
}

extension SQLiteItemStore {
  /// Makes of the file what only damage does.
  func spoil(_ sql: String) async throws {
    try await pool.writeWithoutTransaction { try $0.execute(sql: sql) }
  }
}
