package import SyncModel

/// The commands that take an item away from where it is, each under a durable record.
extension ItemDisk where Self: RowDisk & JournalDisk {
  /// Removes an item because its user said so: the delete is noted before the file goes.
  ///
  /// - Parameters:
  ///   - key: The item.
  ///   - after: What it has become.
  ///   - expected: The fingerprint of the file that may go; `nil` for any valid one.
  /// - Returns: Whether it was removed; not where it changed meanwhile.
  /// - Throws: What reading and writing the item and the journal throws.
  package mutating func remove(
    _ key: ItemKey, after: ItemID? = nil, expecting expected: Digest? = nil
  ) throws -> Bool {
    let client = try client(key)
    guard let digest = client.digest, expected ?? digest == digest else { return false }
    try append([.marked(key.id, .removed(after: after))], to: key.table, durably: true)
    // If nothing was removed and the file vanishes later, nobody has said so.
    do {
      if try write(nil, to: key, expecting: digest) != .changedMeanwhile { return true }
    } catch let error as UnwritableItem {
      try append([.marked(key.id, nil)], to: key.table, durably: false)
      throw error
    }
    try append([.marked(key.id, nil)], to: key.table, durably: false)
    return false
  }

  /// Keeps the text of an item that its user has removed, before its row is known to be deleted: what was
  /// displaced last is what ``restore(_:)`` brings back.
  ///
  /// A command has displaced it already; the row, where there is one, may tell of a change since.
  mutating func keepVanished(_ key: ItemKey, by row: Row?) throws {
    let known = try base(of: key)
    if let item = known.item, try !isRemoved(key) {
      try keep(item, of: key)
    }
    if let row { try keepLast(of: row, of: key, over: known) }
  }

  /// Keeps what a deleted row held, where somebody had changed it since it was known here: nothing else
  /// here has that, and what was displaced last is what ``restore(_:)`` brings back.
  mutating func keepLast(of row: Row, of key: ItemKey, over known: Base) throws {
    guard row.deleted, let known = known.row?.item else { return }
    let last = row.lastItem(over: known)
    if last != known { try keep(last, of: key) }
  }

  /// Drops the local edits of an item, or brings a deleted one back.
  ///
  /// An item that the server has goes back to its base; one that the server has deleted comes back
  /// as it last was, and the next push undeletes it; one that only exists here goes to the trash.
  ///
  /// - Returns: The item as it now is, `nil` where there is none; nothing where it changed meanwhile.
  package mutating func restore(_ key: ItemKey) throws -> Restored {
    let client = try client(key)
    let target: Item?
    switch try base(of: key) {
    case .neverSeen: target = nil
    case .row(let row): target = row.item
    case .tombstone(let row): target = client == .absent && row.version != nil ? row.item : nil
    }
    if client.item != target {
      guard try write(target, to: key, expecting: client.digest) != .changedMeanwhile else {
        return .changedMeanwhile
      }
    }
    try drop(key)
    return client.item == target ? .unchanged : .restored(target)
  }

  /// Restores the server's row in the place of a file that can't be an item; `discard` removes the file.
  ///
  /// If a newer row waits because of the file, that row is restored, and of a conflict the server's
  /// side. The decision is recorded first, so that no crash leaves an empty place that looks like a
  /// delete. It returns whether the item is back.
  package mutating func restore(
    _ key: ItemKey, discarding discard: (inout Self) throws -> Void
  ) throws -> Bool {
    guard let row = try newestRow(of: key) else { return false }
    let resolution = Resolution(
      item: row.deleted ? nil : row.item, digest: nil, server: row,
      client: try editedSide(of: key)?.item)
    try append([.resolve(key, resolution)], durably: true)
    try discard(&self)
    let isBack = try finish(resolution, of: key)
    if isBack { try drop(key) }
    return isBack
  }

  /// Forgets what commands were told of an item, and that the server refused it; it survives a power loss.
  ///
  /// A write whose outcome is unknown stays open: the server may have done it.
  private mutating func drop(_ key: ItemKey) throws {
    guard try attempt(of: key) == nil else { return }
    let refused: [Fact] = try rejection(of: key) == nil ? [] : [.ended(key.id)]
    try append(refused + [.marked(key.id, nil)], to: key.table, durably: true)
  }

  /// Forgets the rows, the token and the items of a table.
  ///
  /// With `edits`, items that were edited or made here go to the trash too; else they stay, and are new
  /// ones.
  package mutating func purge(_ table: TableName, edits: Bool) throws {
    try append([.purge(table)], durably: true)
    try finishPurge(of: table, edits: edits)
  }
}

/// The result of restoring an item.
package enum Restored: Equatable, Sendable {
  /// The item is this now; `nil` where it is gone.
  case restored(Item?)
  /// There was nothing to restore.
  case unchanged
  /// The item was changed in the meantime and left alone.
  case changedMeanwhile
}
