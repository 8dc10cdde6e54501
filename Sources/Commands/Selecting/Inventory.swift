import SyncEngine
import SyncModel
import Workspace

/// All items of some tables: those whose files are as their bases say, and those that may differ.
struct Inventory {
  /// The tables.
  let tables: [TableName]
  /// The items that exist here or at the server, ordered by table and id.
  let keys: [ItemKey]
  /// What may differ from its base.
  private let candidates: [ItemKey: Candidate]
  /// The items that neither have a file nor a row: a conflict or a write is open.
  private let absent: Set<ItemKey>
  /// The files that can't be items and whose names stand for no id, by table.
  let strays: [(table: TableName, invalid: InvalidItem)]

  /// Looks at tables.
  init(of tables: [TableName], on disk: some Disk) throws {
    var keys: Set<ItemKey> = []
    var candidates: [ItemKey: Candidate] = [:]
    var strays: [(TableName, InvalidItem)] = []
    for table in tables {
      keys.formUnion(try disk.liveIDs(in: table).map { ItemKey(table, $0) })
      for candidate in try disk.candidates(in: table) {
        if let key = candidate.key {
          candidates[key] = candidate
          if candidate.client != .absent { keys.insert(key) }
        } else if case .invalid(let invalid) = candidate.client {
          strays.append((table, invalid))
        }
      }
    }
    let wanted = Set(tables)
    let journal = disk.journal
    var absent: Set<ItemKey> = []
    for key in [Array(journal.conflicts.keys), Array(journal.intents.keys)].joined()
    where wanted.contains(key.table) && keys.insert(key).inserted {
      absent.insert(key)
    }
    self.absent = absent
    self.tables = tables
    self.keys = keys.sorted()
    self.candidates = candidates
    self.strays = strays
  }

  /// Returns what lies at an item's place; of an item that is as its base says, the base.
  ///
  /// The digest of such an item is not known here: to change one, it is read first.
  func item(_ key: ItemKey, on disk: some Disk) throws -> Item? {
    if let candidate = candidates[key] { return candidate.client.item }
    return try disk.base(of: key).item
  }

  /// Returns the items that there are here, with what lies at their places.
  func items(on disk: some Disk) throws -> [(key: ItemKey, item: Item)] {
    try keys.compactMap { key in try item(key, on: disk).map { (key, $0) } }
  }

  /// How many items of each table are here.
  var counts: [TableName: Int] {
    keys.reduce(into: [:]) { $0[$1.table, default: 0] += isHere($1) ? 1 : 0 }
  }

  /// Returns what is wrong with an item's file; `nil` where nothing is.
  func invalid(_ key: ItemKey) -> InvalidItem? {
    guard case .invalid(let invalid)? = candidates[key]?.client else { return nil }
    return invalid
  }

  /// Whether an item has no file, though the server has it, or it is in conflict or being sent.
  func isAbsent(_ key: ItemKey) -> Bool {
    candidates[key]?.client == .absent || absent.contains(key)
  }

  /// Returns the items that were removed, as ``Restoration`` brings them back.
  func removed(_ workspace: Workspace) throws -> [(key: ItemKey, item: Item)] {
    let journal = workspace.journal
    var items: [ItemKey: Item] = [:]
    for table in tables {
      items.merge(try workspace.displaced(in: table) { !contains($0) }) { $1 }
      // Where there is a row, any other copy may be older than that.
      let removed = try workspace.displaced(in: table, newestOnly: true) {
        contains($0) && !isHere($0) && journal.notes[$0]?.note.commanded == true
      }
      items.merge(removed) { $1 }
    }
    for key in keys where !isHere(key) && items[key] == nil {
      items[key] = try workspace.base(of: key).item
    }
    // What is here under another id was not removed.
    let here = Set(try self.items(on: workspace).map { JSON.object($0.item.fields).encoded() })
    return items.filter { key, item in
      journal.successors[key] == nil && !here.contains(JSON.object(item.fields).encoded())
    }.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }

  /// Whether an item has a file.
  func isHere(_ key: ItemKey) -> Bool { contains(key) && !isAbsent(key) }

  /// Whether an item exists here or at the server.
  func contains(_ key: ItemKey) -> Bool { place(of: key).map { keys[$0] == key } ?? false }

  /// Returns the items of a table whose ids begin with a text.
  func keys(beginningWith start: Text, in table: TableName) -> ArraySlice<ItemKey> {
    guard let id = try? ItemID(start), let first = place(of: ItemKey(table, id)) else { return [] }
    return keys[first...].prefix {
      $0.table == table && $0.id.text.string.utf8.starts(with: start.string.utf8)
    }
  }

  /// Returns the place of the first item that isn't before another one; `nil` where all are.
  private func place(of key: ItemKey) -> Int? {
    var (low, high) = (0, keys.count)
    while low < high {
      let middle = (low + high) / 2
      if keys[middle] < key { low = middle + 1 } else { high = middle }
    }
    return low < keys.count ? low : nil
  }

  /// What is wrong with files, in their order.
  var invalids: [InvalidItem] { keys.compactMap(invalid) + strays.map(\.invalid) }
}
