import SyncEngine
import SyncModel
import Workspace

/// All items of some tables, those with changes and those without.
struct Inventory {
  /// The items that may differ from their bases.
  let survey: Survey
  /// The items that exist here or on the server, ordered by table and id.
  let keys: [ItemKey]

  init(of survey: Survey, on disk: some RowDisk) throws {
    var keys = Set(survey.clients.lazy.filter { $0.value != .absent }.map(\.key))
    for table in survey.tables {
      keys.formUnion(try disk.liveIDs(in: table).map { ItemKey(table, $0) })
    }
    // An item with an open conflict or write exists, even if it has neither a file nor a row.
    keys.formUnion(
      survey.entries.filter { [.conflict, .unknown].contains($0.group) }.compactMap(\.key))
    (self.survey, self.keys) = (survey, keys.sorted())
  }

  /// Invalid files without an id in their names.
  var misnamedFiles: [Target] {
    survey.entries.compactMap { entry in
      entry.key == nil ? entry.invalid.map { Target($0, in: entry.table) } : nil
    }
  }

  /// Returns the item in the file, or the base if they are equal.
  ///
  /// Before a change the item is read again, because its digest is not known here.
  func item(_ key: ItemKey, on disk: some Disk) throws -> Item? {
    if let file = survey.clients[key] { return file.item }
    return try disk.base(of: key).item
  }

  func items(on disk: some Disk) throws -> [(key: ItemKey, item: Item)] {
    try keys.compactMap { key in try item(key, on: disk).map { (key, $0) } }
  }

  var counts: [TableName: Int] {
    keys.reduce(into: [:]) { $0[$1.table, default: 0] += isAbsent($1) ? 0 : 1 }
  }

  func invalid(_ key: ItemKey) -> InvalidItem? {
    guard case .invalid(let invalid)? = survey.clients[key] else { return nil }
    return invalid
  }

  /// Whether an item has no file, but a row, an open conflict or an open write.
  func isAbsent(_ key: ItemKey) -> Bool { survey.clients[key] == .absent }

  /// Returns removed items as ``Restoration`` would bring them back, and those that were renamed.
  func removed(_ workspace: Workspace) throws -> [ItemKey: Item] {
    var items: [ItemKey: Item] = [:]
    for table in survey.tables {
      let marks = try workspace.state(of: table).marks
      let newest = try workspace.displaced(in: table, newestOnly: true) { !isHere($0) }
      let older = try workspace.displaced(in: table) { !isHere($0) && newest[$0] == nil }
      let absent = keys.filter { $0.table == table && !isHere($0) }
      for key in Set(absent + newest.keys + older.keys)
      where try marks[key.id]?.after == nil && !workspace.isInConflict(key) {
        items[key] = try workspace.lostItem(key) { $0 ? newest[key] : older[key] }
      }
    }
    return items
  }

  func isHere(_ key: ItemKey) -> Bool { contains(key) && !isAbsent(key) }

  func contains(_ key: ItemKey) -> Bool {
    let place = keys.sortedIndex(of: key)
    return place < keys.count && keys[place] == key
  }

  func keys(beginningWith start: Text, in table: TableName) -> ArraySlice<ItemKey> {
    guard let id = try? ItemID(start) else { return [] }
    return keys[keys.sortedIndex(of: ItemKey(table, id))...].prefix {
      $0.table == table && $0.id.text.string.utf8.starts(with: start.string.utf8)
    }
  }

  var invalids: [InvalidItem] {
    keys.compactMap(invalid) + misnamedFiles.compactMap(\.misnamedFile)
  }
}

extension Array where Element: Comparable {
  /// Returns the index of the first element of a sorted array that isn't before another.
  func sortedIndex(of element: Element) -> Int {
    indices.partitioningIndex { self[$0] >= element }
  }
}

extension Range<Int> {
  /// Returns the first number from which on a condition holds; the end where it holds for none.
  func partitioningIndex(where belongs: (Int) -> Bool) -> Int {
    var (low, high) = (lowerBound, upperBound)
    while low < high {
      let middle = (low + high) / 2
      if belongs(middle) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
