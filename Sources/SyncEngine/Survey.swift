package import SyncModel

/// The state of all items that differ from their base: what every command asks of them is found out here.
package struct Survey: Equatable, Sendable {
  /// The groups of states, the most urgent first.
  ///
  /// Their names are words of `status --porcelain` and of the JSON documents.
  package enum Group: Comparable, Sendable {
    case conflict, rejected, unknown, invalid, pending
  }

  /// The state of one item.
  package enum Standing: Equatable, Sendable {
    /// A change waits to be sent.
    case pending(Operation)
    /// The row is deleted when the server has another item as it is here: what this one has become.
    indirect case behind(Operation, ItemKey)
    /// The server refused the change as it stands.
    indirect case rejected(Operation, Rejection)
    /// A write was sent and its outcome isn't known.
    indirect case unknown(Attempt)
    /// A conflict waits for a person; the item's file is the client's side, and its table has no rule, unless the
    /// survey has settings.
    indirect case conflict(Conflict)
    /// The file can't be an item.
    indirect case invalid(InvalidItem)
    /// The file is missing, and its id stands in another one: nothing is sent.
    case moved(to: String)
  }

  /// One item and its state.
  package struct Entry: Equatable, Sendable {
    /// The table that has it.
    package let table: TableName
    /// Which item; `nil` for a file whose name stands for no id.
    package let key: ItemKey?
    /// How it stands.
    package fileprivate(set) var standing: Standing
    /// The item's file.
    package let client: ClientState
    /// When the file was last modified, in nanoseconds since 1970; 0 if there is none.
    package let modified: Int64
    /// Why the server didn't carry the pending change out the last time, though it says nothing of the row.
    package fileprivate(set) var passed: Refusal?
    /// The place of the first stray file of its table, which may be the item that is missing: its delete waits.
    package fileprivate(set) var stray: String?
    /// Whether no query returns its row any more.
    package fileprivate(set) var isOutside = false
  }

  /// The entries: conflicts, rejected, unknown, invalid, then what is to be pushed, in its order.
  package let entries: [Entry]
  /// The files that may differ from their bases, and those of the entries.
  package let clients: [ItemKey: ClientState]
  /// The tables that were looked at.
  package let tables: [TableName]

  /// Looks at tables, without the network and without recording anything.
  ///
  /// With settings, a conflict is as a person is asked about it: with the client's side that was edited last, by the
  /// rule of its table; where that can't be said, as the item's file has it.
  ///
  /// - Throws: What reading the files and rows throws.
  package init(of tables: [TableName], on disk: some Disk, settings: Settings? = nil) throws {
    var (entries, clients): ([Entry], [ItemKey: ClientState]) = ([], [:])
    var marks: [TableName: Marks] = [:]
    for table in tables {
      let candidates = try disk.candidates(in: table)
      let arrived = Dictionary(
        try disk.arrivals(in: table).map { ($0.id, $0.row) }, uniquingKeysWith: { $1 })
      let (strays, state) = (candidates.strays, try disk.state(of: table))
      let first = strays.values.map(\.place).min()
      marks[table] = state.marks
      var seen: Set<ItemID> = []
      func add(_ key: ItemKey?, _ standing: Standing, _ client: ClientState, _ modified: Int64)
        throws
      {
        var entry = Entry(
          table: table, key: key, standing: standing, client: client, modified: modified)
        if let id = key?.id {
          seen.insert(id)
          entry.isOutside = state.left.contains(id)
        }
        switch standing {
        case .pending(let operation), .rejected(let operation, _):
          if let refusal = try disk.rejection(of: operation.key)?.refusal, refusal.passes {
            entry.passed = refusal
          }
          if operation.kind == .delete, try !disk.isRemoved(operation.key) { entry.stray = first }
        case .conflict:
          if let key, let settings,
            let now = try? Resolve(settings: settings).current(key, on: disk)
          {
            entry.standing = .conflict(now)
          }
        default: break
        }
        entries.append(entry)
      }
      for candidate in candidates {
        if let key = candidate.key { clients[key] = candidate.client }
        let row = candidate.key.flatMap { arrived[$0.id] }
        if let standing = try Self.standing(of: candidate, row, strays, disk) {
          try add(candidate.key, standing, candidate.client, candidate.modified)
        }
      }
      // An item with an open conflict or write is one, even if its file is as its base says.
      func addOpen(_ key: ItemKey, _ standing: (Item?) throws -> Standing?) throws {
        guard !seen.contains(key.id) else { return }
        let client = try disk.client(key)
        guard let standing = try standing(client.item) else { return }
        clients[key] = client
        try add(key, standing, client, 0)
      }
      for key in state.laid.keys.sorted().map({ ItemKey(table, $0) }) {
        try addOpen(key) { try disk.conflict(key, $0).map { .conflict($0) } }
      }
      for attempt in try disk.attempts(in: table) {
        try addOpen(attempt.key) { _ in .unknown(attempt) }
      }
    }
    self.entries = Self.sorted(entries, marks)
    (self.clients, self.tables) = (clients, tables)
  }

  private static func standing(
    of candidate: Candidate, _ arrived: Row?, _ strays: [ItemID: InvalidItem], _ disk: some Disk
  ) throws -> Standing? {
    if case .invalid(let invalid) = candidate.client { return .invalid(invalid) }
    guard let key = candidate.key else { return nil }
    if let conflict = try disk.conflict(key, candidate.client.item) { return .conflict(conflict) }
    if let attempt = try disk.attempt(of: key) { return .unknown(attempt) }
    let base = try candidate.base ?? disk.base(of: key)
    if candidate.client == .absent, let file = strays[key.id], try !disk.isRemoved(key) {
      return .moved(to: file.place)
    }
    // What a stopped pull has written already is the server's, and no change.
    if let arrived, Operation(key: key, client: candidate.client.item, base: Base(arrived)) == nil {
      return nil
    }
    guard let operation = Operation(key: key, client: candidate.client.item, base: base) else {
      return nil
    }
    // The file of a row that has left may have gone already.
    if operation.kind == .delete {
      if try !disk.isRemoved(key) && disk.state(of: key.table).left.contains(key.id) { return nil }
      if let other = try disk.awaited(by: key) { return .behind(operation, other) }
    }
    if let rejection = try disk.rejection(of: key), !rejection.refusal.passes,
      rejection.kind == operation.kind, rejection.digest == candidate.client.digest
    {
      return .rejected(operation, rejection)
    }
    return .pending(operation)
  }

  private static func sorted(_ entries: [Entry], _ marks: [TableName: Marks]) -> [Entry] {
    // Each key is computed once; files deleted by hand come late, for want of a time, and last what waits
    // for the new rows of items that have other ids now. What has passed must hold nothing up.
    let ranks = entries.map { entry -> (Group, Int64, Int64, Int64) in
      var order: (Int64, Int64) = (0, entry.modified)
      if let key = entry.key, entry.client == .absent {
        if case .removed(let after, let time)? = marks[key.table]?[key.id] {
          order = (after == nil ? 0 : 2, time)
        } else {
          order = (1, 0)
        }
      }
      return (entry.group, entry.passed == nil ? 0 : 1, order.0, order.1)
    }
    return entries.indices.sorted { left, right in
      if ranks[left] != ranks[right] { return ranks[left] < ranks[right] }
      switch (entries[left].key, entries[right].key) {
      case (let one?, let other?): return one < other
      case (nil, _?): return true
      default: return false
      }
    }.map { entries[$0] }
  }

  /// Returns the changes that a push sends, in their order.
  ///
  /// `selection` holds the items that were named, `nil` stands for all. A change that the server
  /// refused is sent again only where it was named.
  package func pending(_ selection: Set<ItemKey>? = nil) -> [Operation] {
    entries.compactMap { entry in
      guard let key = entry.key, entry.stray == nil, selection?.contains(key) ?? true else {
        return nil
      }
      switch entry.standing {
      case .pending(let operation): return operation
      case .rejected(let operation, _): return selection == nil ? nil : operation
      default: return nil
      }
    }
  }
}

extension Survey {
  /// Returns the items whose rows are deleted when the server has had what they have become, and that:
  /// those that are selected, under either id; `nil` stands for all.
  package func following(_ selection: Set<ItemKey>? = nil) -> [ItemKey: ItemKey] {
    var found: [ItemKey: ItemKey] = [:]
    for entry in entries {
      guard let key = entry.key, let other = entry.waitsFor,
        selection.map({ $0.contains(key) || $0.contains(other) }) ?? true
      else { continue }
      found[key] = other
    }
    return found
  }
}

extension Survey.Entry {
  /// The group of its state.
  package var group: Survey.Group {
    switch standing {
    case .conflict: .conflict
    case .rejected: .rejected
    case .unknown: .unknown
    case .invalid, .moved: .invalid
    case .pending, .behind: .pending
    }
  }

  /// The change that is to be sent, or was refused; `nil` in other states.
  package var operation: Operation? {
    switch standing {
    case .pending(let operation), .behind(let operation, _), .rejected(let operation, _): operation
    case .unknown, .conflict, .invalid, .moved: nil
    }
  }

  /// The item that this one waits for; `nil` where it doesn't.
  package var waitsFor: ItemKey? {
    guard case .behind(_, let other) = standing else { return nil }
    return other
  }
}
