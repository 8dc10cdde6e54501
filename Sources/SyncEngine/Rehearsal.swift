package import SyncModel

/// A disk for dry runs: it reads another disk, and keeps all writes in memory.
///
/// `pull -n` runs the real pull on it, so that its forecast can't differ from the pull.
package struct Rehearsal<Stage: Disk> {
  private let stage: Stage
  private var clients: [ItemKey: ClientState] = [:]
  private var sides: [ItemKey: ClientState] = [:]
  /// The bases that are other ones here; `nil` where nothing is known any more.
  private var bases: [ItemKey: Row?] = [:]
  /// The arrivals that are open here; `nil` for one that is open in the disk below and taken here.
  private var open: [ItemKey: Arrival?] = [:]
  /// The arrivals of the disk below whose rows have other ids than their items.
  private var moving: [TableName: [Arrival]] = [:]
  /// What the lines of tables' journals add up to, where that is no more as in the disk below.
  private var states: [TableName: TableState] = [:]
  private var forgotten: Set<TableName> = []

  /// Begins as the disk below is.
  package init(on stage: Stage) {
    self.stage = stage
  }

  /// The disk below, to read a table's rows; `nil` if they were forgotten.
  private func rows(of table: TableName) -> Stage? { forgotten.contains(table) ? nil : stage }

  private static func state(_ item: Item?, _ key: ItemKey) -> ClientState {
    guard let item else { return .absent }
    return .item(item, Digest(of: JSON.object(item.object(id: key.id)).encoded()))
  }
}

extension Rehearsal: ItemDisk {
  package func client(_ key: ItemKey) throws -> ClientState {
    try clients[key] ?? stage.client(key)
  }

  package func strays(in table: TableName) throws -> [ItemID: InvalidItem] {
    try stage.strays(in: table)
  }

  package func candidates(in table: TableName) throws -> [Candidate] {
    var candidates = try stage.candidates(in: table)
    let touched = Set(clients.keys).union(bases.keys).filter { $0.table == table }
    candidates.removeAll { $0.key.map(touched.contains) ?? false }
    for key in touched.sorted() {
      let client = try client(key)
      let isValid = client == .absent || client.item != nil
      if isValid, try client.item == base(of: key).item { continue }
      candidates.append(Candidate(key: key, client: client, modified: 0))
    }
    return candidates
  }

  package mutating func write(_ changes: [FileChange]) throws -> [WriteOutcome] {
    try changes.map { change in
      guard try client(change.key).digest == change.expected else { return .changedMeanwhile }
      let state = Self.state(change.item, change.key)
      clients[change.key] = state
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

  package mutating func removeConflict(of key: ItemKey, isDecided: Bool) throws {
    sides[key] = .absent
  }

  package func conflictClient(of key: ItemKey) throws -> ClientState {
    try sides[key] ?? stage.conflictClient(of: key)
  }
}

extension Rehearsal: RowDisk {
  package func base(of key: ItemKey) throws -> Base {
    if let known = bases[key] { return known.map { Base($0) } ?? .neverSeen }
    return try rows(of: key.table)?.base(of: key) ?? .neverSeen
  }

  package func liveIDs(in table: TableName) throws -> [ItemID] {
    var ids = Set(try rows(of: table)?.liveIDs(in: table) ?? [])
    for (key, row) in bases where key.table == table {
      if row?.deleted == false { ids.insert(key.id) } else { ids.remove(key.id) }
    }
    return ids.sorted()
  }

  package func state(of table: TableName) throws -> TableState {
    try states[table] ?? rows(of: table)?.state(of: table) ?? TableState()
  }

  package func tombstoneIDs(in table: TableName) throws -> [ItemID] {
    try rows(of: table)?.tombstoneIDs(in: table) ?? []
  }

  package func arrivals(in table: TableName) throws -> [Arrival] {
    var found = open.filter { $0.key.table == table }.compactMapValues(\.self)
    for arrival in try rows(of: table)?.arrivals(in: table) ?? [] {
      let key = ItemKey(table, arrival.id)
      if open[key] == nil { found[key] = arrival }
    }
    return found.sorted { $0.key < $1.key }.map(\.value)
  }

  package func arrival(of key: ItemKey) throws -> Arrival? {
    try open[key] ?? rows(of: key.table)?.arrival(of: key)
  }

  package func attempts(in table: TableName) throws -> [Attempt] {
    try rows(of: table)?.attempts(in: table) ?? []
  }

  package func attempt(of key: ItemKey) throws -> Attempt? {
    try rows(of: key.table)?.attempt(of: key)
  }

  package func rejection(of key: ItemKey) throws -> Rejection? {
    try rows(of: key.table)?.rejection(of: key)
  }

  package func rejectedIDs(in table: TableName) throws -> [ItemID] {
    try rows(of: table)?.rejectedIDs(in: table) ?? []
  }

  package mutating func append(_ facts: [Fact], to table: TableName, durably: Bool) throws {
    var state = try state(of: table)
    for fact in facts {
      state.add(fact)
      switch fact {
      case .base(let row, _): setBase(row, ItemKey(table, row.id))
      case .arrived(let new, _):
        let older = try older(than: new, in: table)
        let arrival = new.following(older)
        let key = ItemKey(table, arrival.id)
        if let base = arrival.base { bases[key] = base }
        open[key] = .some(arrival)
      case .taken(let ids):
        for arrival in try arrivals(in: table) where !ids.contains(arrival.id) {
          if arrival.was != nil { bases[ItemKey(table, arrival.id)] = .gone(arrival.id) }
          state.took(arrival.row.id, from: arrival.was)
          open[ItemKey(table, arrival.id)] = .some(nil)
          setBase(arrival.row, ItemKey(table, arrival.row.id))
        }
      case .forgot(let id): bases[ItemKey(table, id)] = .some(nil)
      // No write is sent in a rehearsal.
      default: break
      }
    }
    states[table] = state
  }

  /// Returns the open arrival of a row, under whichever id its item has.
  private mutating func older(than new: Arrival, in table: TableName) throws -> Arrival? {
    if let open = try arrival(of: ItemKey(table, new.row.id)), open.row.id == new.row.id {
      return open
    }
    let moving =
      try moving[table] ?? rows(of: table)?.arrivals(in: table).filter { $0.was != nil } ?? []
    self.moving[table] = moving
    return try moving.lazy.filter { $0.row.id == new.row.id }
      .compactMap { try arrival(of: ItemKey(table, $0.id)) }.first
  }

  private mutating func setBase(_ row: Row?, _ key: ItemKey) {
    bases[key] = .some(row)
    open[key] = .some(nil)
  }

  package mutating func forget(_ table: TableName) throws {
    forgotten.insert(table)
    states[table] = TableState()
    bases = bases.filter { $0.key.table != table }
    open = open.filter { $0.key.table != table }
  }
}
