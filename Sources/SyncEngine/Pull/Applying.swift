import SyncModel

/// What became of the open arrivals of a table.
struct TakenArrivals {
  /// What is to be told.
  var events: [Event] = []
  /// The items that would be removed, which wait.
  var removals: Set<ItemID> = []
  /// The items whose files hold their rows back.
  var held: [Event] = []
}

/// What became of an item when a row of the server's was brought to it.
enum Applied: Equatable {
  /// The row may become the base; what is to be told, if anything.
  case taken(Event?)
  /// The row waits.
  case waiting(Decision.Wait)
  /// A conflict is open; the row waits as its server side.
  case conflict(Event)
}

extension ItemDisk where Self: RowDisk {
  /// Reads what is known of an item but for its files.
  func known(_ arrival: Arrival, of key: ItemKey) throws -> Known {
    Known(
      base: try base(of: key), arrival: arrival, hasAttempt: try attempt(of: key) != nil,
      laid: try state(of: key.table).laid[arrival.row.id],
      hasFormers: try !formers(of: key).isEmpty,
      isRemoved: try isRemoved(key))
  }

  /// Brings rows of the server's to their items, which may have changed as well: the first of them, as many as
  /// fit into memory with their bases.
  ///
  /// Items are written here, all of them at once; the bases are the caller's, after the items, because an old
  /// item over a new base would look like an edit. What others have written is added to `relied`.
  private mutating func apply(
    _ arrivals: ArraySlice<Arrival>, in table: TableName, removing: Bool, policy: MergePolicy,
    _ relied: inout [ItemID]
  ) throws -> [Applied] {
    var applied: [Applied] = []
    var open: [(place: Int, key: ItemKey, known: Known)] = []
    var size = 0
    for (place, arrival) in arrivals.prefix(4_096).enumerated() where size < 16 << 20 {
      applied.append(.waiting(.held(.changing)))
      let (former, key) = (ItemKey(table, arrival.id), ItemKey(table, arrival.row.id))
      let known = try known(arrival, of: former)
      size += arrival.row.text.count + (known.base.row?.text.count ?? 0)
      do {
        if try former == key || rename(former, to: key) {
          open.append((place, key, known))
        } else {
          applied[place] = .waiting(.inFlight)
        }
      } catch is UnwritableItem {
        applied[place] = .waiting(.held(.unwritable))
      }
    }
    // A user who saves all the time gets the last word in the next run.
    for _ in 0..<8 where !open.isEmpty {
      var changes: [FileChange] = []
      var writing: [(place: Int, key: ItemKey, known: Known, told: Told, client: ClientState)] = []
      for (place, key, known) in open {
        let client = try look(at: key, known)
        let isSideEdited = try editedSide(of: key) != nil
        switch known.decide(client, isSideEdited: isSideEdited, policy) {
        case .wait(let wait): applied[place] = .waiting(wait)
        case .conflict where known.isAsked: applied[place] = .waiting(.asked)
        case .conflict(let conflict): applied[place] = try lay(conflict, key, client, known.row)
        case .write(nil, _) where !removing: applied[place] = .waiting(.removal)
        case .write(let item, let told):
          changes.append(FileChange(key, to: item, expecting: client.digest))
          writing.append((place, key, known, told, client))
        case .take(let told):
          applied[place] = .taken(try end(told, known, key, client))
          relied.append(key.id)
        }
      }
      open = []
      for (outcome, (place, key, known, told, client)) in zip(try write(changes), writing) {
        switch outcome {
        case .replaced: applied[place] = .taken(try end(told, known, key, client))
        case .changedMeanwhile: open.append((place, key, known))
        case .unwritable: applied[place] = .waiting(.held(.unwritable))
        }
      }
    }
    return applied
  }

  /// Reads an item's file; one that was moved is no delete: neither does the server's settle it, nor is
  /// a change of the server's in conflict with it.
  private func look(at key: ItemKey, _ known: Known) throws -> ClientState {
    let client = try client(key)
    guard client == .absent, !known.hasAttempt, let moved = try moved(key) else { return client }
    return .invalid(moved)
  }

  /// Records what a decision leaves behind; returns what is to be told.
  private mutating func end(
    _ told: Told, _ known: Known, _ key: ItemKey, _ client: ClientState
  ) throws -> Event? {
    for item in told.keeps { try keep(item, of: key) }
    if told.undeletes {
      try append([.marked(key.id, .undelete)], to: key.table, durably: false)
    } else if client.item == nil, try isRemoved(key) && self.client(key).item != nil {
      try append([.marked(key.id, nil)], to: key.table, durably: false)
    }
    let event = told.what.map { Event(key, $0, item: told.item) }
    guard known.laid != nil else { return event }
    try removeConflict(of: key)
    let item = client.item ?? (known.row.deleted ? nil : known.row.item)
    return event
      ?? Event(key, .conflictOver(deleted: item == nil), item: item ?? known.row.item)
  }

  /// Lays a conflict's sides beside each other, then says so.
  mutating func lay(
    _ conflict: Conflict, _ key: ItemKey, _ client: ClientState, _ row: Row
  ) throws -> Applied {
    let former = try state(of: key.table).laid[key.id]
    var digest = former == nil ? client.digest : former?.file
    if former != nil {
      // Where its user has removed the client's side, or it says that the item was deleted, it is laid
      // anew, as the file now is; a crash may have come after that.
      let side = try conflictClient(of: key)
      if conflict.client != nil, side == .absent || side.digest == client.digest {
        digest = client.digest
      }
    } else {
      // The journal doesn't know these sides: a crash left them, or their line is lost. The client's side may hold
      // an edit. No file has this fingerprint, so that both count as edited, and their user decides.
      let side = try conflictClient(of: key)
      let isEdited = side != .absent && (side.item == nil || side.item != client.item)
      if isEdited { digest = Digest(of: []) } else { try removeConflict(of: key) }
    }
    try writeConflict(conflict, of: key)
    let refused: [Fact] = try rejection(of: key) == nil ? [] : [.ended(key.id)]
    let laid = Fact.laid(key.id, Laid(file: digest, row: Digest(of: row.text)))
    try append(refused + [laid], to: key.table, durably: false)
    return .conflict(Event(key, .conflict(conflict), item: conflict.client ?? conflict.server))
  }

  /// Brings the open arrivals of a table to their items, or only those of some ids; with `removing`, items
  /// are removed, too.
  mutating func takeArrivals(
    in table: TableName, of ids: Set<ItemID>? = nil, removing: Bool = false, settings: Settings
  ) throws -> TakenArrivals {
    var taken = TakenArrivals()
    let arrivals = try arrivals(in: table)
    guard !arrivals.isEmpty else { return taken }
    // No item may outlive the row that it was written for, nor that its write is over: it would look like
    // an edit.
    try append([], to: table, durably: true)
    var (waiting, relied): (Set<ItemID>, [ItemID]) = ([], [])
    let due = try arrivals.filter { arrival in
      let isDue =
        try ids?.contains(arrival.id) != false && attempt(of: ItemKey(table, arrival.id)) == nil
      if !isDue { waiting.insert(arrival.id) }
      return isDue
    }
    var rest = due[...]
    while !rest.isEmpty {
      let applied = try apply(
        rest, in: table, removing: removing, policy: settings.policy(of: table), &relied)
      for (arrival, applied) in zip(rest, applied) {
        let key = ItemKey(table, arrival.row.id)
        switch applied {
        case .taken(let event):
          if let event { taken.events.append(event) }
          continue
        case .conflict(let event): taken.events.append(event)
        case .waiting(.removal): taken.removals.insert(arrival.id)
        case .waiting(.invalid): taken.held.append(try held(key, arrival, nil))
        case .waiting(.held(let hold)): taken.held.append(try held(key, arrival, hold))
        case .waiting(.inFlight), .waiting(.asked): break
        }
        waiting.insert(arrival.id)
      }
      rest = rest.dropFirst(applied.count)
    }
    if !relied.isEmpty { try synchronize(relied, in: table) }
    try append([.taken(but: waiting)], to: table, durably: true)
    return taken
  }

  private func held(_ key: ItemKey, _ arrival: Arrival, _ hold: Event.Hold?) throws -> Event {
    Event(key, .held, item: try base(of: ItemKey(key.table, arrival.id)).item, hold: hold)
  }

  /// Moves a new item, as it is now, to the id that the server gave its row.
  ///
  /// The file of the former name goes to the trash. What was cut off is finished by doing it again.
  ///
  /// - Returns: Whether that is done; not where the item's file can't be read or was moved by hand, and
  ///   where the place holds another item, which may be about to get an id of its own. It waits then.
  private mutating func rename(_ former: ItemKey, to key: ItemKey) throws -> Bool {
    var written: Digest?
    for _ in 0..<8 {
      guard case .item(let item, let digest) = try client(former) else {
        return try client(former) == .absent && moved(former) == nil
      }
      let place = try client(key)
      if place == .absent || (written != nil && place.digest == written) {
        guard case .replaced(let now) = try write(item, to: key, expecting: place.digest) else {
          continue
        }
        written = now
      } else if place.item != item {
        return false
      } else {
        try synchronize([key])
      }
      if try write(nil, to: former, expecting: digest) != .changedMeanwhile { return true }
    }
    return false
  }
}
