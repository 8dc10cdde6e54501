import CPQ

/// libpq as it was found on this machine.
///
/// It is opened when a store is a URL, so that a server on SQLite doesn't need it. It is never closed.
// Unchecked: the table is written once, before anybody else sees it, and lives as long as the process.
struct PostgresLibrary: @unchecked Sendable {
  /// The library's functions.
  let table: UnsafePointer<tsync_pq>

  /// The oldest version that has the pipelines which are used.
  private static let oldestVersion: Int32 = 14_00_00

  private static let found = Result { () throws(PostgresStoreError) in try open("libpq.so.5") }

  /// Returns the library, opened on first use.
  ///
  /// - Throws: ``PostgresStoreError/noLibrary(_:)``.
  static func shared() throws(PostgresStoreError) -> PostgresLibrary { try found.get() }

  /// Opens the library of a name.
  static func open(_ name: String) throws(PostgresStoreError) -> PostgresLibrary {
    let table = UnsafeMutablePointer<tsync_pq>.allocate(capacity: 1)
    table.initialize(to: tsync_pq())
    guard tsync_pq_open(table, name), table.pointee.libVersion() >= oldestVersion else {
      let isOpen = table.pointee.libVersion != nil
      table.deallocate()
      throw isOpen ? .noLibrary("is older than 14") : .noLibrary("is not installed")
    }
    return PostgresLibrary(table: UnsafePointer(table))
  }
}
