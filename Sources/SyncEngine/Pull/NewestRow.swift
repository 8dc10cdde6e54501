package import SyncModel

extension ItemDisk where Self: RowDisk {
  /// Returns the newest row of the server's that is known of an item: one that waits, the server's
  /// side of a conflict, or the base; `nil` where the server never had it.
  ///
  /// `base` is its base, if that was read already.
  package func newestRow(of key: ItemKey, over base: Base? = nil) throws -> Row? {
    try arrival(of: key)?.row ?? rowInConflict(of: key) ?? (base ?? self.base(of: key)).row
  }

  /// Returns the ids of the live rows of a table, and of those of which a newer one waits.
  func knownIDs(in table: TableName) throws -> Set<ItemID> {
    try Set(liveIDs(in: table) + arrivals(in: table).map(\.row.id))
  }

  /// Whether nothing of an item is open: no conflict, no write, and no row that waits.
  func isSettled(_ key: ItemKey) throws -> Bool {
    try !isInConflict(key) && attempt(of: key) == nil && arrival(of: key) == nil
  }

  /// Whether a row that has arrived takes its item away: it waits for a pull that has reached its end.
  package func removes(_ arrival: Arrival, in table: TableName) throws -> Bool {
    try isDelete(arrival, in: table) && !isInConflict(ItemKey(table, arrival.row.id))
  }

  /// Whether a row that has arrived tells that the server has deleted one that was known.
  func isDelete(_ arrival: Arrival, in table: TableName) throws -> Bool {
    try arrival.row.deleted && !arrival.isMine && base(of: ItemKey(table, arrival.id)).item != nil
  }

  /// Says what a row that the server has is beside the newest one that is known.
  func standing(of row: Row, _ key: ItemKey, inOrder: Bool) throws -> Row.Standing {
    try newestRow(of: key).map { row.standing(beside: $0, inOrder: inOrder) } ?? .newer
  }

  /// Whether the newest row of an item is so new, by the server's time or `since` when it is known here, that a
  /// replica may lack it; times are in seconds since 1970.
  func mayBeLate(_ key: ItemKey, since: Int64?, now: Int64) throws -> Bool {
    let time = try newestRow(of: key)?.updatedAt.map { $0.ticks / Timestamp.perSecond }
    return [time, since].contains { $0.map { Guards.mayBeLate(since: $0, now: now) } == true }
  }

  /// Whether a reading shows an older state of an item's row than is known, or none where one is known.
  func isPast(_ reading: Reading, of key: ItemKey, inOrder: Bool) throws -> Bool {
    switch reading {
    case .row(let row): try standing(of: row, key, inOrder: inOrder) == .older
    case .absent: try newestRow(of: key)?.deleted == false
    case .refused: false
    }
  }
}

extension RowDisk {
  /// Whether a table is known to keep tombstones of rows that are deleted.
  func hasTombstone(in table: TableName) throws -> Bool {
    try tombstoneIDs(in: table).contains { try base(of: ItemKey(table, $0)).row?.version != nil }
  }

  /// Returns how many rows of a table may come in strange states at once: more would be a server that was put
  /// back to before the versions that are known.
  func mostStrange(in table: TableName) throws -> Int { try max(3, liveCount(in: table) / 100) }
}

extension Row {
  /// What a row that the server has is beside the newest one that is known of its item.
  enum Standing {
    /// The same state, whatever its time.
    case same
    /// A newer one.
    case newer
    /// One from before.
    case older
    /// By its time one from long before, in a version that is not known.
    case strange
    /// Another state with the same version.
    case renumbered
  }

  /// Says what this row is beside a known one.
  ///
  /// A version that was here before is never news, unless it has a later time: then the row was made again, by a
  /// server that counts its versions from the beginning.
  /// Where times are `inOrder`, they tell it, too.
  func standing(beside known: Row, inOrder: Bool) -> Standing {
    if self == known { return .same }
    // What nobody here has deleted, and was not found, may have been hidden.
    if known.isGone, known.item.isEmpty { return .newer }
    let wasHere = version.map(known.had.contains) ?? (known.isGone || isOlder(than: known))
    if wasHere, !known.isOlder(than: self) { return .older }
    if version != nil, version == known.version {
      if deleted == known.deleted, item == known.item { return .same }
      let isOther = Change(from: known.item, to: item).fields.contains {
        $0.old != nil && $0.new != nil
      }
      return isOther && updatedAt != known.updatedAt && !isMade(after: known) ? .renumbered : .newer
    }
    if inOrder, isOlder(than: known) { return .older }
    return isOlder(than: known, by: Guards.skew) ? .strange : .newer
  }

  /// Whether the row was made later than a known one, by a millisecond at least.
  private func isMade(after known: Row) -> Bool {
    guard let mine = createdAt.flatMap({ Timestamp($0) }),
      let theirs = known.createdAt.flatMap({ Timestamp($0) })
    else { return false }
    return mine.ticks - theirs.ticks >= Timestamp.perSecond / 1_000
  }

  /// Whether a version is this row's, or was here before it.
  func has(_ version: Version?) -> Bool {
    version == self.version || version.map(had.contains) == true
  }

  /// Whether this row shows that the server still has a known one, or has gone on from it.
  func meets(_ known: Row, inOrder: Bool) -> Bool {
    switch standing(beside: known, inOrder: inOrder) {
    case .same: true
    case .newer: !isOlder(than: known, by: Timestamp.perSecond)
    case .older, .strange, .renumbered: false
    }
  }
}
