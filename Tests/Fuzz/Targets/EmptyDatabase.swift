import GRDBSQLite
import SQLiteStore
import TableServer

/// A database with the table of rows and the functions of filters, to ask SQLite what it thinks of a
/// condition.
struct EmptyDatabase: @unchecked Sendable {
  private let connection: OpaquePointer?

  /// Makes the database, in memory.
  init() {
    var connection: OpaquePointer?
    sqlite3_open(":memory:", &connection)
    let columns = "tbl, id, created_at, updated_at, version, deleted, text"
    sqlite3_exec(connection, "CREATE TABLE items (\(columns))", nil, nil, nil)
    for function in FilterFunction.allCases {
      for isFlipped in [false, true] {
        // Nothing is called: there are no rows.
        sqlite3_create_function_v2(
          connection, SQLFilter.name(of: function, isFlipped: isFlipped), -1, SQLITE_UTF8, nil,
          { _, _, _ in }, nil, nil, nil)
      }
    }
    self.connection = connection
  }

  /// Returns what SQLite finds wrong with rows and their condition that have a number of values to be bound; `nil`
  /// where it takes it.
  func fault(of condition: String, arguments: Int) -> String? {
    var statement: OpaquePointer?
    defer { sqlite3_finalize(statement) }
    let sql = "SELECT text FROM \(condition) ORDER BY id LIMIT ? OFFSET ?"
    guard sqlite3_prepare_v2(connection, sql, -1, &statement, nil) == SQLITE_OK else {
      return sqlite3_errmsg(connection).map { String(cString: $0) } ?? "no memory"
    }
    let places = Int(sqlite3_bind_parameter_count(statement)) - 2
    return places == arguments ? nil : "\(places) places for \(arguments) values"
  }
}
