import GRDB
import SyncModel
import TableServer

extension StoredRow {
  /// The columns of an item, in the order in which ``init(_:)`` reads them.
  static let columns = "id, created_at, updated_at, version, deleted, text"

  /// Reads a row of the database.
  ///
  /// - Throws: `StoreDamage` where a column holds what this server never writes.
  init(_ row: GRDB.Row) throws {
    let text = Text(row[0] as String)
    let isDeleted = row[4] as Int64 != 0
    guard let version = Version(Text(row[3] as String)) else {
      throw StoreDamage(item: text, "its version is none")
    }
    do {
      let id = try ItemID(text)
      guard let body = RowText.body(of: Text(row[5] as String), id, isDeleted: isDeleted) else {
        throw NameError("its text is another's")
      }
      self.init(
        id: id, createdAt: Moment(milliseconds: row[1]),
        updatedAt: Moment(milliseconds: row[2]), version: version,
        isDeleted: isDeleted, body: body)
    } catch {
      throw StoreDamage(item: text, "\(error)")
    }
  }

  /// Returns an item of a table; `nil` where there is none.
  static func fetch(
    _ id: ItemID, in table: Int64, _ database: Database
  ) throws -> StoredRow? {
    let statement = try database.cachedStatement(
      sql: "SELECT \(columns) FROM items WHERE tbl = ? AND id = ?")
    return try GRDB.Row.fetchOne(statement, arguments: [table, id.text.string]).map(StoredRow.init)
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
  func update(from old: Version?, in table: Int64, _ database: Database) throws {
    let statement = try database.cachedStatement(
      sql: """
        UPDATE items SET updated_at = ?, version = ?, deleted = ?, text = ?
        WHERE tbl = ? AND id = ? AND version = ?
        """)
    try statement.execute(
      arguments: [
        updatedAt.milliseconds, version.text.string, isDeleted ? 1 : 0, storedText,
        table, id.text.string, old?.text.string,
      ])
    guard database.changesCount == 1 else {
      throw StoreDamage("item '\(id)' changed within a transaction")
    }
  }
}
