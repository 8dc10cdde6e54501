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
    guard let open = disk.journal.conflicts[key] else { throw Failure.noConflict(key) }
    let base = try open.origin ?? disk.base(of: key).item
    let client = try Self.clientSide(key, open, disk)
    let server = open.server.deleted ? nil : open.server.item
    guard let client, let server else {
      // Of a row that was never known here nothing tells what was changed.
      let last = base.flatMap { open.server.deleted ? open.server.lastItem(over: $0) : nil }
      return Conflict(base: base, client: client, server: server, last: last)
    }
    let policy =
      try disk.isAwaited(key)
      ? MergePolicy(base == nil ? .manual : .fields) : settings.policy(of: key.table)
    var fields = FieldMerge(base: base, client: client, server: server, policy: policy)
    // A rule that was set since doesn't take the decision from a person who is asked already.
    if !fields.isDisputed { fields = FieldMerge(base: base, client: client, server: server) }
    return Conflict(base: base, client: client, server: server, fields: fields)
  }

  private static func clientSide(
    _ key: ItemKey, _ open: OpenConflict, _ disk: some Disk
  ) throws -> Item? {
    let file = try disk.client(key)
    if file == .absent, let moved = try disk.moved(key) {
      throw Failure.moved(key, moved)
    }
    let side = try disk.editedSide(of: key)
    if let side, file.isEdited(since: open.digest), file.item != side.item {
      throw Failure.twoClientSides(key, isRemoved: file == .absent)
    }
    let counts = side ?? file
    if case .invalid(let invalid) = counts { throw Failure.invalid(key, invalid) }
    return counts.item
  }

  /// Settles a conflict.
  ///
  /// - Throws: ``Failure``.
  package func settle(
    _ key: ItemKey, _ conflict: Conflict, by choice: Choice, on disk: inout some Disk
  ) throws {
    guard let open = disk.journal.conflicts[key] else { throw Failure.noConflict(key) }
    let file = try disk.client(key)
    if case .invalid(let invalid) = file { throw Failure.invalid(key, invalid) }
    // A delete looks at all files again: no later walk asks about one that was decided.
    if file == .absent, choice.item(of: conflict) == nil, try disk.mayBeMoved(key),
      let moved = try disk.candidates(in: key.table).claiming[key.id]
    {
      throw Failure.moved(key, moved)
    }
    // What was saved since the conflict was looked at has not been decided upon.
    // Nor has a row that its file, while it was no item, has kept waiting.
    guard try Self.clientSide(key, open, disk) == conflict.client,
      try disk.newestRow(of: key) == open.server
    else {
      throw Failure.changedMeanwhile(key)
    }
    let resolution = Resolution(
      item: choice.item(of: conflict), digest: file.digest, server: open.server,
      copy: choice.copy(of: conflict, in: key.table), client: conflict.client)
    try disk.append([.resolve(key, resolution)], durably: true)
    guard try disk.finish(resolution, of: key) else { throw Failure.changedMeanwhile(key) }
  }
}

extension ItemDisk where Self: RowDisk & JournalDisk {
  /// Returns the client's side of an open conflict where its user has edited it; `nil` where not, and
  /// where the sides were removed by hand.
  package func editedSide(of key: ItemKey) throws -> ClientState? {
    guard let open = journal.conflicts[key] else { return nil }
    let side = try conflictClient(of: key)
    return side != .absent && side.isEdited(since: open.digest) ? side : nil
  }

  /// Whether a side of a conflict says something that a resolution knows nothing of: its user has
  /// edited it after the decision.
  private func isSideEdited(since resolution: Resolution, of key: ItemKey) throws -> Bool {
    guard let side = try editedSide(of: key) else { return false }
    return side.item == nil || side.item != resolution.client && side.item != resolution.item
  }

  /// Makes an item what a resolution says, and lays its copy; again after a crash.
  ///
  /// - Returns: The item as it was decided to be: what is saved from then on is an edit.
  private mutating func put(_ resolution: Resolution, to key: ItemKey) throws -> WriteOutcome {
    let now = try client(key)
    // What can't be read says nothing of its place being empty; its user mends it and decides again.
    if case .invalid = now { return .changedMeanwhile }
    let alreadyThere = now.item == resolution.item && now.digest != resolution.digest
    guard alreadyThere || now.digest == resolution.digest else { return .changedMeanwhile }
    if let copy = resolution.copy, let client = resolution.client {
      let there = try self.client(copy)
      // Where the item is already replaced, the copy was laid before, and edited since.
      let isCopied =
        try alreadyThere && there != .absent || there.item == client
        || write(client, to: copy, expecting: nil) != .changedMeanwhile
      guard isCopied || alreadyThere else { return .changedMeanwhile }
      // No power loss may take the copy back and leave the item replaced, whoever has written it.
      try synchronize([copy])
    }
    // What is displaced goes to the trash with the write, the sides of the conflict later.
    return now.item == resolution.item
      ? .replaced(now.digest) : try write(resolution.item, to: key, expecting: now.digest)
  }

  /// Carries a recorded resolution out; again after a crash.
  ///
  /// If it can't be carried out, the decision is withdrawn durably, because the command reports that to
  /// its user.
  ///
  /// - Returns: Whether it could be; the conflict stays open where the item or the client's side was
  ///   changed meanwhile.
  @discardableResult
  mutating func finish(_ resolution: Resolution, of key: ItemKey) throws -> Bool {
    // A row that had waited, and has become the base since, follows its item: only what comes after was
    // cut off, what was saved since is an edit, and the conflict would be about an older row.
    let about = journal.conflicts[key]?.server
    let isDone =
      try about != nil && about != resolution.server && base(of: key).row == resolution.server
    let outcome: WriteOutcome
    do { outcome = try put(resolution, to: key) } catch let error as UnwritableItem {
      // With a copy that is made already the decision stays: another try would make a second one.
      if resolution.copy == nil { try append([.closed(.resolution(key))], durably: true) }
      throw error
    }
    guard isDone || outcome != .changedMeanwhile else {
      try append([.closed(.resolution(key))], durably: true)
      return false
    }
    try synchronize([key])
    if var open = journal.conflicts[key], try isSideEdited(since: resolution, of: key) {
      // What was decided is there; what was written since is for the user to decide, and is the only
      // side that was edited where the server's was chosen.
      let server = resolution.server.deleted ? nil : resolution.server.item
      if resolution.item == server, case .replaced(let decided) = outcome { open.digest = decided }
      if isDone {
        let conflict = try Conflict(
          base: base(of: key).item, client: editedSide(of: key)?.item, server: server)
        try writeConflict(conflict, of: key)
        open = OpenConflict(
          kind: conflict.kind, fields: conflict.names, digest: open.digest,
          server: resolution.server)
      }
      try append([.conflict(key, open), .closed(.resolution(key))], durably: true)
      return false
    }
    if outcome != .changedMeanwhile {
      try keepLast(of: resolution.server, of: key, over: base(of: key))
    }
    // A row that waits behind the base it has already would go with it.
    if try base(of: key).row != resolution.server {
      // Which version it replaces is asked anew: its base may be lost since it came.
      var server = resolution.server
      server.had = []
      try append([.base(server)], to: key.table, durably: true)
    } else {
      try append([], to: key.table, durably: true)
    }
    // Sides without a conflict are nobody's that was resolved.
    if journal.conflicts[key] != nil { try removeConflict(of: key) }
    try append([.closed(.conflict(key))], durably: true)
    try mark(key, resolvedBy: resolution, outcome)
    return true
  }

  /// Says what a resolution, which is carried out, means for the item's row, and for those of the items that have
  /// become it.
  private mutating func mark(
    _ key: ItemKey, resolvedBy resolution: Resolution, _ outcome: WriteOutcome
  ) throws {
    var facts: [Fact] = []
    let server = resolution.server.deleted ? nil : resolution.server.item
    if case .replaced(nil) = outcome, let server {
      // The delete was chosen: no guard asks again. Its row's text is nowhere else.
      try keep(server, of: key)
      let after = try marks(in: key.table)[key.id]?.after
      facts.append(.marked(key.id, .removed(after: after)))
    } else if resolution.item != nil, server == nil {
      facts.append(.marked(key.id, .undelete))
    } else if try isRemoved(key) && (resolution.item != nil || client(key) != .absent) {
      facts.append(.marked(key.id, nil))
    }
    let formers = try formers(of: key)
    if let copy = resolution.copy {
      facts += formers.filter { $0 != copy }.map { .marked($0.id, .removed(after: copy.id)) }
    } else if resolution.item != resolution.client, resolution.item == server {
      // What had become this item is given up under its id, and stays under its former one.
      for former in formers {
        if try client(former) == .absent, try base(of: former).item != nil {
          _ = try restore(former)
        } else if try attempt(of: former) == nil {
          facts.append(.marked(former.id, nil))
        }
      }
    }
    try append(facts, to: key.table, durably: true)
  }
}
