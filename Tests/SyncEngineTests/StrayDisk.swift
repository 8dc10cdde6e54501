import SyncEngine
import SyncModel
import TestSupport

/// A disk on which more things lie than items: files whose names stand for no id, and stray files.
struct StrayDisk: Disk {
  var memory = MemoryDisk()
  /// What lies there beside the items.
  var more: [Candidate] = []

  /// Is called at each walk through all files.
  var walking: () -> Void = {}

  func candidates(in table: TableName) throws -> [Candidate] {
    walking()
    return try memory.candidates(in: table) + more
  }

  func strays(in table: TableName) throws -> [ItemID: InvalidItem] {
    try (memory.candidates(in: table) + more).strays
  }

  func client(_ key: ItemKey) throws -> ClientState { try memory.client(key) }
  func table(_ table: TableName) throws -> any TableRows { try memory.table(table) }
  func conflictClient(of key: ItemKey) throws -> ClientState { try memory.conflictClient(of: key) }

  mutating func write(_ changes: [FileChange]) throws -> [WriteOutcome] {
    try memory.write(changes)
  }

  mutating func keep(_ item: Item, of key: ItemKey) throws { try memory.keep(item, of: key) }
  mutating func synchronize(_ ids: [ItemID], in table: TableName) throws {
    try memory.synchronize(ids, in: table)
  }

  mutating func writeConflict(_ conflict: Conflict, of key: ItemKey) throws {
    try memory.writeConflict(conflict, of: key)
  }

  mutating func removeConflict(of key: ItemKey, as end: ConflictEnd) throws {
    try memory.removeConflict(of: key, as: end)
  }

  mutating func append(_ facts: [Fact], to table: TableName, durably: Bool) throws {
    try memory.append(facts, to: table, durably: durably)
  }

  mutating func forget(_ table: TableName) throws { try memory.forget(table) }
}
