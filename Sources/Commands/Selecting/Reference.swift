import SyncEngine
import SyncModel
import Workspace

/// A name for an item: a prefix of its id, a path, or a part of its title (tsync(1), References).
enum Reference: Equatable {
  /// A prefix of an id, in one table or in any.
  case id(Text, in: TableName?)
  /// A path, as it was typed.
  case path(String)
  case title(String)

  /// Parses a word; with a `/` that doesn't follow a table's name, it is a path.
  init(_ word: String, tables: [TableName]) {
    let bytes = word.utf8
    if bytes.starts(with: ":/".utf8) {
      self = .title(String(decoding: bytes.dropFirst(2), as: UTF8.self))
      return
    }
    guard let slash = bytes.firstIndex(of: UInt8(ascii: "/")) else {
      self =
        PathName.has(word, suffix: FileName.suffix.string) ? .path(word) : .id(Text(word), in: nil)
      return
    }
    let first = Text(String(word[..<slash]))
    let rest = String(word[bytes.index(after: slash)...])
    if let table = tables.first(where: { $0.text == first }) {
      self = .id(Text(rest), in: table)
    } else {
      self = .path(word)
    }
  }
}

/// The target of a reference: an item, or a file that can't be an item.
struct Target: Equatable {
  /// `nil` if the file's name has no id.
  let key: ItemKey?
  /// The file that can't be an item; `nil` for an item.
  let misnamedFile: InvalidItem?
  let table: TableName
}

/// Finds the targets of references in a workspace.
struct ItemLookup {
  let inventory: Inventory
  let workspace: Workspace
  let names: ItemNames
  /// The current directory.
  let directory: String
  /// Finds removed items, for references by a part of an id or title.
  var removed: () throws -> [(key: ItemKey, item: Item)] = { [] }

  /// How many candidates an ambiguous reference lists.
  private static let listed = 10

  /// Returns each item once, as ``all(_:)`` does; throws for a file that can't be one.
  func items(_ words: [String]) throws -> [ItemKey] {
    try all(words).map { target in
      if let key = target.key { return key }
      throw Failure(invalid: target.misnamedFile, .usage)
    }
  }

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

  private func one(_ word: String) throws -> Target {
    switch Reference(word, tables: inventory.tables) {
    case .id(let start, let table): return try Target(named(start, in: table, word))
    case .title(let part): return try Target(titled(part, word))
    case .path(let path):
      if let target = try file(path) { return target }
      // An id may look like a path.
      if let keys = try? fitting(Text(word), in: nil), keys.count == 1 { return Target(keys[0]) }
      throw Failure.usage("no item has the file \(path)")
    }
  }

  // MARK: Ids

  private func named(_ start: Text, in table: TableName?, _ word: String) throws -> ItemKey {
    guard !start.isEmpty else { throw Failure.usage("the item name is empty") }
    return try single(try fitting(start, in: table), word)
  }

  private func fitting(_ start: Text, in table: TableName?) throws -> [ItemKey] {
    let tables = table.map { [$0] } ?? inventory.tables
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
    guard let first = keys.first else { throw Failure.usage("no item matches '\(word)'") }
    guard keys.count > 1 else { return first }
    var hints = try keys.prefix(Self.listed).map { key -> Hint in
      let title = names.title(
        of: try inventory.item(key, on: workspace) ?? workspace.displaced(key))
      return "  \(key)  \(ItemNames.shown(title))"
    }
    if keys.count > Self.listed { hints.append("  and \(keys.count - Self.listed) more") }
    throw Failure.usage("'\(word)' matches \(keys.count) items", hints: hints)
  }

  // MARK: Titles

  private func titled(_ part: String, _ word: String) throws -> ItemKey {
    guard !part.utf8.isEmpty else { throw Failure.usage("':/' needs a text to search for") }
    let wanted = Array(part.lowercased().utf8)
    let items = try inventory.items(on: workspace) + removed()
    return try single(
      items.filter { _, item in
        guard let title = names.title(of: item) else { return false }
        return Array(title.lowercased().utf8).contains(wanted)
      }.map(\.key), word)
  }

  // MARK: Paths

  private func file(_ path: String) throws -> Target? {
    let absolute = PathName.absolute(path, in: directory)
    // Messages show places relative to `.todosync`, and hints relative to its parent.
    let root = try inventory.tables.first.map { try Places(of: $0, in: workspace).root }
    let roots = root.map { [$0, PathName.split($0).directory] } ?? []
    let shown = roots.map { PathName.absolute(path, in: $0) }
    for path in [absolute, PathName.physical(absolute)] + shown {
      let (directory, name) = PathName.split(path)
      for table in inventory.tables {
        let places = try Places(of: table, in: workspace)
        if Text(directory) == Text(places.items) { return try item(name, table) }
        if Text(directory) == Text(places.conflicts) { return try conflict(name, table) }
      }
    }
    return nil
  }

  private func item(_ name: String, _ table: TableName) throws -> Target? {
    guard PathName.has(name, suffix: FileName.suffix.string) else { return nil }
    let stem = Text(
      String(decoding: name.utf8.dropLast(FileName.suffix.bytes.count), as: UTF8.self))
    if let id = try? FileName.id(of: stem) { return try known(ItemKey(table, id)) }
    let misnamedFile = inventory.misnamedFiles.first {
      $0.table == table && PathName.has($0.invalid.place, suffix: "/\(name)")
    }
    return misnamedFile.map { Target(key: nil, misnamedFile: $0.invalid, table: table) }
  }

  private func conflict(_ name: String, _ table: TableName) throws -> Target? {
    for side in ConflictSide.allCases {
      let suffix = ".\(side.rawValue)\(FileName.suffix)"
      guard PathName.has(name, suffix: suffix) else { continue }
      let stem = Text(String(decoding: name.utf8.dropLast(suffix.utf8.count), as: UTF8.self))
      return try (try? FileName.id(of: stem)).flatMap { try known(ItemKey(table, $0)) }
    }
    return nil
  }

  private func known(_ key: ItemKey) throws -> Target? {
    try inventory.contains(key) || isGone(key) ? Target(key) : nil
  }
}

extension Target {
  init(_ key: ItemKey) {
    self.init(key: key, misnamedFile: nil, table: key.table)
  }
}

/// The directories of a table's files.
private struct Places {
  let items, conflicts: String

  /// The directory `.todosync`.
  var root: String { PathName.split(PathName.split(items).directory).directory }

  init(of table: TableName, in workspace: Workspace) throws {
    let key = ItemKey(table, try ItemID("x"))
    items = PathName.split(try workspace.path(of: key)).directory
    conflicts = PathName.split(try workspace.path(of: key, .client)).directory
  }
}
