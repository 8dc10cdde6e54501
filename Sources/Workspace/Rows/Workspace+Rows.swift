package import SyncEngine
package import SyncModel

// The server's rows, each table's in its BaseLog, and the walk through the items.
extension Workspace: RowDisk {
  package func candidates(in table: TableName) throws -> [Candidate] {
    try rows.candidates(in: table, items: walkedDirectory(of: table))
  }

  package func file(claiming key: ItemKey) throws -> InvalidItem? {
    try rows.file(claiming: key, items: walkedDirectory(of: key.table))
  }

  /// Without the directory of the items, everything would look deleted.
  private func walkedDirectory(of table: TableName) throws(WorkspaceError) -> Directory? {
    guard let items = try root.existingChild(Layout.items) else {
      throw .missing(place: Layout.items)
    }
    return try items.existingChild(table.text.string)
  }

  package func base(of key: ItemKey) throws -> Base {
    try rows.log(of: key.table).base(of: key.id)
  }

  package func liveIDs(in table: TableName) throws -> [ItemID] {
    try rows.log(of: table).rows.liveIDs
  }

  /// The tables of which rows are known, those among them that the settings leave out.
  ///
  /// - Throws: ``WorkspaceError``.
  package func knownTables() throws(WorkspaceError) -> [TableName] {
    guard let base = try root.existingChild(Layout.base) else { return [] }
    return try base.names().compactMap(Layout.baseStem).compactMap { try? TableName($0) }.sorted()
  }

  package func token(of table: TableName) throws -> DeltaToken? {
    try rows.log(of: table).rows.token
  }

  /// Whether a pull of a table was stopped before its end: rows wait for their commit, and no other
  /// process is about to bring it.
  ///
  /// - Throws: ``WorkspaceError``.
  package func isPullStopped(in table: TableName) throws(WorkspaceError) -> Bool {
    guard try !rows.log(of: table).rows.uncommitted.isEmpty else { return false }
    guard !isWriting else { return true }
    var lock: DirectoryLock?
    do throws(WorkspaceError) {
      lock = try DirectoryLock(sharing: Layout.lock, in: root, patience: 0)
    } catch {
      switch error {
      case .locked: return false
      // What is no file can't be locked.
      case .damaged: break
      default: throw error
      }
    }
    defer { withExtendedLifetime(lock) {} }
    // The pull may have ended since its rows were read.
    return try !rows.newLog(of: table).rows.uncommitted.isEmpty
  }

  /// Returns the ids of the rows that a stopped pull has left; those that something of the user's holds
  /// back are not among them.
  ///
  /// - Throws: ``WorkspaceError``.
  package func uncommitted(in table: TableName) throws(WorkspaceError) -> [ItemID] {
    try rows.log(of: table).rows.uncommitted
  }

  package func incoming(in table: TableName) throws -> [Row] {
    try rows.log(of: table).incomingRows()
  }

  package func incoming(of key: ItemKey) throws -> Row? {
    try rows.log(of: key.table).incomingRow(of: key.id, evenHeld: true)
  }

  package mutating func append(_ rows: [Row], over bases: [Row], to table: TableName) throws {
    requireLock()
    try self.rows.log(of: table).append(rows, over: bases, atOnce: false, durably: true)
  }

  package mutating func commit(
    _ table: TableName, token: DeltaToken?, held: Set<ItemID>
  ) throws {
    requireLock()
    try rows.log(of: table).commit(token: token, held: held)
  }

  package mutating func setBase(_ rows: [Row], in table: TableName, durably: Bool) throws {
    requireLock()
    try self.rows.log(of: table).append(rows, atOnce: true, durably: durably)
    self.rows.recognise(rows, in: table)
  }

  package mutating func synchronize(_ table: TableName) throws {
    requireLock()
    try rows.log(of: table).synchronize()
  }

  package mutating func forget(_ table: TableName) throws {
    requireLock()
    try rows.log(of: table).forget()
  }
}
