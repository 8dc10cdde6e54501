import GRDB
import GRDBSQLite

/// Ends queries of clients that take too long.
enum QueryLimit {
  /// Runs a query; after `duration` SQLite ends it.
  ///
  /// - Throws: `DatabaseError` of `SQLITE_INTERRUPT` where the time was up, or what `query` throws.
  static func within<Result>(
    _ duration: Duration, _ database: Database, _ query: () throws -> Result
  ) throws -> Result {
    let connection = database.sqliteConnection
    var deadline = ContinuousClock.now + duration
    return try withUnsafeMutablePointer(to: &deadline) { deadline in
      sqlite3_progress_handler(
        connection, stepsBetweenLooks,
        { deadline in
          let deadline = deadline?.assumingMemoryBound(to: ContinuousClock.Instant.self).pointee
          return deadline.map { ContinuousClock.now >= $0 } ?? false ? 1 : 0
        }, deadline)
      defer { sqlite3_progress_handler(connection, 0, nil, nil) }
      return try query()
    }
  }

  /// How many steps of its machine SQLite makes before the clock is looked at: those of some rows,
  /// since a function on a row of 1 MiB may take milliseconds.
  private static let stepsBetweenLooks: Int32 = 1_000
}
