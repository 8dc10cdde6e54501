import Foundation
import PostgresStore
import SQLiteStore
import SyncModel
import Synchronization
import TableServer
import Testing

/// The stores that pass one suite.
enum StoreKind: String, CaseIterable, Sendable {
  case memory
  case sqlite
  case postgres

  /// PostgreSQL where it is installed.
  static let allCases = [memory, sqlite] + (PostgresCluster.shared == nil ? [] : [postgres])

  /// Runs with a fresh store, and removes it; its versions are the plain counts of its writes.
  func withStore(
    now: @escaping @Sendable () -> Moment = { .now },
    _ body: (any ItemStore & Sendable) async throws -> Void
  ) async throws {
    switch self {
    case .memory: try await body(SQLiteItemStore(path: nil, now: now, salt: { 0 }))
    case .sqlite:
      await Self.turns.wait()
      defer { Self.turns.end() }
      try await withTemporaryDirectory { directory in
        let store = try SQLiteItemStore(path: directory + "/items.db", now: now, salt: { 0 })
        try await body(store)
        try await store.close()
      }
    case .postgres:
      await Self.turns.wait()
      defer { Self.turns.end() }
      let url = try #require(PostgresCluster.shared).url()
      let store = try await PostgresStore(url: url, now: now, salt: { 0 })
      try await body(store)
      try await store.close()
    }
  }

  /// All tests begin at the same time, and a database has three files open.
  private static let turns = Turns(16)
}

/// Runs with a fresh directory, and removes it.
func withTemporaryDirectory(_ body: (String) async throws -> Void) async throws {
  let directory = FileManager.default.temporaryDirectory
    .appendingPathComponent("tsync-server-\(UUID().uuidString)").path
  try FileManager.default.createDirectory(
    atPath: directory, withIntermediateDirectories: false)
  defer { try? FileManager.default.removeItem(atPath: directory) }
  try await body(directory)
}

/// A clock that says what it is told to.
final class FakeClock: Sendable {
  private let time: Mutex<Int64>

  init(_ milliseconds: Int64) {
    time = Mutex(milliseconds)
  }

  func set(_ milliseconds: Int64) {
    time.withLock { $0 = milliseconds }
  }

  func now() -> Moment {
    Moment(milliseconds: time.withLock { $0 })
  }
}

/// The rows of most tests.
let todoitem = scope("todoitem")

func scope(_ name: String, owner: Text = "") -> Scope {
  do { return Scope(try TableName(Text(name)), owner: owner) } catch {
    fatalError("\(name): \(error)")
  }
}

func id(_ text: String) -> ItemID {
  do { return try ItemID(Text(text)) } catch { fatalError("\(text): \(error)") }
}

/// Parses an object.
func members(_ json: String) throws -> JSONObject {
  try #require(try JSON(parsing: Array(json.utf8)).object)
}

extension ItemStore {
  /// Inserts an item and returns the row.
  @discardableResult
  func insert(_ id: String, _ json: String, in scope: Scope = todoitem) async throws
    -> StoredRow
  {
    let write = RowWrite(.insert(try members(json)), TableServerTests.id(id))
    guard case .created(let row) = try await self.write(write, in: scope) else {
      throw NameError("\(id) was there")
    }
    return row
  }

  /// Carries out one write alone.
  func write(_ write: RowWrite, in scope: Scope) async throws -> WriteOutcome {
    try #require(try await transaction([ScopedWrite(write, in: scope)]).first)
  }

  /// The ids that a filter finds, tombstones included, one after another.
  func ids(_ filter: String) async throws -> String {
    var request = PageRequest()
    request.filter = try ODataFilter(Text(filter))
    request.includesDeleted = true
    return try await page(request, of: todoitem).rows().map(\.id.text.string).joined()
  }
}

extension Page {
  /// The rows, read from their texts as a client would read them.
  func rows() throws -> [StoredRow] {
    var rows: [StoredRow] = []
    try forEach { text in
      let object = try #require(try JSON(parsing: Array(text)).object)
      let system: [Text] = ["id", "createdAt", "updatedAt", "version", "deleted"]
      let body = JSONObject(object.members.filter { !system.contains($0.name) })
      #expect(object.members.map(\.name) == ["id"] + body.members.map(\.name) + system.dropFirst())
      rows.append(
        StoredRow(
          id: try ItemID(try #require(object["id"]?.text)),
          createdAt: try #require(Moment((object["createdAt"]?.text?.string ?? "").utf8)),
          updatedAt: try #require(Moment((object["updatedAt"]?.text?.string ?? "").utf8)),
          version: try #require(object["version"]?.text.flatMap(Version.init)),
          isDeleted: object["deleted"] == true,
          body: Text(String(decoding: JSON.object(body).encoded(), as: UTF8.self))))
    }
    return rows
  }
}
