package import SyncModel

/// The state of all items that differ from their base, for `status`, a dry run and a push.
package struct Survey: Equatable, Sendable {
  /// The state of one item.
  package enum Standing: Equatable, Sendable {
    /// A change waits to be sent.
    case pending(Operation)
    /// The row is deleted when the server has had another item from here: what this one has become.
    indirect case behind(Operation, ItemKey)
    /// The server refused the change as it stands.
    indirect case rejected(Operation, Rejection)
    /// A write was sent and its outcome isn't known.
    indirect case unknown(Attempt)
    /// A conflict waits for a person.
    indirect case conflict(OpenConflict)
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
  }

  /// The entries: conflicts, rejected, unknown, invalid, then what is to be pushed, in its order.
  package let entries: [Entry]
  /// The tables that were looked at.
  package let tables: [TableName]

  /// Looks at tables, without the network and without recording anything.
  package init(of tables: [TableName], on disk: some Disk) throws {
    let journal = disk.journal
    var entries: [Entry] = []
    var seen: Set<ItemKey> = []
    for table in tables {
      let candidates = try disk.candidates(in: table)
      let arrived = Dictionary(
        try disk.arrivals(in: table).map { ($0.id, $0.row) }, uniquingKeysWith: { $1 })
      let claiming = candidates.claiming
      for candidate in candidates {
        let row = candidate.key.flatMap { arrived[$0.id] }
        guard let standing = try Self.standing(of: candidate, row, claiming, disk) else {
          continue
        }
        if let key = candidate.key { seen.insert(key) }
        var entry = Entry(
          key: candidate.key, standing: standing, client: candidate.client,
          modified: candidate.modified)
        if case .pending(let operation) = standing,
          let refusal = try disk.rejection(of: operation.key)?.refusal, refusal.passes
        {
          entry.passed = refusal
        }
        entries.append(entry)
      }
    }
    let wanted = Set(tables)
    for (key, conflict) in journal.conflicts.sorted(by: { $0.key < $1.key })
    where wanted.contains(key.table) {
      guard !seen.contains(key) else { continue }
      entries.append(
        Entry(
          key: key, standing: .conflict(conflict), client: try disk.client(key), modified: 0))
    }
    for attempt in try tables.flatMap(disk.attempts) where !seen.contains(attempt.key) {
      let key = attempt.key
      entries.append(
        Entry(key: key, standing: .unknown(attempt), client: try disk.client(key), modified: 0))
    }
    self.entries = Self.sorted(try Self.successions(entries, disk), journal)
    self.tables = tables
  }

  /// Returns the entries of which those wait whose items have become others that the server doesn't have.
  private static func successions(_ entries: [Entry], _ disk: some Disk) throws -> [Entry] {
    let successors = disk.journal.successors
    guard !successors.isEmpty else { return entries }
    let standings = Dictionary(
      entries.compactMap { entry in entry.key.map { ($0, entry.standing) } },
      uniquingKeysWith: { $1 })
    return try entries.map { entry in
      guard let key = entry.key, case .pending(let operation) = entry.standing,
        operation.kind == .delete, let successor = successors[key]
      else { return entry }
      switch standings[successor] {
      // What is removed, or was, is not waited for.
      case .pending(let other)? where other.kind == .delete: return entry
      case nil where try disk.base(of: successor).item != nil: break
      case nil where try disk.file(claiming: successor) == nil: return entry
      default: break
      }
      return Entry(
        key: key, standing: .behind(operation, successor), client: entry.client,
        modified: entry.modified)
    }
  }

  private static func standing(
    of candidate: Candidate, _ arrived: Row?, _ claiming: [ItemID: InvalidItem], _ disk: some Disk
  ) throws -> Standing? {
    if case .invalid(let invalid) = candidate.client { return .invalid(invalid) }
    guard let key = candidate.key else { return nil }
    let journal = disk.journal
    if let conflict = journal.conflicts[key] { return .conflict(conflict) }
    if let attempt = try disk.attempt(of: key) { return .unknown(attempt) }
    let base = try candidate.base ?? disk.base(of: key)
    if candidate.client == .absent, let file = claiming[key.id], try disk.mayBeMoved(key) {
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
    if operation.kind == .delete, !journal.isRemoved(key),
      try disk.left(in: key.table).contains(key.id)
    {
      return nil
    }
    if let rejection = try disk.rejection(of: key), !rejection.refusal.passes,
      rejection.kind == operation.kind, rejection.digest == candidate.client.digest
    {
      return .rejected(operation, rejection)
    }
    return .pending(operation)
  }

  private static func sorted(_ entries: [Entry], _ journal: JournalState) -> [Entry] {
    // Each key is computed once; files deleted by hand come late, for want of a time, and last what waits
    // for the new rows of items that have other ids now. What has passed must hold nothing up.
    let ranks = entries.map { entry -> (Int64, Int64, Int64, Int64) in
      let note = entry.key.flatMap { journal.notes[$0] }
      let vanished = entry.client == .absent && note?.note.commanded != true
      let order: (Int64, Int64) =
        switch note {
        case _ where vanished: (1, 0)
        case let note? where entry.client == .absent:
          (note.note.successor == nil ? 0 : 2, note.note.time)
        default: (0, entry.modified)
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
      guard let key = entry.key, selection?.contains(key) ?? true else { return nil }
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
      guard let key = entry.key, let successor = entry.successor,
        selection.map({ $0.contains(key) || $0.contains(successor) }) ?? true
      else { continue }
      found[key] = successor
    }
    return found
  }
}

extension Survey.Entry {
  /// The item that this one waits for; `nil` where it doesn't.
  package var successor: ItemKey? {
    guard case .behind(_, let successor) = standing else { return nil }
    return successor
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
