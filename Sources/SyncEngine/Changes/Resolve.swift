package import SyncModel

/// The resolution of conflicts by a person's decision.
package struct Resolve {
  /// What the user has settled.
  package var settings: Settings

  /// Makes it.
  package init(settings: Settings) {
    self.settings = settings
  }

  /// The reason why a conflict cannot be resolved now.
  package enum Failure: Error, Equatable, Sendable {
    /// There is no conflict of this item.
    case noConflict(ItemKey)
    /// The item's file and the client's side were both edited, differently; or the file was removed.
    case twoClientSides(ItemKey, isRemoved: Bool = false)
    /// The item's file is missing, and its id stands in another one.
    case moved(ItemKey, InvalidItem)
    /// What counts as the client's side can't be read as an item.
    case invalid(ItemKey, InvalidItem)
    /// The item was changed while it was being resolved.
    case changedMeanwhile(ItemKey)
  }

  /// Returns a conflict as it now is: with the client's side as its user has left it.
  ///
  /// The item's file counts where only it was edited, `ID.client.json` where only that was. What is
  /// in conflict is what the table's policy leaves to a person.
  ///
  /// - Throws: ``Failure``.
  package func current(
    _ key: ItemKey, on disk: some Disk
  ) throws -> Conflict {
    guard let row = try disk.rowInConflict(of: key) else { throw Failure.noConflict(key) }
    let client = try Self.clientSide(key, row, disk)
    guard let conflict = try disk.conflict(key, client, settings.policy(of: key.table)) else {
      throw Failure.noConflict(key)
    }
    return conflict
  }

  private static func clientSide(
    _ key: ItemKey, _ row: Row, _ disk: some Disk
  ) throws -> Item? {
    let file = try disk.client(key)
    if file == .absent, let moved = try disk.moved(key) {
      throw Failure.moved(key, moved)
    }
    let side = try disk.editedSide(of: key)
    // A file that is as the server's row may be so by a decision that was cut off.
    let isServers = !row.deleted && file.item == row.item
    let laid = try disk.state(of: key.table).laid[key.id]
    if let side, file.isEdited(since: laid?.file), file.item != side.item, !isServers {
      throw Failure.twoClientSides(key, isRemoved: file == .absent)
    }
    let counts = side ?? file
    if case .invalid(let invalid) = counts { throw Failure.invalid(key, invalid) }
    return counts.item
  }

  /// Settles a conflict: the files first, then in one write what they mean.
  ///
  /// Cut off in between, the conflict is open still, over what was decided.
  ///
  /// - Throws: ``Failure``.
  package func settle(
    _ key: ItemKey, _ conflict: Conflict, by resolution: Resolution, on disk: inout some Disk
  ) throws {
    guard let row = try disk.rowInConflict(of: key) else { throw Failure.noConflict(key) }
    let file = try disk.client(key)
    if case .invalid(let invalid) = file { throw Failure.invalid(key, invalid) }
    let item = resolution.item
    // A delete looks at all files again: no later walk asks about one that was decided.
    if file == .absent, item == nil, try !disk.isRemoved(key),
      let moved = try disk.candidates(in: key.table).strays[key.id]
    {
      throw Failure.moved(key, moved)
    }
    // What was saved since the conflict was looked at has not been decided upon, nor has a row that its file,
    // while it was no item, has kept waiting.
    guard try Self.clientSide(key, row, disk) == conflict.client,
      try disk.state(of: key.table).laid[key.id]?.row == Digest(of: row.text)
    else {
      throw Failure.changedMeanwhile(key)
    }
    // What waits for the item, or it waits for, is decided with it.
    let mark = try disk.state(of: key.table).marks[key.id]
    let isAlone = try mark?.after == nil && disk.formers(of: key).isEmpty
    let copy = resolution.copy.map { ItemKey(key.table, $0) }
    if let copy, try disk.client(copy).item != conflict.client,
      try disk.write(conflict.client, to: copy, expecting: nil) == .changedMeanwhile
    {
      throw Failure.changedMeanwhile(key)
    }
    // The items that have become this one come first: cut off, their rows still wait for it.
    if try disk.isAwaited(key) { try disk.settleFormers(of: key, conflict, item, copy) }
    if file.item == item {
      try disk.synchronize([key])
    } else if try disk.write(item, to: key, expecting: file.digest) == .changedMeanwhile {
      throw Failure.changedMeanwhile(key)
    }
    // What was written beside the conflict since then is for its user to decide, and alone counts.
    if let side = try disk.editedSide(of: key), side.item != conflict.client, side.item != item {
      let laid = Laid(file: try disk.client(key).digest, row: Digest(of: row.text))
      try disk.append([.laid(key.id, laid)], to: key.table, durably: true)
      throw Failure.changedMeanwhile(key)
    }
    try disk.removeConflict(of: key, as: isAlone ? .decided : .decidedWithOthers)
    try disk.take(row, of: key, to: item, over: conflict.server)
  }
}

extension ItemDisk where Self: RowDisk {
  /// Returns the client's side of an open conflict where its user has edited it; `nil` where not, and
  /// where the sides were removed by hand.
  package func editedSide(of key: ItemKey) throws -> ClientState? {
    guard let laid = try state(of: key.table).laid[key.id] else { return nil }
    let side = try conflictClient(of: key)
    return side != .absent && side.isEdited(since: laid.file) ? side : nil
  }

  /// Opens a conflict again that was resolved, over the base of before, whatever the rules say; `change` makes the
  /// item what it was.
  ///
  /// Cut off in between, the row waits for the item as it was decided to be.
  ///
  /// - Returns: What `change` returns; false where the item has another fingerprint by now, and nothing was done.
  /// - Throws: What reading and writing items and rows throws.
  package mutating func reopen(
    _ key: ItemKey, over former: Item?, expecting expected: Digest?, now: Int64,
    changing change: (inout Self) throws -> Bool
  ) throws -> Bool {
    guard try client(key).digest == expected, let row = try base(of: key).row else { return false }
    if let former {
      let isUndeleted = try state(of: key.table).marks[key.id] == .undelete
      let facts: [Fact] = isUndeleted ? [.marked(key.id, nil)] : []
      try append(facts + [.arrived(Arrival(row, over: former))], to: key.table, durably: true)
    } else {
      try meetAgain(row, of: key)
    }
    let isDone = try change(&self)
    let asking = Settings(policies: [key.table: MergePolicy(.manual)], now: now)
    _ = try takeArrivals(in: key.table, of: [key.id], settings: asking)
    return isDone
  }

  /// Makes the row of a conflict the base, whose item is as it was decided to be, and says what that means.
  fileprivate mutating func take(
    _ row: Row, of key: ItemKey, to item: Item?, over server: Item?
  ) throws {
    try keepLast(of: row, of: key, over: base(of: key))
    var facts: [Fact] = []
    let mark = try state(of: key.table).marks[key.id]
    if item == nil, let server {
      // The delete was chosen: no guard asks again. Its row's text is nowhere else.
      try keep(server, of: key)
      facts.append(.marked(key.id, .removed(after: mark?.after)))
    } else if item != nil, server == nil {
      facts.append(.marked(key.id, .undelete))
    } else if mark != nil {
      facts.append(.marked(key.id, nil))
    }
    // Which version it replaces is asked anew: its base may be lost since it came.
    var taken = row
    taken.had = []
    facts.append(.base(taken))
    // With it goes what waits under the id that the item had when it was sent.
    let arrivals = try arrivals(in: key.table)
    if arrivals.contains(where: { $0.row.id == key.id && $0.was != nil }) {
      facts.append(.taken(but: Set(arrivals.filter { $0.row.id != key.id }.map(\.id))))
    }
    try append(facts, to: key.table, durably: true)
  }

  /// Lets the rows that wait for an item wait for its copy, or brings their items back where it is given up.
  fileprivate mutating func settleFormers(
    of key: ItemKey, _ conflict: Conflict, _ item: Item?, _ copy: ItemKey?
  ) throws {
    var facts: [Fact] = []
    for former in try formers(of: key) where former != copy {
      if let copy {
        facts.append(.marked(former.id, .removed(after: copy.id)))
      } else if item != conflict.client, item == conflict.server {
        if try client(former) == .absent, try base(of: former).item != nil {
          _ = try restore(former)
        } else if try attempt(of: former) == nil {
          facts.append(.marked(former.id, nil))
        }
      }
    }
    if !facts.isEmpty { try append(facts, to: key.table, durably: true) }
  }
}
