package import SyncModel

extension ItemDisk where Self: RowDisk & JournalDisk {
  /// Returns the newest row of the server's that is known of an item: one that waits, the server's
  /// side of a conflict, or the base; `nil` where the server never had it.
  package func newestRow(of key: ItemKey) throws -> Row? {
    let known = try journal.conflicts[key]?.server ?? base(of: key).row
    guard let waiting = try incoming(of: key), known?.isAtLeastAsNew(as: waiting) != true else {
      return known
    }
    return waiting
  }

  /// Whether a row is older than the ``newestRow(of:)`` of its item.
  ///
  /// What stands for no row has no stamp: then the row that it follows is asked.
  package func isOlder(_ row: Row, than newest: Row?, of key: ItemKey) throws -> Bool {
    guard let newest else { return false }
    let stamped = try newest.updatedAt == nil ? base(of: key).row : newest
    return stamped.map(row.isOlder) ?? false
  }

  /// Reads a row as it is now.
  ///
  /// Nothing is decided by a row from before: a replica lags behind, or the server went back in time
  /// and must not be followed (decisions.md 28).
  ///
  /// - Throws: ``Stop/unsafe(_:ways:items:)`` where it is older than the ``newestRow(of:)``; what
  ///   reading throws.
  func readNow(_ key: ItemKey, from backend: inout some Backend) throws -> Reading {
    let reading = try backend.read(key)
    if try isFromThePast(reading, of: key) { throw Guards.wentBack(key) }
    return reading
  }

  /// Whether a reading brought an older row than the ``newestRow(of:)``.
  func isFromThePast(_ reading: Reading, of key: ItemKey) throws -> Bool {
    guard case .row(let row) = reading else { return false }
    return try isOlder(row, than: newestRow(of: key), of: key)
  }
}

extension Row {
  /// Whether another row is this one, or was before it.
  func isAtLeastAsNew(as other: Row) -> Bool {
    guard self != other, let mine = updatedAt, let theirs = other.updatedAt else {
      return self == other
    }
    return mine > theirs
  }

  /// Whether the server stamped another row after this one; of equal stamps nobody can tell.
  package func isOlder(than other: Row) -> Bool {
    guard let mine = updatedAt, let theirs = other.updatedAt else { return false }
    return mine < theirs
  }
}
