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

  package func liveCount(in table: TableName) throws -> Int {
    try rows.log(of: table).rows.countLive()
  }

  package func forEachLiveID(
    in table: TableName, _ body: (UnsafeRawBufferPointer) -> Void
  ) throws {
    try rows.log(of: table).rows.forEach { id, entry in if !entry.isTombstone { body(id) } }
  }

  package func tombstoneIDs(in table: TableName) throws -> [ItemID] {
    try rows.log(of: table).rows.ids(ofTombstones: true)
  }

  /// The tables of which rows are known, those among them that the settings leave out.
  ///
  /// - Throws: ``WorkspaceError``.
  package func knownTables() throws(WorkspaceError) -> [TableName] {
    guard let base = try root.existingChild(Layout.base) else { return [] }
    return try base.names().compactMap(Layout.baseStem).compactMap { try? TableName($0) }.sorted()
  }

  package func token(of feed: Feed) throws -> DeltaToken? {
    try rows.log(of: feed.table).rows.tokens[feed]
  }

  package func feeds(in table: TableName) throws -> [Feed] {
    try rows.log(of: table).rows.tokens.keys.sorted { $0.query ?? "" < $1.query ?? "" }
  }

  package func left(in table: TableName) throws -> Set<ItemID> {
    try rows.log(of: table).rows.open.left
  }

  package func anchors(in table: TableName) throws -> [Anchor] {
    try rows.log(of: table).rows.open.anchors
  }

  package func mayLeave(_ table: TableName) throws -> Int {
    try rows.log(of: table).rows.mayLeave
  }

  package func isPulled(_ table: TableName) throws -> Bool {
    try rows.log(of: table).rows.isPulled
  }

  package func measure(of table: TableName) throws -> Int? {
    try rows.log(of: table).rows.measure
  }

  /// Returns the rows of a table that are to be brought to their items; none where another process may be
  /// about to bring them.
  ///
  /// - Throws: ``WorkspaceError``.
  package func waitingArrivals(in table: TableName) throws(WorkspaceError) -> [Arrival] {
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
    return try rows.newLog(of: table).arrivals()
  }

  package func arrivals(in table: TableName) throws -> [Arrival] {
    try rows.log(of: table).arrivals()
  }

  package func arrival(of key: ItemKey) throws -> Arrival? {
    try rows.log(of: key.table).arrival(of: key.id)
  }

  package func attempts(in table: TableName) throws -> [Attempt] {
    try rows.log(of: table).attempts()
  }

  package func attempt(of key: ItemKey) throws -> Attempt? {
    try rows.log(of: key.table).attempt(of: key.id)
  }

  package func rejection(of key: ItemKey) throws -> Rejection? {
    try rows.log(of: key.table).rejection(of: key.id)
  }

  package func marks(in table: TableName) throws -> Marks {
    try rows.log(of: table).rows.open.marks
  }

  package func rejectedIDs(in table: TableName) throws -> [ItemID] {
    try rows.log(of: table).rows.open.refusals.keys.sorted()
  }

  package mutating func append(_ facts: [Fact], to table: TableName, durably: Bool) throws {
    requireLock()
    let marks = try marks(in: table)
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
