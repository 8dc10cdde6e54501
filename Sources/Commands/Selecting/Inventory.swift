import SyncEngine
import SyncModel
import Workspace

/// All items of some tables, those with changes and those without.
struct Inventory {
  let tables: [TableName]
  /// The items that exist here or on the server, ordered by table and id.
  let keys: [ItemKey]
  /// The items that may differ from their bases.
  private let candidates: [ItemKey: Candidate]
  /// Items without a file and a row that have an open conflict or write.
  private let absent: Set<ItemKey>
  /// Invalid files without an id in their names.
  let misnamedFiles: [(table: TableName, invalid: InvalidItem)]

  init(of tables: [TableName], on disk: some Disk) throws {
    var keys: Set<ItemKey> = []
    var candidates: [ItemKey: Candidate] = [:]
    var misnamedFiles: [(TableName, InvalidItem)] = []
    for table in tables {
      keys.formUnion(try disk.liveIDs(in: table).map { ItemKey(table, $0) })
      for candidate in try disk.candidates(in: table) {
        if let key = candidate.key {
          candidates[key] = candidate
          if candidate.client != .absent { keys.insert(key) }
        } else if case .invalid(let invalid) = candidate.client {
          misnamedFiles.append((table, invalid))
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
    self.misnamedFiles = misnamedFiles
  }

  /// Returns the item in the file, or the base if they are equal.
  ///
  /// Before a change the item is read again, because its digest is not known here.
  func item(_ key: ItemKey, on disk: some Disk) throws -> Item? {
    if let candidate = candidates[key] { return candidate.client.item }
    return try disk.base(of: key).item
  }

  func items(on disk: some Disk) throws -> [(key: ItemKey, item: Item)] {
    try keys.compactMap { key in try item(key, on: disk).map { (key, $0) } }
  }

  var counts: [TableName: Int] {
    keys.reduce(into: [:]) { $0[$1.table, default: 0] += isHere($1) ? 1 : 0 }
  }

  func invalid(_ key: ItemKey) -> InvalidItem? {
    guard case .invalid(let invalid)? = candidates[key]?.client else { return nil }
    return invalid
  }

  /// Whether an item has no file, but a row, an open conflict or an open write.
  func isAbsent(_ key: ItemKey) -> Bool {
    candidates[key]?.client == .absent || absent.contains(key)
  }

  /// Returns removed items as ``Restoration`` would bring them back.
  func removed(_ workspace: Workspace) throws -> [(key: ItemKey, item: Item)] {
    let journal = workspace.journal
    var items: [ItemKey: Item] = [:]
    for table in tables {
      items.merge(try workspace.displaced(in: table) { !contains($0) }) { $1 }
      // If there is a row, other copies may be older than the row.
      let removed = try workspace.displaced(in: table, newestOnly: true) {
        contains($0) && !isHere($0) && journal.notes[$0]?.note.commanded == true
      }
      items.merge(removed) { $1 }
    }
    for key in keys where !isHere(key) && items[key] == nil {
      items[key] = try workspace.base(of: key).item
    }
    // An item that is here under another id was not removed.
    let here = Set(try self.items(on: workspace).map { JSON.object($0.item.fields).encoded() })
    return items.filter { key, item in
      journal.successors[key] == nil && !here.contains(JSON.object(item.fields).encoded())
    }.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }

  func isHere(_ key: ItemKey) -> Bool { contains(key) && !isAbsent(key) }

  func contains(_ key: ItemKey) -> Bool { place(of: key).map { keys[$0] == key } ?? false }

  func keys(beginningWith start: Text, in table: TableName) -> ArraySlice<ItemKey> {
    guard let id = try? ItemID(start), let first = place(of: ItemKey(table, id)) else { return [] }
    return keys[first...].prefix {
      $0.table == table && $0.id.text.string.utf8.starts(with: start.string.utf8)
    }
  }

  /// Returns the index of the first item that is not before another; `nil` if all are.
  private func place(of key: ItemKey) -> Int? {
    var (low, high) = (0, keys.count)
    while low < high {
      let middle = (low + high) / 2
      if keys[middle] < key { low = middle + 1 } else { high = middle }
    }
    return low < keys.count ? low : nil
  }

  var invalids: [InvalidItem] { keys.compactMap(invalid) + misnamedFiles.map(\.invalid) }
}
