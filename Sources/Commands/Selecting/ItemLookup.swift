import SyncEngine
import SyncModel
import Workspace

/// Finds the items that references name: by the beginning of an id, a path, or a part of a title
/// (tsync(1), References).
struct ItemLookup {
  let inventory: Inventory
  let workspace: Workspace
  let titleField: Text?
  /// The current directory.
  let directory: String
  /// Finds removed items, for references by a part of an id or title.
  var removed: () throws -> [(key: ItemKey, item: Item)] = { [] }

  /// How many candidates an ambiguous reference lists.
  private static let listed = 10

  /// Returns each item once, as ``all(_:)`` does; throws for a file that can't be one.
  func items(_ words: [String]) throws -> [ItemKey] { try all(words).map { try $0.item() } }

  /// Returns each target once, in the order of the words; throws if a word fits none or several.
  func all(_ words: [String]) throws -> [Target] {
    var items: Set<ItemKey> = []
    var found: [Target] = []
    for word in words {
      let target = try one(word)
      let isNew = target.key.map { items.insert($0).inserted } ?? !found.contains(target)
      if isNew { found.append(target) }
    }
    return found
  }

  /// A word with a `/` is a path, unless the `/` follows a table's name.
  private func one(_ word: String) throws -> Target {
    let bytes = word.utf8
    if bytes.starts(with: ":/".utf8) {
      return try Target(titled(String(decoding: bytes.dropFirst(2), as: UTF8.self), word))
    }
    if let slash = bytes.firstIndex(of: UInt8(ascii: "/")) {
      let first = Text(String(word[..<slash]))
      if let table = inventory.survey.tables.first(where: { $0.text == first }) {
        let start = Text(String(word[bytes.index(after: slash)...]))
        return try Target(single(fitting(start, in: [table]), word))
      }
    } else if !PathName.has(word, suffix: FileName.suffix.string) {
      return try Target(single(fitting(Text(word), in: inventory.survey.tables), word))
    }
    if let target = try file(word) { return target }
    // An id may look like a path.
    if let keys = try? fitting(Text(word), in: inventory.survey.tables), keys.count == 1 {
      return Target(keys[0])
    }
    throw Problem.usage("no item has the file \(word)")
  }

  // MARK: Ids

  private func fitting(_ start: Text, in tables: [TableName]) throws -> [ItemKey] {
    guard !start.isEmpty else { throw Problem.usage("the item name is empty") }
    if let id = try? ItemID(start) {
      let whole = tables.map { ItemKey($0, id) }
      let here = whole.filter(inventory.contains)
      if !here.isEmpty { return here }
      // A deleted item is in no list, but has an id: a repeated command must not find another item
      // by the beginning of its id.
      let gone = try whole.filter(isGone)
      if !gone.isEmpty { return gone }
    }
    return try tables.flatMap { inventory.keys(beginningWith: start, in: $0) }
      + removed().map(\.key).filter { key in
        tables.contains(key.table) && !inventory.contains(key)
          && key.id.text.string.utf8.starts(with: start.string.utf8)
      }
  }

  private func isGone(_ key: ItemKey) throws -> Bool {
    try workspace.base(of: key) != .neverSeen
      || FileName.of(key.id) != nil && workspace.displaced(key) != nil
  }

  private func single(_ keys: [ItemKey], _ word: String) throws -> ItemKey {
    guard let first = keys.first else {
      throw Problem.usage(
        "no item matches '\(word)'",
        hints: Filter.isFilter(Text(word))
          ? ["this command takes references; to list what fits a filter: \(typed: "list", word)"]
          : [])
    }
    guard keys.count > 1 else { return first }
    var hints = try keys.prefix(Self.listed).map { key -> Hint in
      let item = try inventory.item(key, on: workspace) ?? workspace.displaced(key)
      return "  \(key)  \(ItemNames.shown(ItemNames.title(of: item, field: titleField)))"
    }
    if keys.count > Self.listed { hints.append("  and \(keys.count - Self.listed) more") }
    throw Problem.usage("'\(word)' matches \(keys.count) items", hints: hints)
  }

  // MARK: Titles

  private func titled(_ part: String, _ word: String) throws -> ItemKey {
    guard !part.utf8.isEmpty else { throw Problem.usage("':/' needs a text to search for") }
    let wanted = Array(part.lowercased().utf8)
    let items = try inventory.items(on: workspace) + removed()
    let fitting = items.filter { _, item in
      let title = ItemNames.title(of: item, field: titleField) ?? ""
      return Array(title.lowercased().utf8).contains(wanted)
    }
    return try single(fitting.map(\.key), word)
  }

  // MARK: Paths

  /// Returns the target of the path of an item's file, or of a side of a conflict.
  private func file(_ path: String) throws -> Target? {
    let sides = ConflictSide.allCases.map { ".\($0.rawValue)\(FileName.suffix)" }
    let suffixes = ["items": [FileName.suffix.string], "conflicts": sides]
    let root = "\(workspace.path)/.todosync"
    let absolute = PathName.absolute(path, in: directory)
    // JSON documents have paths relative to `.todosync`, and to its parent.
    let shown = [root, workspace.path].map { PathName.absolute(path, in: $0) }
    for path in [absolute, PathName.physical(absolute)] + shown {
      guard let place = PathName.part(of: path, below: root) else { continue }
      let parts = place.utf8.split(separator: UInt8(ascii: "/")).map { Text(String(Substring($0))) }
      guard parts.count == 3, let suffixes = suffixes[parts[0].string],
        let table = inventory.survey.tables.first(where: { $0.text == parts[1] })
      else { continue }
      return try target(place, suffixes, in: table)
    }
    return nil
  }

  private func target(
    _ place: String, _ suffixes: [String], in table: TableName
  ) throws -> Target? {
    guard let suffix = suffixes.first(where: { PathName.has(place, suffix: $0) }) else {
      return nil
    }
    let stem = PathName.split(place).name.utf8.dropLast(suffix.utf8.count)
    guard let id = try? FileName.id(of: Text(decoding: stem)) else {
      return inventory.misnamedFiles.first { $0.misnamedFile.map { Text($0.place) } == Text(place) }
    }
    let key = ItemKey(table, id)
    return try inventory.contains(key) || isGone(key) ? Target(key) : nil
  }
}
