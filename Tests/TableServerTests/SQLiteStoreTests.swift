import Foundation
import GRDB
import SQLiteStore
import SyncModel
import TableServer
import Testing

/// What only a store in a file does.
@Suite struct SQLiteStoreTests {
  @Test("rows, stamps, tokens and the dataset are there when a file is opened again")
  func reopen() async throws {
    try await withTemporaryDirectory { directory in
      let clock = FakeClock(5_000)
      var store = try SQLiteItemStore(
        path: directory + "/items.db", now: { clock.now() }, salt: { 0 })
      let row = try await store.insert("a", #"{"text":"milk"}"#)
      let dataset = store.dataset
      let (_, token) = AccessToken.make(for: "anna", at: Moment(milliseconds: 1))
      try await store.add(token)
      try await store.close()
      clock.set(0)
      store = try SQLiteItemStore(
        path: directory + "/items.db", now: { clock.now() }, salt: { 0x100 })
      #expect(store.dataset == dataset)
      #expect(try await store.row(id("a"), in: todoitem) == row)
      #expect(try await store.tokens() == [token])
      let next = try await store.insert("b", "{}")
      #expect(next.updatedAt.milliseconds == 5_001)
      #expect(next.version.text == "AAABAAAAAAI=")
      // Versions that were given without a salt count on.
      #expect(row.version.text == "AAAAAAAAAAE=")
      var delete = RowWrite(.delete, id("a"))
      delete.precondition = Precondition(match: row.version)
      #expect(try await store.write(delete, in: todoitem).stored?.isDeleted == true)
      try await store.close()
    }
  }

  @Test("what isn't a store is refused and left as it is")
  func foreign() async throws {
    try await withTemporaryDirectory { directory in
      let text = directory + "/text.db"
      try Data(repeating: 0x61, count: 5_000).write(to: URL(fileURLWithPath: text))
      #expect(throws: SQLiteStoreError.self) { try SQLiteItemStore(path: text) }
      #expect(try Data(contentsOf: URL(fileURLWithPath: text)).count == 5_000)

      let other = directory + "/other.db"
      try await DatabaseQueue(path: other).write { try $0.execute(sql: "CREATE TABLE mine (x)") }
      #expect(throws: SQLiteStoreError.notAStore(path: other)) { try SQLiteItemStore(path: other) }

      let foreign = directory + "/foreign.db"
      try await SQLiteItemStore(path: foreign).close()
      for version in [2, 4] {
        try await DatabaseQueue(path: foreign).write {
          try $0.execute(sql: "PRAGMA user_version = \(version)")
        }
        #expect(throws: SQLiteStoreError.otherFormat(path: foreign)) {
          try SQLiteItemStore(path: foreign)
        }
      }
      #expect(throws: SQLiteStoreError.self) {
        try SQLiteItemStore(path: directory + "/nothing/items.db")
      }
    }
  }

  @Test("V11: every commit waits for the disk: WAL with synchronous=FULL")
  func durable() async throws {
    try await withTemporaryDirectory { directory in
      let store = try SQLiteItemStore(path: directory + "/items.db")
      let settings = try await store.pool.writeWithoutTransaction { database in
        try ["synchronous", "journal_mode"].map {
          try String.fetchOne(database, sql: "PRAGMA \($0)")
        }
      }
      #expect(settings == ["2", "wal"])
      try await store.close()
    }
  }

  @Test(
    "the queries of a pull are ranges of an index and need no sorting",
    arguments: [
      ("updatedAt ge datetimeoffset'2026-11-21T10:00:00Z'", "updatedAt,id", "updated_at>?"),
      (
        "updatedAt ge datetimeoffset'2026-11-21T10:00:00Z' and updatedAt lt datetimeoffset'2026-11-21T11:00:00Z'",
        "updatedAt,id", "updated_at>? AND updated_at<?"
      ),
      ("id eq 'x'", "", "id=?"), ("id gt 'x'", "id", "id>?"), ("", "", "items_by_id"),
    ])
  func plans(filter: String, order: String, range: String) async throws {
    try await withTemporaryDirectory { directory in
      let store = try SQLiteItemStore(path: directory + "/items.db")
      for number in 0..<50 { try await store.insert("i\(number)", "{}") }
      let query = try ListQuery(
        QueryString(
          "$filter=\(Text(filter).percentEncoded)&$orderby=\(Text(order).percentEncoded)".utf8))
      var request = PageRequest()
      request.filter = query.filter
      request.order = query.order
      request.includesDeleted = true
      // The first table that is written to has the number 1.
      let (sql, arguments) = PageSelect(request, in: 1).query
      let plan = try await store.pool.read { database in
        try GRDB.Row.fetchAll(
          database, sql: "EXPLAIN QUERY PLAN " + sql, arguments: arguments
        ).map { $0["detail"] as String }.joined(separator: "\n")
      }
      #expect(plan.contains(range))
      #expect(plan.contains("USING INDEX"))
      #expect(!plan.contains("TEMP B-TREE"))
      try await store.close()
    }
  }

  @Test("members are looked for beside an index, and not at all for a pull")
  func members() async throws {
    var request = PageRequest()
    request.filter = try ODataFilter("updatedAt ge 2026-11-21T10:00:00Z")
    request.order = [.init(.updatedAt), .init(.id)]
    let pull = """
      SELECT text FROM items WHERE tbl = ? AND deleted = 0 AND (updated_at >= ?)
      ORDER BY updated_at, id LIMIT ? OFFSET ?
      """
    #expect(PageSelect(request, in: 1).query.sql == pull)
    request.filter = try ODataFilter("n eq 1 and updatedAt ge 2026-11-21T10:00:00Z")
    let (sql, arguments) = PageSelect(request, in: 1).query
    try await withTemporaryDirectory { directory in
      let store = try SQLiteItemStore(path: directory + "/items.db")
      let plan = try await store.pool.read { database in
        try GRDB.Row.fetchAll(
          database, sql: "EXPLAIN QUERY PLAN " + sql, arguments: arguments
        ).map { $0["detail"] as String }
      }
      #expect(plan.first?.contains("USING INDEX items_by_moment (tbl=? AND updated_at>?)") == true)
      #expect(!plan.contains { $0.hasPrefix("USE TEMP B-TREE FOR RIGHT") })
      try await store.close()
    }
  }

  @Test("a write that can't be carried out doesn't take the others with it")
  func oneFails() async throws {
    try await withTemporaryDirectory { directory in
      let path = directory + "/items.db"
      let store = try SQLiteItemStore(path: path)
      try await store.insert("broken", #"{"n":1}"#)
      // Only a damaged file has a body that is no JSON.
      try await DatabaseQueue(path: path).write {
        try $0.execute(sql: "UPDATE items SET text = '{' WHERE id = 'broken'")
      }
      let results = await withTaskGroup(of: (Int, Bool).self) { group in
        for number in 0..<40 {
          group.addTask {
            let isBroken = number % 4 == 0
            let write = RowWrite(
              isBroken ? .merge(JSONObject()) : .insert(JSONObject()),
              id(isBroken ? "broken" : "i\(number)"))
            let outcome = try? await store.write(write, in: todoitem)
            return (number, outcome?.stored != nil)
          }
        }
        return await group.reduce(into: [Int: Bool]()) { $0[$1.0] = $1.1 }
      }
      for (number, isStored) in results { #expect(isStored == (number % 4 != 0)) }
      #expect(try await store.row(id("i39"), in: todoitem) != nil)
      try await store.close()
    }
  }

  @Test("an item with more members than are taken now is deleted, but not brought back")
  func wide() async throws {
    try await withTemporaryDirectory { directory in
      let store = try SQLiteItemStore(path: directory + "/items.db")
      let full = (1...4_091).map { "\"m\($0)\":0" }.joined(separator: ",")
      try await store.insert("a", "{\(full)}")
      try await store.spoil(
        #"UPDATE items SET text = replace(text, ',"createdAt"', ',"n":0,"createdAt"')"#)
      let gone = try await store.write(RowWrite(.delete, id("a")), in: todoitem)
      #expect(gone.stored?.isDeleted == true)
      #expect(try await store.write(RowWrite(.undelete, id("a")), in: todoitem) == .tooLarge)
      #expect(try await store.row(id("a"), in: todoitem) == gone.stored)
      try await store.close()
    }
  }
}
