package import SyncModel

/// A disk for dry runs: it reads another disk, and keeps all writes in memory.
///
/// A dry run of an exchange runs the real one on it, so that the forecast can't differ from that.
package struct Rehearsal<Stage: Disk> {
  private let stage: Stage
  private var clients: [ItemKey: (state: ClientState, time: Int64)] = [:]
  /// When a file was last written here: later than any on the disk below.
  private var time = Int64.max / 2
  private var sides: [ItemKey: ClientState] = [:]
  /// The tables of which other things are known here.
  private var tables: [TableName: TableFold] = [:]
  /// The items whose bases may be other ones here.
  private var touched: Set<ItemKey> = []

  /// Begins as the disk below is.
  package init(on stage: Stage) {
    self.stage = stage
  }

  private static func state(_ item: Item?, _ key: ItemKey) -> ClientState {
    guard let item else { return .absent }
    return .item(item, Digest(of: JSON.object(item.object(id: key.id)).encoded()))
  }
}

extension Rehearsal: ItemDisk {
  package func client(_ key: ItemKey) throws -> ClientState {
    try clients[key]?.state ?? stage.client(key)
  }

  package func strays(in table: TableName) throws -> [ItemID: InvalidItem] {
    try stage.strays(in: table)
  }

  package func candidates(in table: TableName) throws -> [Candidate] {
    var candidates = try stage.candidates(in: table)
    let touched = touched.union(clients.keys).filter { $0.table == table }
    var times: [ItemKey: Int64] = [:]
    candidates.removeAll { candidate in
      guard let key = candidate.key, touched.contains(key) else { return false }
      times[key] = candidate.modified
      return true
    }
    for key in touched.sorted() {
      let client = try client(key)
      let isValid = client == .absent || client.item != nil
      if isValid, try client.item == base(of: key).item { continue }
      let modified = clients[key]?.time ?? times[key] ?? 0
      candidates.append(Candidate(key: key, client: client, modified: modified))
    }
    return candidates
  }

  package mutating func write(_ changes: [FileChange]) throws -> [WriteOutcome] {
    try changes.map { change in
      guard try client(change.key).digest == change.expected else { return .changedMeanwhile }
      let state = Self.state(change.item, change.key)
      time += 1
      clients[change.key] = (state, time)
      return .replaced(state.digest)
    }
  }

  package mutating func keep(_ item: Item, of key: ItemKey) throws {}

  package mutating func synchronize(_ ids: [ItemID], in table: TableName) throws {}

  package mutating func writeConflict(_ conflict: Conflict, of key: ItemKey) throws {
    guard try conflictClient(of: key) == .absent else { return }
    let client = try client(key)
    sides[key] = client.item == conflict.client ? client : Self.state(conflict.client, key)
  }

  package mutating func removeConflict(of key: ItemKey, as end: ConflictEnd) throws {
    sides[key] = .absent
  }

  package func conflictClient(of key: ItemKey) throws -> ClientState {
    try sides[key] ?? stage.conflictClient(of: key)
  }
}

extension Rehearsal: RowDisk {
  package func table(_ table: TableName) throws -> any TableRows {
    try tables[table] ?? stage.table(table)
  }

  package mutating func append(_ facts: [Fact], to table: TableName, durably: Bool) throws {
    // Taken out, so that it isn't copied to be changed.
    var fold = try tables.removeValue(forKey: table) ?? TableFold(over: stage.table(table))
    defer { tables[table] = fold }
    for fact in facts {
      // What is done here is the newest.
      let fact = fold.state.marks.dated(fact, at: .max)
      if case .taken = fact {
        for arrival in try fold.arrivals() {
          touched.formUnion([ItemKey(table, arrival.id), ItemKey(table, arrival.row.id)])
        }
      }
      if let row = fact.row { touched.insert(ItemKey(table, fact.arrival?.id ?? row.id)) }
      if case .forgot(let id) = fact { touched.insert(ItemKey(table, id)) }
      try fold.add(fact)
    }
  }

  package mutating func forget(_ table: TableName) throws { tables[table] = TableFold() }
}
