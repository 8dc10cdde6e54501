import GRDBSQLite
import Glibc
import TestSupport

/// A tsync-server, the real program, whose rows can be put back to where they were.
///
/// Its store is an SQLite file, which may be changed beside it. A trigger keeps every content that a
/// row ever had.
final class RewindableServer {
  /// A row as the store has it.
  struct Row {
    let id: String
    let isDeleted: Bool
    /// The whole row, as JSON.
    let text: [UInt8]
  }

  /// Its address.
  var url: String { server.url }
  private let server: RunningServer
  private var store: OpaquePointer?
  private var marks = 0

  /// Starts it with its file in a directory; it ends with its owner.
  init(in directory: String) throws {
    server = try RunningServer(store: "\(directory)/server.db")
    guard sqlite3_open("\(directory)/server.db", &store) == SQLITE_OK else { throw failure }
    sqlite3_busy_timeout(store, 5_000)
    try run(
      """
      PRAGMA synchronous = OFF;
      CREATE TABLE contents (text);
      CREATE TRIGGER kept_insert AFTER INSERT ON items
        BEGIN INSERT INTO contents VALUES (new.text); END;
      CREATE TRIGGER kept_update AFTER UPDATE ON items
        BEGIN INSERT INTO contents VALUES (new.text); END;
      """)
  }

  deinit { sqlite3_close(store) }

  /// Remembers how everything stands.
  func mark() throws -> Int {
    marks += 1
    for table in Self.tables {
      try run("CREATE TEMP TABLE \(table)_\(marks) AS SELECT * FROM main.\(table)")
    }
    return marks
  }

  /// Puts everything back to where it stood.
  func rewind(to mark: Int) throws {
    var sql = "BEGIN IMMEDIATE;"
    for table in Self.tables {
      sql += "DELETE FROM main.\(table); INSERT INTO main.\(table) SELECT * FROM \(table)_\(mark);"
    }
    // The trigger has kept what was put back, once more.
    sql += "DELETE FROM main.contents; INSERT INTO main.contents SELECT * FROM contents_\(mark);"
    try run(sql + "COMMIT")
  }

  private static let tables = ["items", "tables", "contents"]

  /// The rows and tombstones, in the order of their ids.
  func rows() throws -> [Row] {
    try select("SELECT id, deleted, text FROM items ORDER BY id") { statement in
      Row(
        id: String(decoding: Self.bytes(statement, 0), as: UTF8.self),
        isDeleted: sqlite3_column_int(statement, 1) != 0, text: Self.bytes(statement, 2))
    }
  }

  /// Every content that any row ever had.
  func contents() throws -> [[UInt8]] {
    try select("SELECT text FROM contents") { Self.bytes($0, 0) }
  }

  /// A number that changes with every write of the server.
  func changes() throws -> Int {
    try select("SELECT count(*) FROM contents") { Int(sqlite3_column_int64($0, 0)) }.first ?? 0
  }

  private func run(_ sql: String) throws {
    guard sqlite3_exec(store, sql, nil, nil, nil) == SQLITE_OK else { throw failure }
  }

  private func select<Value>(_ sql: String, _ row: (OpaquePointer) -> Value) throws -> [Value] {
    var statement: OpaquePointer?
    guard sqlite3_prepare_v2(store, sql, -1, &statement, nil) == SQLITE_OK, let statement else {
      throw failure
    }
    defer { sqlite3_finalize(statement) }
    var values: [Value] = []
    while sqlite3_step(statement) == SQLITE_ROW { values.append(row(statement)) }
    return values
  }

  private static func bytes(_ statement: OpaquePointer, _ column: Int32) -> [UInt8] {
    guard let text = sqlite3_column_text(statement, column) else { return [] }
    return Array(
      UnsafeBufferPointer(start: text, count: Int(sqlite3_column_bytes(statement, column))))
  }

  private var failure: TestFailure { TestFailure(String(cString: sqlite3_errmsg(store))) }
}
