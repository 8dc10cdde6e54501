package import SyncModel

/// The commands that take an item away from where it is, each under a durable record.
extension ItemDisk where Self: RowDisk {
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

  /// Gives an item another id: its file under that first, then what it means, then the former file goes.
  ///
  /// The row waits until the server has the new item. Cut off, both files are there, and the same again does
  /// the rest.
  ///
  /// - Parameters:
  ///   - key: The item.
  ///   - digest: The fingerprint of its file.
  ///   - new: The new file.
  /// - Returns: The item of the two that isn't as expected, which ended it; `nil` where it is done.
  /// - Throws: What reading and writing the items and marks throws.
  package mutating func move(
    _ key: ItemKey, expecting digest: Digest, to new: FileChange
  ) throws -> ItemKey? {
    guard try write(new) != .changedMeanwhile else { return new.key }
    // Somebody may have copied it by hand a moment ago.
    try synchronize([new.key])
    // The delete under the new id must not be sent any more, and what waits for the old one waits for the new.
    let formers = try formers(of: key).filter { $0 != new.key }
    let facts =
      try presence(of: new.key, as: new.item)
      + formers.map { .marked($0.id, .removed(after: new.key.id)) }
    if !facts.isEmpty { try append(facts, to: key.table, durably: true) }
    let isKnown = try isKnown(key)
    guard try remove(key, after: new.key.id, expecting: digest) else { return key }
    if !isKnown { try append([.marked(key.id, nil)], to: key.table, durably: true) }
    return nil
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
    guard try restore(key, to: target, expecting: client.digest) else { return .changedMeanwhile }
    return client.item == target ? .unchanged : .restored(target)
  }

  /// Gives an item a former state, `nil` for none, and forgets what commands were told of it and that the
  /// server refused it; that survives a power loss.
  ///
  /// A write whose outcome is unknown stays open: the server may have done it.
  ///
  /// - Returns: Whether it was done; not where the file has another fingerprint by now.
  package mutating func restore(
    _ key: ItemKey, to target: Item?, expecting expected: Digest?
  ) throws -> Bool {
    let client = try client(key)
    guard client.digest == expected else { return false }
    if client.item != target,
      try write(target, to: key, expecting: expected) == .changedMeanwhile
    {
      return false
    }
    var facts = try presence(of: key, as: target)
    if try rejection(of: key) != nil, try attempt(of: key) == nil { facts.append(.ended(key.id)) }
    try append(facts, to: key.table, durably: true)
    return true
  }

  /// Restores the newest row of the server's in the place of a file that can't be an item; `discard` removes the
  /// file.
  ///
  /// The row arrives as that of an item of which nothing is known, so that no crash leaves an empty place that
  /// looks like a delete. Nothing is done where a write of the item is open, or its row has another id.
  ///
  /// - Returns: Whether the item is as the row.
  /// - Throws: What reading and writing items and rows throws.
  package mutating func restore(
    _ key: ItemKey, settings: Settings, discarding discard: (inout Self) throws -> Void
  ) throws -> Bool {
    guard let row = try newestRow(of: key), row.id == key.id, try attempt(of: key) == nil else {
      return false
    }
    if try isInConflict(key) { try removeConflict(of: key) }
    try append([.base(row)], to: key.table, durably: false)
    try meetAgain(row, of: key)
    try discard(&self)
    _ = try takeArrivals(in: key.table, of: [key.id], settings: settings)
    return try client(key).item == (row.deleted ? nil : row.item)
  }

  /// Lets a row, which is known, arrive as one of which nothing is known.
  mutating func meetAgain(_ row: Row, of key: ItemKey) throws {
    try append([.arrived(Arrival(row)), .forgot(key.id)], to: key.table, durably: true)
  }

  /// Forgets the rows, the token and the items of a table.
  ///
  /// With `edits`, items that were edited or made here go to the trash too; else they stay, and are new
  /// ones. Writes of unknown outcome are nobody's any more. Cut off, no file that is missing by then is a
  /// delete, and the next pull reads all rows.
  package mutating func purge(_ table: TableName, edits: Bool) throws {
    // A row that waits may be that of an item under its former id, and a write may have made one.
    let sent = try attempts(in: table).map(\.key.id)
    let waiting = try arrivals(in: table).map(\.row.id) + sent
    let ids = try Set(liveIDs(in: table) + waiting).sorted()
    let marked = try state(of: table).marks.all.keys.sorted().map { Fact.marked($0, nil) }
    let conflicts = try conflicts(in: table)
    for key in conflicts { try removeConflict(of: key) }
    // A conflict whose file is missing by then would be one with a delete.
    try append(
      marked + sent.map { .ended($0) } + state(of: table).feeds.map { .token($0, nil) }
        + conflicts.map { .forgot($0.id) } + ids.map { .left($0) }, to: table, durably: true)
    var changes = try ids.compactMap { id -> FileChange? in
      let (key, client) = (ItemKey(table, id), try client(ItemKey(table, id)))
      guard client.digest != nil, try client.item == base(of: key).item else { return nil }
      return FileChange(key, to: nil, expecting: client.digest)
    }
    if edits {
      changes += try candidates(in: table).compactMap { candidate in
        guard let key = candidate.key, let digest = candidate.client.digest else { return nil }
        return FileChange(key, to: nil, expecting: digest)
      }
    }
    for case .unwritable(let error) in try write(changes) { throw error }
    // Some may have been removed by a command that was stopped.
    try synchronize([], in: table)
    try forget(table)
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
