import SyncEngine
import SyncModel

/// A disk for dry runs: it reads another disk, and keeps all writes in memory.
///
/// `pull -n` runs the real pull on it, so that its forecast can't differ from the pull.
struct Rehearsal<Stage: Disk> {
  private let stage: Stage
  private var clients: [ItemKey: ClientState] = [:]
  private var sides: [ItemKey: ClientState] = [:]
  private var bases: [ItemKey: Row] = [:]
  private var waiting: [ItemKey: (row: Row, committed: Bool)] = [:]
  private var tokens: [TableName: DeltaToken] = [:]
  private var forgotten: Set<TableName> = []
  private(set) var journal: JournalState

  init(on stage: Stage) {
    self.stage = stage
    journal = stage.journal
  }

  /// The disk below, to read a table's rows; `nil` if they were forgotten.
  private func rows(of table: TableName) -> Stage? { forgotten.contains(table) ? nil : stage }

  private static func state(_ item: Item?, _ key: ItemKey) -> ClientState {
    guard let item else { return .absent }
    return .item(item, Digest(of: JSON.object(item.object(id: key.id)).encoded()))
  }
}

extension Rehearsal: ItemDisk {
  func client(_ key: ItemKey) throws -> ClientState { try clients[key] ?? stage.client(key) }

  func file(claiming key: ItemKey) throws -> InvalidItem? { try stage.file(claiming: key) }

  func candidates(in table: TableName) throws -> [Candidate] {
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

  mutating func write(
    _ item: Item?, to key: ItemKey, expecting expected: Digest?
  ) throws -> WriteOutcome {
    guard try client(key).digest == expected else { return .changedMeanwhile }
    let state = Self.state(item, key)
    clients[key] = state
    return .replaced(state.digest)
  }

  mutating func keep(_ item: Item, of key: ItemKey) throws {}

  mutating func settle(afresh: Bool) throws {}

  mutating func writeConflict(_ conflict: Conflict, of key: ItemKey) throws {
    guard try conflictClient(of: key) == .absent else { return }
    let client = try client(key)
    sides[key] = client.item == conflict.client ? client : Self.state(conflict.client, key)
  }

  mutating func removeConflict(of key: ItemKey) throws { sides[key] = .absent }

  func conflictClient(of key: ItemKey) throws -> ClientState {
    try sides[key] ?? stage.conflictClient(of: key)
  }
}

extension Rehearsal: RowDisk {
  func base(of key: ItemKey) throws -> Base {
    try bases[key].map { Base($0) } ?? rows(of: key.table)?.base(of: key) ?? .neverSeen
  }

  func liveIDs(in table: TableName) throws -> [ItemID] {
    var ids = Set(try rows(of: table)?.liveIDs(in: table) ?? [])
    for (key, row) in bases where key.table == table {
      if row.deleted { ids.remove(key.id) } else { ids.insert(key.id) }
    }
    return ids.sorted()
  }

  func token(of table: TableName) throws -> DeltaToken? {
    try tokens[table] ?? rows(of: table)?.token(of: table)
  }

  func incoming(in table: TableName) throws -> [Row] {
    var rows = waiting.filter { $0.key.table == table }.mapValues(\.row)
    for row in try self.rows(of: table)?.incoming(in: table) ?? [] {
      let key = ItemKey(table, row.id)
      if rows[key] == nil, bases[key] == nil { rows[key] = row }
    }
    return rows.sorted { $0.key < $1.key }.map(\.value)
  }

  func incoming(of key: ItemKey) throws -> Row? {
    if let row = waiting[key]?.row { return row }
    return bases[key] == nil ? try rows(of: key.table)?.incoming(of: key) : nil
  }

  mutating func append(_ rows: [Row], over bases: [Row], to table: TableName) throws {
    try setBase(bases, in: table, durably: false)
    for row in rows { waiting[ItemKey(table, row.id)] = (row, false) }
  }

  mutating func commit(_ table: TableName, token: DeltaToken?, held: Set<ItemID>) throws {
    for (key, entry) in waiting where key.table == table && !entry.committed {
      if held.contains(key.id) {
        waiting[key]?.committed = true
      } else {
        bases[key] = entry.row
        waiting[key] = nil
      }
    }
    if let token { tokens[table] = token }
  }

  mutating func setBase(_ rows: [Row], in table: TableName, durably: Bool) throws {
    for row in rows {
      let key = ItemKey(table, row.id)
      bases[key] = row
      waiting[key] = nil
    }
  }

  mutating func synchronize(_ table: TableName) throws {}

  mutating func forget(_ table: TableName) throws {
    forgotten.insert(table)
    tokens[table] = nil
    bases = bases.filter { $0.key.table != table }
    waiting = waiting.filter { $0.key.table != table }
  }
}

extension Rehearsal: JournalDisk {
  mutating func append(_ records: [JournalRecord], durably: Bool) throws {
    for record in records { journal.add(record) }
  }
}
