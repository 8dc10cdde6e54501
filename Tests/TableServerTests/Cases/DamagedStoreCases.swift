import GRDB
import HTTPTypes
import SQLiteStore
import SyncModel
import TableServer
import Testing

@Suite struct DamagedStoreCases {
  /// What a client is told of the damaged item.
  static let damageOfA: JSON = "item 'a' is damaged in the store: restore a backup"

  @Test("of a damaged store, reads are 500, and writes 503: a push ends, and its changes wait")
  func damaged() async throws {
    try await TestServer.run(.sqlite) { server in
      let store = try #require(server.store as? SQLiteItemStore)
      #expect(try await server.send(.post, "todoitem", #"{"id":"a"}"#).status == 201)
      try await store.misplace("items", to: "items_by_id")
      for (method, path, body, status) in [
        (.get, "todoitem?$orderby=n", nil, 500), (.get, "todoitem/a", nil, 500),
        (.patch, "todoitem/a", #"{"n":1}"#, 503), (.put, "todoitem/a", #"{"n":1}"#, 503),
        (.delete, "todoitem/a", nil, 503), (.post, "todoitem/a", nil, 503),
        (.post, "todoitem", #"{"id":"b"}"#, 503),
      ] as [(HTTPRequest.Method, String, String?, Int)] {
        let reply = try await server.send(method, path, body)
        #expect(reply.status == status)
        #expect(reply["error"] == "the store is damaged: restore a backup")
      }
      #expect(server.log.lines.contains { $0.contains("error") && $0.contains("malformed") })
    }
  }

  @Test("where only an index is damaged, rows are read, and no write is refused for good")
  func damagedIndex() async throws {
    try await TestServer.run(.sqlite) { server in
      let store = try #require(server.store as? SQLiteItemStore)
      #expect(try await server.send(.post, "todoitem", #"{"id":"a"}"#).status == 201)
      try await store.misplace("items_by_moment", to: "tables")
      #expect(try await server.send(.get, "todoitem/a").status == 200)
      for (method, path, body) in [
        (.patch, "todoitem/a", #"{"n":1}"#), (.delete, "todoitem/a", nil),
        (.post, "todoitem", #"{"id":"b"}"#),
      ] as [(HTTPRequest.Method, String, String?)] {
        #expect(try await server.send(method, path, body).status == 503)
      }
    }
  }

  @Test(
    "a text that is no JSON is damage of its item, whoever asks for it",
    arguments: [
      #"replace(text, '"n":', '"n";')"#, #"CAST(replace(text, 'milk', x'6DFF6C6B') AS TEXT)"#,
      #"replace(text, 'milk', 'mi' || char(10) || 'k')"#,
    ])
  func spoiltText(spoilt: String) async throws {
    try await TestServer.run(.sqlite) { server in
      let store = try #require(server.store as? SQLiteItemStore)
      for id in ["a", "b"] {
        let json = "{\"id\":\"\(id)\",\"text\":\"milk\",\"n\":1}"
        #expect(try await server.send(.post, "todoitem", json).status == 201)
      }
      try await store.spoil("UPDATE items SET text = \(spoilt) WHERE id = 'a'")
      #expect(try await StoreCheck(of: store).damage.map(\.item) == ["a"])
      for (method, path, body, status) in [
        (.get, "todoitem/a", nil, 500), (.get, "todoitem?$select=n", nil, 500),
        (.patch, "todoitem/a", #"{"n":2}"#, 422), (.post, "todoitem", #"{"id":"a"}"#, 422),
        (.put, "todoitem/a", #"{"n":2}"#, 422), (.delete, "todoitem/a", nil, 422),
        (.post, "todoitem/a", nil, 422), (.patch, "todoitem/b", #"{"n":2}"#, 200),
      ] as [(HTTPRequest.Method, String, String?, Int)] {
        let reply = try await server.send(method, path, body)
        #expect(reply.status == status, "\(method) \(path)")
        if status != 200 { #expect(reply["error"] == Self.damageOfA, "\(method) \(path)") }
      }
      #expect(server.log.lines.contains { $0.contains("error") && $0.contains("item 'a'") })
    }
  }

  @Test(
    "a text whose quotes or brackets don't close would hide the rows after it: a list names it",
    arguments: [
      #"replace(text, 'milk"', 'milk')"#, #"replace(text, '"milk', 'milk')"#,
      #"replace(text, 'milk"', 'milk\"')"#, #"replace(text, '{"k"', '"k"')"#,
      "replace(text, '[1', '1')", "replace(text, '1]', '1')", "replace(text, '1]', '1]]')",
      #"replace(text, '1]}', '1]}},{"k":[1]')"#, "substr(text, 2)",
      "' ' || substr(text, 2)", "',' || text",
    ], ["2.0.0", "3.0.0"])
  func spoiltFrame(spoilt: String, version: String) async throws {
    try await TestServer.run(.sqlite) { server in
      let server = server.speaking(version)
      let store = try #require(server.store as? SQLiteItemStore)
      for id in ["a", "b"] {
        let json = "{\"id\":\"\(id)\",\"text\":\"milk\",\"o\":{\"k\":[1]}}"
        #expect(try await server.send(.post, "todoitem", json).status == 201)
      }
      try await store.spoil("UPDATE items SET text = \(spoilt) WHERE id = 'a'")
      let list = try await server.send(.get, "todoitem")
      #expect(list.status == 500)
      // Where the text begins otherwise, it doesn't tell whose it is.
      let isNamed = spoilt.hasPrefix("replace")
      #expect(
        list["error"]
          == (isNamed ? Self.damageOfA : "the store is damaged: restore a backup"))
      #expect(server.log.lines.contains { $0.contains("item 'a'") } == isNamed)
    }
  }

  @Test("a text that is no JSON but closes what it opens spoils no list")
  func spoiltInside() async throws {
    try await TestServer.run(.sqlite) { server in
      let store = try #require(server.store as? SQLiteItemStore)
      for id in ["a", "b"] {
        let json = "{\"id\":\"\(id)\",\"text\":\"{ [ \\\" \\\\\"}"
        #expect(try await server.send(.post, "todoitem", json).status == 201)
      }
      #expect(try await server.send(.get, "todoitem").ids == "ab")
      try await store.spoil("UPDATE items SET text = replace(text, ':', ';') WHERE id = 'a'")
      let list = try await server.send(.get, "todoitem")
      #expect(list.status == 200)
      #expect(list.text.contains(#"{"id";"a","text";"{ [ \" \\","#))
    }
  }

  @Test("a filter or an order that meets a text that is no JSON finds the damage")
  func spoiltTextInFilter() async throws {
    try await TestServer.run(.sqlite) { server in
      let store = try #require(server.store as? SQLiteItemStore)
      #expect(try await server.send(.post, "todoitem", #"{"id":"a","n":1}"#).status == 201)
      try await store.spoil("UPDATE items SET text = replace(text, ':', ';')")
      for query in ["$filter=n eq 1", "$orderby=n", "$filter=n eq 1&$count=true"] {
        let path = "todoitem?" + query.replacing(" ", with: "%20")
        let reply = try await server.send(.get, path)
        #expect(reply.status == 500)
        #expect(reply["error"] == "the store is damaged: restore a backup")
      }
    }
  }

  @Test(
    "a column that is missing or of another type is damage of its item, and ends nothing",
    arguments: [
      "id", "created_at", "updated_at", "version", "deleted", "text",
    ], ["NULL", "x'00FF'", "'no'", "-9223372036854775807"])
  func spoiltColumn(column: String, value: String) async throws {
    try await TestServer.run(.sqlite) { server in
      let store = try #require(server.store as? SQLiteItemStore)
      for id in ["a", "b"] {
        #expect(try await server.send(.post, "todoitem", "{\"id\":\"\(id)\"}").status == 201)
      }
      try await store.spoil("UPDATE items SET \(column) = \(value) WHERE id = 'a'")
      let status = try await server.send(.get, "todoitem/a?__includedeleted=true").status
      // What isn't found by its id isn't there.
      #expect(status == (column == "id" ? 404 : 500))
      let patch = try await server.send(.patch, "todoitem/a", #"{"n":1}"#)
      #expect(patch.status == (column == "id" ? 404 : 422))
      let list = try await server.send(.get, "todoitem?__includedeleted=true")
      #expect(list.status == (column == "text" ? 500 : 200))
      #expect(try await server.send(.patch, "todoitem/b", #"{"n":1}"#).status == 200)
    }
  }

  @Test(
    "a text that is cut off is damage, in lists of all kinds",
    arguments: [0, 4, 20, 130], ["", "&$select=id", "&$select=version,n"])
  func cutText(length: Int, select: String) async throws {
    try await TestServer.run(.sqlite) { server in
      let store = try #require(server.store as? SQLiteItemStore)
      #expect(try await server.send(.post, "todoitem", #"{"id":"a","n":1}"#).status == 201)
      try await store.spoil("UPDATE items SET text = substr(text, 1, \(length))")
      for version in ["2.0.0", "3.0.0", nil] {
        let reply = try await server.speaking(version).send(.get, "todoitem?$top=5" + select)
        #expect(reply.status == 500)
        // The id ends with the tenth byte.
        let isNamed = length >= 10
        #expect(
          reply["error"]
            == (isNamed ? Self.damageOfA : "the store is damaged: restore a backup"))
      }
    }
  }

  @Test(
    "what the store knows of a table and can't be is damage, and ends nothing",
    arguments: ["moment", "count"], ["NULL", "x'00'", "'no'", "-1", "9223372036854775807"])
  func spoiltStamp(column: String, value: String) async throws {
    try await TestServer.run(.sqlite) { server in
      let store = try #require(server.store as? SQLiteItemStore)
      #expect(try await server.send(.post, "todoitem", #"{"id":"a"}"#).status == 201)
      try await store.spoil("UPDATE tables SET \(column) = \(value)")
      #expect(try await server.send(.patch, "todoitem/a", #"{"n":1}"#).status == 503)
      #expect(try await server.send(.get, "todoitem/a").status == 200)
    }
  }

  @Test(
    "tokens that can't be read are damage",
    arguments: [
      "user = NULL", "digest = NULL", "created_at = NULL", "created_at = -100000000000000",
      "created_at = 253402300800000", "revoked_at = 'no'", "revoked_at = -1",
    ])
  func spoiltTokens(change: String) async throws {
    try await withTemporaryDirectory { directory in
      let store = try SQLiteItemStore(path: directory + "/items.db")
      try await store.add(AccessToken.make(for: "anna", at: Moment(milliseconds: 1)).1)
      try await store.spoil("UPDATE tokens SET \(change)")
      await #expect(throws: StoreDamage.self) { try await store.tokens() }
      try await store.close()
    }
  }

  @Test("a dataset id that is none is damage", arguments: ["NULL", "x'FF'"])
  func spoiltDataset(value: String) async throws {
    try await withTemporaryDirectory { directory in
      let store = try SQLiteItemStore(path: directory + "/items.db")
      try await store.spoil("UPDATE dataset SET id = \(value)")
      try await store.close()
      #expect(throws: StoreDamage.self) { try SQLiteItemStore(path: directory + "/items.db") }
    }
  }
}

extension SQLiteItemStore {
  /// Makes of the file what only damage does.
  func spoil(_ sql: String) async throws {
    try await pool.writeWithoutTransaction { try $0.execute(sql: sql) }
  }

  /// Lets the place of one table or index be that of another, as after a write gone astray.
  func misplace(_ name: String, to other: String) async throws {
    try await spoil(
      """
      PRAGMA writable_schema = ON;
      UPDATE sqlite_master SET rootpage =
        (SELECT rootpage FROM sqlite_master WHERE name = '\(other)') WHERE name = '\(name)';
      PRAGMA schema_version = 1000;
      PRAGMA writable_schema = RESET;
      """)
  }
}
