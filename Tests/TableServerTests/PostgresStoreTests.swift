import Foundation
import SyncModel
import TableServer
import Testing

@testable import PostgresStore

/// The store in PostgreSQL alone: what all stores do is in the suites with ``StoreKind``.
@Suite(.enabled(if: PostgresCluster.shared != nil, "PostgreSQL is not installed"))
struct PostgresStoreTests {
  private let cluster: PostgresCluster

  init() throws { cluster = try #require(PostgresCluster.shared) }

  @Test("a URL that is none, or has a password, is refused before anything is opened")
  func urls() async {
    for (url, error) in [
      ("postgres://a:b@localhost/c", PostgresStoreError.passwordInURL),
      ("postgres://a@localhost/c?password=b", .passwordInURL),
      ("postgres://a@localhost/c?sslpassword=b", .passwordInURL),
      ("postgres://a@localhost:x%/c", .notAURL),
    ] {
      await #expect(throws: error) { try await PostgresStore(url: url) }
      #expect(error.isOfURL)
    }
    #expect(throws: PostgresStoreError.noLibrary("is not installed")) {
      try PostgresLibrary.open("libpq.so.none")
    }
    await #expect(throws: PostgresStoreError.self) {
      try await PostgresStore(url: "postgres://nobody@127.0.0.1:1/none")
    }
  }

  @Test("a store is the same for all who open it, also at once and with no right to make tables")
  func opened() async throws {
    let url = try cluster.url()
    let stores = try await withThrowingTaskGroup(of: PostgresStore.self) { group in
      for _ in 0..<6 { group.addTask { try await PostgresStore(url: url) } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(Set(stores.map(\.dataset)).count == 1)
    let row = try await stores[0].insert("a", "{}")
    #expect(try await stores[1].row(id("a"), in: todoitem) == row)

    let schema = "s_rights"
    try cluster.run(
      """
      CREATE SCHEMA \(schema); CREATE ROLE clerk LOGIN; GRANT USAGE ON SCHEMA \(schema) TO clerk;
      ALTER DEFAULT PRIVILEGES IN SCHEMA \(schema)
        GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO clerk
      """)
    let mine = cluster.url(of: "postgres", ["search_path=\(schema)"])
    try await PostgresStore(url: mine).close()
    // What other engines lack, nobody may use here.
    for function in [
      "nextval(regclass)", "setval(regclass, bigint)", "pg_notify(text, text)",
      "pg_advisory_lock(bigint)", "pg_advisory_xact_lock(bigint)", "txid_current()",
      "pg_current_snapshot()", "pg_snapshot_xmin(pg_snapshot)",
    ] { try cluster.run("REVOKE EXECUTE ON FUNCTION pg_catalog.\(function) FROM PUBLIC") }
    try cluster.run("REVOKE TEMP ON DATABASE postgres FROM PUBLIC")
    let clerk = cluster.url(of: "postgres", as: "clerk", ["search_path=\(schema)"])
    let store = try await PostgresStore(url: clerk)
    #expect(try await store.row(try await store.insert("b", "{}").id, in: todoitem) != nil)
    try await Self.useAll(store)
    try await store.close()
    for store in stores { try await store.close() }
  }

  @Test("a database that orders text otherwise or has another format is no store")
  func unfit() async throws {
    try cluster.run(
      "CREATE DATABASE wrong TEMPLATE template0 LOCALE_PROVIDER icu ICU_LOCALE 'en' ENCODING UTF8")
    await #expect(throws: PostgresStoreError.wrongOrder) {
      try await PostgresStore(url: cluster.url(of: "wrong"))
    }
    let url = try cluster.url()
    let store = try await PostgresStore(url: url)
    try cluster.run("UPDATE tsync_meta SET value = 'copying a b' WHERE name = 'state'", in: url)
    // A server that runs sees it with the next write.
    await #expect(throws: TableError.self) { try await store.insert("a", "{}") }
    try cluster.run("UPDATE tsync_meta SET value = '9' WHERE name = 'format'", in: url)
    await #expect(throws: PostgresStoreError.otherFormat) { try await PostgresStore(url: url) }
    try await store.close()
  }

  @Test("each statement goes by its key, though its plan was made when the table had no row")
  func plans() async throws {
    let url = try cluster.url("plan_cache_mode=force_generic_plan")
    try await PostgresStore(url: url).close()
    for size in 0..<2 {
      for statement in PostgresStatement.allCases
      where statement.rawValue.contains("tsync_items WHERE")
        || statement.rawValue.contains("UPDATE tsync_items")
      {
        let count = (1...9).count { statement.rawValue.contains("$\($0)") }
        let values = Array(repeating: "'1'", count: count).joined(separator: ", ")
        let plan = try cluster.run(
          """
          \(PostgresStatement.planning.rawValue); PREPARE s AS \(statement.rawValue);
          EXPLAIN EXECUTE s(\(values))
          """, in: url)
        let key =
          statement.rawValue.contains("WHERE scope")
          ? "Index Cond: ((scope = " : "owner = $2) AND (id "
        #expect(plan.contains(key), "\(statement): \(plan)")
        #expect(!plan.contains("Sort"), "\(statement): \(plan)")
      }
      try cluster.run(
        """
        INSERT INTO tsync_items VALUES ('t', '', 'i\(size)', 't/', \(size), \(size), '', 0, '{}');
        ANALYZE tsync_items
        """, in: url)
    }
  }

  @Test("the database carries out nothing but the statements of the list")
  func logged() async throws {
    let name = "logged"
    let plain = try cluster.url("log_statement=all")
    let url = plain + "&application_name=\(name)"
    try await PostgresStore(url: url).close()
    // Of a process that was silent for a day.
    try cluster.run("INSERT INTO tsync_meta VALUES ('group:old', '1 0')", in: plain)
    let store = try await PostgresStore(url: url)
    let old = "SELECT name FROM tsync_meta WHERE name = 'group:old'"
    #expect(try cluster.run(old, in: plain) == "")
    try await Self.useAll(store)
    try await store.close()
    let found = Set(try cluster.statements(of: name))
    let known = Set(PostgresStatement.allCases.map(\.rawValue))
    #expect(found.subtracting(known).isEmpty)
    let unused = known.subtracting(found).map { $0.prefix(40) }
    #expect(unused.isEmpty)
  }

  /// Does once what a store can do.
  private static func useAll(_ store: PostgresStore) async throws {
    let row = try await store.insert("used", #"{"n":1}"#)
    _ = try await store.write(RowWrite(.delete, row.id), in: todoitem)
    _ = try await store.write(RowWrite(.delete, id("none")), in: todoitem)
    for order in [[], [PageRequest.Order(.updatedAt)], [.init(.updatedAt, isDescending: true)]] {
      var request = PageRequest()
      (request.order, request.countsAll) = (order, true)
      _ = try await store.page(request, of: todoitem)
    }
    _ = try await StoreCheck(of: store)
    try await store.add(AccessToken.make(for: "anna", at: .now).1)
    #expect(try await store.revoke("anna", at: .now) == 1)
    _ = try await store.tokens()
    let copying = StoreCopy.beginning()
    try await store.become(copying, from: .open)
    try await store.removeAll(in: copying)
    let stamp = Stamp(moment: row.updatedAt, count: 1)
    try await store.fill([row], of: todoitem, stamp: stamp, in: copying)
    await #expect(throws: StoreCopy.Refusal.changed) { try await store.removeAll(in: .open) }
    try await store.become(.open, from: copying)
  }

  @Test("no statement uses what other engines lack")
  func words() {
    let words = [
      "SERIAL", "SEQUENCE", "NEXTVAL", "ADVISORY", "XMIN", "LISTEN", "NOTIFY", "SAVEPOINT",
      "TRIGGER", "FUNCTION", "TEMP", "CURSOR", "LOCK TABLE", "TRUNCATE", "COLLATE", "INDEX",
      "JSONB", "[]", "REFERENCES",
    ]
    for statement in PostgresStatement.allCases {
      let text = statement.rawValue.uppercased()
      for word in words { #expect(!text.contains(word), "\(statement)") }
    }
  }

  @Test(
    "several servers lose and repeat nothing, whatever the isolation, while connections are ended",
    arguments: ["read committed", "repeatable read", "serializable"])
  func together(isolation: String) async throws {
    let url = try cluster.url(
      "default_transaction_isolation=" + isolation.replacing(" ", with: "\\%20"))
    try await PostgresStore(url: url).close()
    // Every 25th row and every 40th COMMIT fail as where transactions meet.
    try cluster.run(
      """
      CREATE SEQUENCE faults;
      CREATE FUNCTION fault() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        IF nextval('faults') % TG_ARGV[0]::int = 0 THEN
          RAISE EXCEPTION 'a fault of the test' USING ERRCODE = '40001';
        END IF;
        RETURN NEW;
      END $$;
      CREATE TRIGGER a BEFORE INSERT OR UPDATE ON tsync_items
        FOR EACH ROW EXECUTE FUNCTION fault(25);
      CREATE CONSTRAINT TRIGGER b AFTER UPDATE ON tsync_clocks DEFERRABLE INITIALLY DEFERRED
        FOR EACH ROW EXECUTE FUNCTION fault(40)
      """, in: url)
    // Other tests' connections stay.
    let name = isolation.replacing(" ", with: "-")
    var stores: [PostgresStore] = []
    for _ in 0..<3 {
      let url = url + "&application_name=" + name
      stores.append(try await PostgresStore(url: url, patience: .seconds(300)))
    }
    let known = try await withThrowingTaskGroup(of: [StoredRow].self) { group in
      for writer in 0..<9 {
        let writes = GroupCommit(stores[writer % 3])
        group.addTask {
          var rows: [StoredRow] = []
          for number in 0..<40 {
            let new = RowWrite(.insert(JSONObject()), id("w\(writer)-\(number)"))
            rows += [try await writes.write(new, in: todoitem).stored].compactMap(\.self)
            // All of them write this one.
            let own = JSONObject([.init(name: Text("w\(writer)"), value: .integer(number))])
            let shared = try await writes.write(
              RowWrite(number == 0 && writer == 0 ? .insert(own) : .merge(own), id("all")),
              in: todoitem)
            rows += [shared.stored].compactMap(\.self)
          }
          return rows
        }
      }
      group.addTask { [cluster] in
        for _ in 0..<5 {
          try cluster.run(
            """
            SELECT pg_terminate_backend(pid) FROM pg_stat_activity
            WHERE application_name = '\(name)' AND random() < 0.3
            """)
        }
        return []
      }
      return try await group.reduce(into: []) { $0 += $1 }
    }
    #expect(Set(known.map(\.updatedAt)).count == known.count)
    #expect(Set(known.map(\.version)).count == known.count)
    var request = PageRequest()
    request.order = [.init(.updatedAt)]
    for store in stores {
      let rows = try await store.page(request, of: todoitem).rows()
      #expect(rows.count == 361)
      let last = try #require(
        known.filter { $0.id == id("all") }.max { $0.updatedAt < $1.updatedAt })
      #expect(rows.filter { $0.id == id("all") } == [last])
      #expect(try last.members().members.count == 9)
      try await store.close()
    }
  }

  @Test(
    "a COMMIT whose answer is lost is carried out once, whether PostgreSQL got it, or gets it late",
    arguments: [UInt64(20_261_128)])
  func cuts(seed: UInt64) async throws {
    let proxy = try cluster.proxy(percent: 5, seed: seed)
    defer { proxy.close() }
    let (writers, most) = (12, Self.writes)
    let url = try cluster.url()
    var stores: [PostgresStore] = []
    for _ in 0..<3 {
      stores.append(
        try await PostgresStore(
          url: cluster.url(url, through: proxy), patience: .seconds(300), salt: { 0 }))
    }
    try await stores[0].insert("all", "{}")
    try await withThrowingTaskGroup(of: Void.self) { group in
      for writer in 0..<writers {
        let writes = GroupCommit(stores[writer % 3])
        group.addTask {
          for number in 1...most {
            // Half of the writes are to one row.
            let own = JSONObject([.init(name: Text("w\(writer)"), value: .integer(number))])
            let row = number.isMultiple(of: 2) ? "all" : "w\(writer)"
            let write = RowWrite(number == 1 ? .insert(own) : .merge(own), id(row))
            let outcome = try await writes.write(write, in: todoitem)
            #expect(outcome.stored != nil, "\(row) \(number)")
          }
        }
      }
      try await group.waitForAll()
    }
    let counts = CuttingProxy.Cut.allCases.map { proxy.count($0) }
    print("cuts before, after and late: \(counts), seed \(seed)")
    #expect(counts.allSatisfy { $0 > 0 })
    // Each write has its number: one that was carried out twice would have taken two.
    let last = try await stores[1].insert("last", "{}")
    #expect(last.version == Stamp(moment: .now, count: Int64(writers * most + 2)).version)
    let all = try #require(try await stores[2].row(id("all"), in: todoitem)).members()
    for writer in 0..<writers {
      #expect(all[Text("w\(writer)")]?.integer == most / 2 * 2)
      let own = try #require(try await stores[0].row(id("w\(writer)"), in: todoitem)).members()
      #expect(own[Text("w\(writer)")]?.integer == (most - 1) / 2 * 2 + 1)
    }
    for store in stores { try await store.close() }
  }

  /// How many writes each writer makes; the campaign asks more.
  private static let writes =
    ProcessInfo.processInfo.environment["TSYNC_STORE_WRITES"].flatMap { Int($0) } ?? 60
}
