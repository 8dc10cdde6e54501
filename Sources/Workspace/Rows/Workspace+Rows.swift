package import SyncEngine
package import SyncModel

// The server's rows, each table's in its Journal, and the walk through the items.
extension Workspace: RowDisk {
  package func candidates(in table: TableName) throws -> [Candidate] {
    try rows.candidates(in: table, items: walkedDirectory(of: table))
  }

  package func strays(in table: TableName) throws -> [ItemID: InvalidItem] {
    try rows.strays(in: table, items: walkedDirectory(of: table))
  }

  /// Without the directory of the items, everything would look deleted.
  private func walkedDirectory(of table: TableName) throws(WorkspaceError) -> Directory? {
    guard let items = try root.existingChild(Layout.items) else {
      throw .missing(place: Layout.items)
    }
    return try items.existingChild(table.text.string)
  }

  package func table(_ table: TableName) throws -> any TableRows { try rows.log(of: table) }

  /// The tables of which rows are known, those among them that the settings leave out.
  ///
  /// - Throws: ``WorkspaceError``.
  package func knownTables() throws(WorkspaceError) -> [TableName] {
    guard let journals = try root.existingChild(Layout.journal) else { return [] }
    return try journals.names().compactMap(Layout.table(ofJournal:)).compactMap {
      try? TableName($0)
    }.sorted()
  }

  /// Returns the rows of a table that are to be brought to their items; none where another process may be
  /// about to bring them.
  ///
  /// - Throws: ``WorkspaceError``.
  package func waitingArrivals(in table: TableName) throws -> [Arrival] {
    let arrivals = try rows.log(of: table).arrivals()
    if arrivals.isEmpty || isWriting { return arrivals }
    var lock: DirectoryLock?
    do throws(WorkspaceError) {
      lock = try DirectoryLock(sharing: Layout.lock, in: root, patience: 0)
    } catch {
      switch error {
      case .locked: return []
      // What is no file can't be locked.
      case .damaged: break
      default: throw error
      }
    }
    defer { withExtendedLifetime(lock) {} }
    // The pull may have ended since its rows were read.
    let (known, new) = (try rows.log(of: table), try rows.newLog(of: table))
    let isSame = new.generation == known.generation && new.position == known.position
    return isSame ? arrivals : try new.arrivals()
  }

  /// Returns the file, relative to `.todosync`, and the line where the open write of an item stands, its
  /// refusal, or the row that waits for it, with `isRow` only that; `nil` where there is none.
  ///
  /// - Throws: ``WorkspaceError``.
  package func journalPlace(
    of key: ItemKey, isRow: Bool
  ) throws -> (file: String, line: Int)? {
    let log = try rows.log(of: key.table)
    return try log.line(of: key.id, isRow: isRow).map { (log.log.place, $0) }
  }

  package mutating func append(_ facts: [Fact], to table: TableName, durably: Bool) throws {
    requireLock()
    let marks = try state(of: table).marks
    let facts = facts.map { marks.dated($0, at: clock() / 1_000 * 1_000) }
    try record(facts, in: table)
    try rows.log(of: table).append(facts, durably: durably)
    rows.recognise(facts, in: table)
  }

  package mutating func forget(_ table: TableName) throws {
    requireLock()
    try rows.log(of: table).forget()
  }
}
