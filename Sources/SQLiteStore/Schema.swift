import GRDB
import TableServer

/// How the database is laid out.
///
/// Columns have no type, so that SQLite compares what was stored with what is bound and converts
/// neither. All tables of items lie in one: no name from outside gets into SQL.
enum Schema {
  /// The layout that this code reads and writes; kept in `user_version`.
  static let version = 3

  /// Marks a file as this server's: "tsyn"; kept in `application_id`.
  static let application = 0x7473_796E

  /// Makes the tables of a new database.
  static func create(_ database: Database, dataset: String, state: StoreState) throws {
    try database.execute(
      sql: """
        CREATE TABLE dataset (id, state);
        CREATE TABLE tables (
          number INTEGER PRIMARY KEY, name, owner, moment, count, floor, UNIQUE (name, owner)
        );
        CREATE TABLE items (
          number INTEGER PRIMARY KEY,
          tbl, id, created_at, updated_at, version, deleted, text
        );
        CREATE UNIQUE INDEX items_by_id ON items (tbl, id);
        CREATE UNIQUE INDEX items_by_moment ON items (tbl, updated_at, id);
        CREATE TABLE tokens (number INTEGER PRIMARY KEY, user, digest, created_at, revoked_at);
        PRAGMA application_id = \(application);
        PRAGMA user_version = \(version);
        """)
    try database.execute(
      sql: "INSERT INTO dataset VALUES (?, ?)", arguments: [dataset, state.text])
  }
}
