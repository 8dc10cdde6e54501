import GRDB
import GRDBSQLite

/// The bytes of a text column where SQLite has them, until its statement steps on.
struct ColumnBytes: DatabaseValueConvertible, StatementColumnConvertible {
  /// The bytes; they belong to the statement.
  let bytes: UnsafeBufferPointer<UInt8>

  init?(sqliteStatement: SQLiteStatement, index: CInt) {
    // Everything else that SQLite would make a text of is nothing that this server wrote.
    guard sqlite3_column_type(sqliteStatement, index) == SQLITE_TEXT,
      let start = sqlite3_column_text(sqliteStatement, index)
    else { return nil }
    bytes = UnsafeBufferPointer(
      start: start, count: Int(sqlite3_column_bytes(sqliteStatement, index)))
  }

  // What GRDB has copied has no place that lasts as long as the statement's row.
  static func fromDatabaseValue(_ value: DatabaseValue) -> ColumnBytes? { nil }

  var databaseValue: DatabaseValue { String(decoding: bytes, as: UTF8.self).databaseValue }
}
