import GRDB
import SyncModel
import TableServer

extension StoredRow {
  /// The columns of an item, in the order in which ``init(_:_:)`` reads them.
  static let columns = "id, created_at, updated_at, version, deleted, text"

  /// Reads the row that a statement stands on; `wanted` is the id by which it was found.
  ///
  /// - Throws: `StoreDamage` where a column holds what this server never writes, or another moment,
  ///   version or state than the row's text.
  init(_ row: GRDB.Row, _ wanted: ItemID) throws {
    do {
      let id = try row.decode(ColumnBytes.self, atIndex: 0)
      let version = try row.decode(ColumnBytes.self, atIndex: 3)
      let text = try row.decode(ColumnBytes.self, atIndex: 5)
      let deleted = try row.decode(DatabaseValue.self, atIndex: 4)
      guard id.bytes.elementsEqual(wanted.text.string.utf8) else {
        throw StoreDamage(item: wanted.text, "its id is that of another item")
      }
      // SQLite makes a number of any text.
      guard [0, 1].contains(where: { deleted.storage == .int64($0) }) else {
        throw StoreDamage(item: wanted.text, "its deleted column is not 0 or 1")
      }
      try self.init(
        text.bytes, of: wanted,
        createdAt: Moment(milliseconds: row.decode(Int64.self, atIndex: 1)),
        updatedAt: Moment(milliseconds: row.decode(Int64.self, atIndex: 2)),
        version: String(decoding: version.bytes, as: UTF8.self),
        isDeleted: deleted.storage == .int64(1))
    } catch is RowDecodingError {
      // Its own words tell the whole row, which is nobody's affair in a log.
      throw StoreDamage(item: wanted.text, "a column has a wrong type")
    }
  }

  /// Returns an item of a table; `nil` where there is none.
  static func fetch(
    _ id: ItemID, in table: Int64, _ database: Database
  ) throws -> StoredRow? {
    let statement = try database.cachedStatement(
      sql: "SELECT \(columns) FROM items WHERE tbl = ? AND id = ?")
    // A copied row would have no bytes, but a text in which what is no UTF-8 was replaced.
    let rows = try GRDB.Row.fetchCursor(statement, arguments: [table, id.text.string])
    return try rows.next().map { try StoredRow($0, id) }
  }

  private var storedText: String { String(decoding: RowText(self).bytes, as: UTF8.self) }

  /// Adds the row.
  func insert(in table: Int64, _ database: Database) throws {
    let statement = try database.cachedStatement(
      sql: "INSERT INTO items (tbl, \(Self.columns)) VALUES (?, ?, ?, ?, ?, ?, ?)")
    try statement.execute(
      arguments: [
        table, id.text.string, createdAt.milliseconds, updatedAt.milliseconds,
        version.text.string, isDeleted ? 1 : 0, storedText,
      ])
  }

  /// Replaces the row that has a version.
  ///
  /// - Throws: `StoreDamage` where no row has it, although it was read just before.
  func update(from old: Version, in table: Int64, _ database: Database) throws {
    let statement = try database.cachedStatement(
      sql: """
        UPDATE items SET updated_at = ?, version = ?, deleted = ?, text = ?
        WHERE tbl = ? AND id = ? AND version = ?
        """)
    try statement.execute(
      arguments: [
        updatedAt.milliseconds, version.text.string, isDeleted ? 1 : 0, storedText,
        table, id.text.string, old.text.string,
      ])
    guard database.changesCount == 1 else {
      throw StoreDamage("item '\(id)' changed within a transaction")
    }
  }
}
