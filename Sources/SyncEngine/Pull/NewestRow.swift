package import SyncModel

extension ItemDisk where Self: RowDisk & JournalDisk {
  /// Returns the newest row of the server's that is known of an item: one that waits, the server's
  /// side of a conflict, or the base; `nil` where the server never had it.
  ///
  /// `base` is its base, if that was read already.
  package func newestRow(of key: ItemKey, over base: Base? = nil) throws -> Row? {
    try arrival(of: key)?.row ?? journal.conflicts[key]?.server ?? (base ?? self.base(of: key)).row
  }

  /// Whether nothing of an item is open: no conflict, no write, and no row that waits.
  func isSettled(_ key: ItemKey) throws -> Bool {
    try journal.conflicts[key] == nil && attempt(of: key) == nil && arrival(of: key) == nil
  }

  /// Whether a row that has arrived takes its item away: it waits for a pull that has reached its end.
  package func removes(_ arrival: Arrival, in table: TableName) throws -> Bool {
    try isDelete(arrival, in: table) && journal.conflicts[ItemKey(table, arrival.id)] == nil
  }

  /// Whether a row that has arrived tells that the server has deleted one that was known.
  func isDelete(_ arrival: Arrival, in table: TableName) throws -> Bool {
    try arrival.row.deleted && !arrival.isMine && base(of: ItemKey(table, arrival.id)).item != nil
  }

  /// Whether a row is older than the ``newestRow(of:)`` of its item.
  ///
  /// What stands for no row has no stamp: then the row that it follows is asked, or, where that is the
  /// base already, its version.
  package func isOlder(_ row: Row, than newest: Row?, of key: ItemKey) throws -> Bool {
    guard let newest else { return false }
    let stamped = try newest.updatedAt == nil ? base(of: key).row : newest
    guard let stamped else { return false }
    return stamped.isRemovedHere ? stamped.knows(row.version) : row.isOlder(than: stamped)
  }

  /// Whether a row that was read by its id is an older one than is known.
  ///
  /// Where times aren't `inOrder`, two of the server's machines may give them differently: what is read in a
  /// version that is neither a known one nor that before it is newer, whatever its time.
  func isPast(_ row: Row, of key: ItemKey, inOrder: Bool = false) throws -> Bool {
    let newest = try newestRow(of: key)
    guard try newest?.isState(row) != true && isOlder(row, than: newest, of: key) else {
      return false
    }
    return try inOrder || [newest, base(of: key).row].contains { $0?.knows(row.version) == true }
  }
}

extension RowDisk {
  /// Whether a table is known to keep tombstones of rows that are deleted.
  func hasTombstone(in table: TableName) throws -> Bool {
    try tombstoneIDs(in: table).contains { try base(of: ItemKey(table, $0)).row?.version != nil }
  }
}

extension Row {
  /// Whether a version is this row's, or that of the row which it replaced: what has it is no newer.
  func knows(_ version: Version?) -> Bool { [nil, self.version, former].contains(version) }

  /// Whether another row is the same state, whatever its time.
  func isState(_ row: Row) -> Bool {
    version == row.version && deleted == row.deleted && item == row.item
  }

  /// Whether the server stamped another row after this one, by more than so many units of 100 ns; of
  /// equal stamps nobody can tell.
  package func isOlder(than other: Row, by ticks: Int64 = 0) -> Bool {
    guard let mine = updatedAt, let theirs = other.updatedAt else { return false }
    return theirs.ticks - mine.ticks > ticks
  }
}
