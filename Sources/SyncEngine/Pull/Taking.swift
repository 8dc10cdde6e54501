import SyncModel

/// What became of an item when a row of the server's was brought to it.
enum Taken: Equatable {
  /// The row may become the base; what is to be told, if anything.
  case taken(Event?)
  /// The row must wait: its item is invalid or was moved, or a write of it is open.
  case held
  /// A conflict is open; the row waits as its server side.
  case conflict(Event)
}

extension ItemDisk where Self: RowDisk & JournalDisk {
  /// Brings a row of the server's to its item, which may have changed as well.
  ///
  /// The item is merged and written here; the base is the caller's, after the item, because an old
  /// item over a new base would look like an edit. The client's change is measured
  /// against what an open conflict began from, or the base. ``Row/gone(_:)`` stands for no row.
  mutating func take(
    _ row: Row, for key: ItemKey, policy: MergePolicy
  ) throws -> Taken {
    let known = try base(of: key)
    let server = row.deleted ? nil : row.item
    let open = journal.conflicts[key]
    let origin = open?.origin
    let base = origin ?? known.item
    let last = base.flatMap { row.deleted ? row.lastItem(over: $0) : nil }
    let isAwaited = journal.isAwaited(key)
    // Nobody else has had a hand in the answer to a write: there is nothing to decide.
    let isAnswer = open == nil && known.row?.isAnswered(by: row) == true
    let policy = isAnswer ? MergePolicy(.client) : journal.policy(policy, of: key, from: base)
    // A user who saves all the time gets the last word in the next run.
    for _ in 0..<8 {
      let client = try client(key)
      if case .invalid = client { return .held }
      // A file that was moved is no delete: neither does the server's settle it, nor is a change of the
      // server's in conflict with it.
      if client == .absent, try moved(key) != nil { return .held }
      if isAnswer, client == .absent { return .taken(nil) }
      var merge = Merge(
        base: base, client: client.item, server: server, last: last, policy: policy)
      // A row that was deleted anew: an undelete brings back only what was changed here since it was
      // known, over what others have made of it.
      if open == nil, case .tombstone(let former) = known, row.deleted, let item = client.item,
        !former.item.isEmpty, !row.item.isEmpty
      {
        merge = Merge(base: former.item, client: item, server: row.item, policy: policy)
        if case .conflict = merge {
          let conflict = Conflict(base: former.item, client: item, server: nil, last: row.item)
          return try lay(conflict, key, client, row, from: former.item)
        }
      }
      if try editedSide(of: key) != nil {
        return try lay(stillOpen(merge, base, client, server, last), key, client, row, from: origin)
      }
      if known == .neverSeen, row.deleted, client.item != nil {
        return try layUnknown(row, key, client)
      }
      let told: Event?
      switch merge {
      case .settled:
        told = nil
        if client.item == nil, server == nil {
          try keepVanished(key, by: row)
        } else {
          try keepLast(of: row, of: key, over: known)
        }
        let arrivals = journal.arrivals(of: key)
        if server != nil, client.item == server, !arrivals.isEmpty {
          try append(arrivals, durably: false)
        }
      case .takeServer where isAwaited && !isAnswer && client.item != nil:
        return try lay(stillOpen(merge, base, client, server, last), key, client, row, from: origin)
      case .takeServer(let item):
        guard try write(item, to: key, expecting: client.digest) != .changedMeanwhile else {
          continue
        }
        try keepLast(of: row, of: key, over: known)
        let what: Event.What =
          item == nil ? .removed : client.item == nil ? .added : .updated
        told = Event(key, what, item: item ?? client.item)
      case .merged(let item, let report):
        // What the client loses is displaced into the trash by the write itself.
        if report.serverLost, let server { try keep(server, of: key) }
        guard
          try item == client.item
            || write(item, to: key, expecting: client.digest) != .changedMeanwhile
        else { continue }
        try keepLast(of: row, of: key, over: known)
        // The rule of the table has decided that the row comes back.
        if server == nil, item != nil, case .row = known {
          try append([.noted(key, .undelete)], durably: false)
        }
        told = Event(key, .merged(report), item: item ?? server ?? client.item)
      case .conflict(let conflict):
        return try lay(conflict, key, client, row, from: origin)
      }
      if client.item == nil, try self.client(key).item != nil,
        let note = journal.recalledDelete(of: key)
      {
        try append([note], durably: false)
      }
      guard open != nil else { return .taken(told) }
      try removeConflict(of: key)
      try append([.closed(.conflict(key))], durably: false)
      return .taken(told ?? Event(key, .conflictOver, item: client.item ?? server))
    }
    return .held
  }

  /// Lays a conflict's sides down, then records it.
  mutating func lay(
    _ conflict: Conflict, _ key: ItemKey, _ client: ClientState, _ row: Row, from origin: Item?
  ) throws -> Taken {
    let former = journal.conflicts[key]
    var digest = former == nil ? client.digest : former?.digest
    if former != nil {
      // Where its user has removed the client's side, or it says that the item was deleted, it is laid
      // anew, as the file now is; a crash may have come after that.
      let side = try conflictClient(of: key)
      if conflict.client != nil, side == .absent || side.digest == client.digest {
        digest = client.digest
      }
    } else {
      // Sides without a record: a crash left them of another conflict, or the record is lost, and the
      // client's may hold an edit. No file has this fingerprint, so that both count as edited, and
      // their user decides.
      let side = try conflictClient(of: key)
      let isEdited = side != .absent && (side.item == nil || side.item != client.item)
      if isEdited { digest = Digest(of: []) } else { try removeConflict(of: key) }
    }
    try writeConflict(conflict, of: key)
    let record = OpenConflict(
      kind: conflict.kind, fields: conflict.names, digest: digest, server: row, origin: origin)
    try append([.conflict(key, record)], durably: false)
    return .conflict(Event(key, .conflict(conflict), item: conflict.client ?? conflict.server))
  }

  /// Returns the conflict that stays open because its client's side was edited.
  private func stillOpen(
    _ merge: Merge, _ base: Item?, _ client: ClientState, _ server: Item?, _ last: Item?
  ) -> Conflict {
    if case .conflict(let conflict) = merge { return conflict }
    return Conflict(base: base, client: client.item, server: server, last: last)
  }

  /// Brings the rows that wait to their items: what a crash cut off, and what was held back before.
  ///
  /// It answers what is to be told.
  mutating func takeIncoming(in table: TableName, settings: Settings) throws -> [Event] {
    let rows = try incoming(in: table)
    guard !rows.isEmpty else { return [] }
    // No item may outlive the row that it was written for, nor that its write is closed: it would look
    // like an edit.
    try append([], durably: true)
    try synchronize(table)
    var events: [Event] = []
    var taken: [Row] = []
    var held: Set<ItemID> = []
    for row in rows {
      let key = ItemKey(table, row.id)
      // The server side of an open conflict has been told already.
      if journal.intents[key] != nil || journal.conflicts[key]?.server == row {
        held.insert(row.id)
        continue
      }
      try restoreTorn(key, to: base(of: key).item)
      switch try take(row, for: key, policy: settings.policy(of: table)) {
      case .taken(let event):
        taken.append(row)
        if let event { events.append(event) }
      case .conflict(let event):
        held.insert(row.id)
        events.append(event)
      case .held: held.insert(row.id)
      }
    }
    // Items may have been written by a process that was stopped before it could do this.
    if !taken.isEmpty || !events.isEmpty { try settle(afresh: true) }
    if !taken.isEmpty { try setBase(taken, in: table, durably: true) }
    try commit(table, token: nil, held: held)
    return events
  }
}
