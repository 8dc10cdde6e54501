package import SyncModel

/// The state of all items that differ from their base, for `status`, a dry run and a push.
package struct Survey: Equatable, Sendable {
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
    /// A conflict waits for a person; the item's file is the client's side, and its table has no rule.
    indirect case conflict(Conflict)
    /// The file can't be an item.
    indirect case invalid(InvalidItem)
    /// The file is missing, and its id stands in another one: nothing is sent.
    case moved(to: String)
  }

  /// One item and its state.
  package struct Entry: Equatable, Sendable {
    /// Which item; `nil` for a file whose name stands for no id.
    package let key: ItemKey?
    /// How it stands.
    package let standing: Standing
    /// The item's file.
    package let client: ClientState
    /// When the file was last modified, in nanoseconds since 1970; 0 if there is none.
    package let modified: Int64
    /// Why the server didn't carry the pending change out the last time, though it says nothing of the row.
    package var passed: Refusal?
    /// The place of the first stray file of its table, which may be the item that is missing: its delete waits.
    package var stray: String?
  }

  /// The entries: conflicts, rejected, unknown, invalid, then what is to be pushed, in its order.
  package let entries: [Entry]
  /// The tables that were looked at.
  package let tables: [TableName]

  /// Looks at tables, without the network and without recording anything.
  package init(of tables: [TableName], on disk: some Disk) throws {
    var entries: [Entry] = []
    var seen: Set<ItemKey> = []
    for table in tables {
      let candidates = try disk.candidates(in: table)
      let arrived = Dictionary(
        try disk.arrivals(in: table).map { ($0.id, $0.row) }, uniquingKeysWith: { $1 })
      let strays = candidates.strays
      let first = strays.values.map(\.place).min()
      for candidate in candidates {
        let row = candidate.key.flatMap { arrived[$0.id] }
        guard let standing = try Self.standing(of: candidate, row, strays, disk) else {
          continue
        }
        if let key = candidate.key { seen.insert(key) }
        var entry = Entry(
          key: candidate.key, standing: standing, client: candidate.client,
          modified: candidate.modified)
        switch standing {
        case .pending(let operation), .rejected(let operation, _):
          if let refusal = try disk.rejection(of: operation.key)?.refusal, refusal.passes {
            entry.passed = refusal
          }
          if operation.kind == .delete, try !disk.isRemoved(operation.key) { entry.stray = first }
        default: break
        }
        entries.append(entry)
      }
    }
    let laid = try tables.flatMap { table in
      try disk.state(of: table).laid.keys.sorted().map { ItemKey(table, $0) }
    }
    for key in laid where !seen.contains(key) {
      let client = try disk.client(key)
      guard let conflict = try disk.conflict(key, client.item) else { continue }
      entries.append(Entry(key: key, standing: .conflict(conflict), client: client, modified: 0))
    }
    for attempt in try tables.flatMap(disk.attempts) where !seen.contains(attempt.key) {
      let key = attempt.key
      entries.append(
        Entry(key: key, standing: .unknown(attempt), client: try disk.client(key), modified: 0))
    }
    let marks = Dictionary(
      try tables.map { ($0, try disk.state(of: $0).marks) }, uniquingKeysWith: { $1 })
    self.entries = Self.sorted(entries, marks)
    self.tables = tables
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
    let ranks = entries.map { entry -> (Int64, Int64, Int64, Int64) in
      var order: (Int64, Int64) = (0, entry.modified)
      if let key = entry.key, entry.client == .absent {
        if case .removed(let after, let time)? = marks[key.table]?[key.id] {
          order = (after == nil ? 0 : 2, time)
        } else {
          order = (1, 0)
        }
      }
      return (entry.standing.group, entry.passed == nil ? 0 : 1, order.0, order.1)
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
  /// The fingerprints of the items' files.
  var digests: [ItemKey: Digest] {
    Dictionary(
      entries.compactMap { entry in
        entry.key.flatMap { key in entry.client.digest.map { (key, $0) } }
      },
      uniquingKeysWith: { $1 })
  }

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
  /// The item that this one waits for; `nil` where it doesn't.
  package var waitsFor: ItemKey? {
    guard case .behind(_, let other) = standing else { return nil }
    return other
  }
}

extension Survey.Standing {
  /// The place of its group in a listing.
  fileprivate var group: Int64 {
    switch self {
    case .conflict: 0
    case .rejected: 1
    case .unknown: 2
    case .invalid: 3
    case .moved: 4
    case .pending, .behind: 5
    }
  }
}
