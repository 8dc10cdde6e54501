import SyncEngine
import SyncModel
import Workspace

extension Session {
  func inventory() throws -> Inventory {
    try Inventory(of: Survey(of: tables, on: workspace), on: workspace)
  }

  func lookup(_ inventory: Inventory) -> ItemLookup {
    ItemLookup(
      inventory: inventory, workspace: workspace, titleField: configuration.titleField,
      directory: context.invocation.directory)
  }

  func names(of keys: some Sequence<ItemKey>, _ inventory: Inventory) -> ItemNames {
    ItemNames(
      for: keys, among: inventory.keys, showsTable: tables.count > 1,
      titleField: configuration.titleField)
  }

  func names(of keys: [ItemKey]) throws -> ItemNames { try names(of: keys, on: rehearsed) }

  /// Returns the names of items that may be gone here, among all rows of their tables.
  func names(of keys: [ItemKey], on disk: some RowDisk) throws -> ItemNames {
    try ItemNames(
      for: keys, showsTable: tables.count > 1, on: disk, titleField: configuration.titleField)
  }

  var settings: Settings {
    let policies = tables.map { ($0, configuration.policy(of: $0)) }
    return Settings(policies: Dictionary(uniqueKeysWithValues: policies), now: context.now)
  }

  /// Returns a conflict as it is now.
  func conflict(_ key: ItemKey) throws -> Conflict {
    try Resolve(settings: settings).current(key, on: rehearsed)
  }

  /// Returns the path of an item's file, relative to `.todosync`.
  func place(of key: ItemKey) throws -> String {
    let path = try workspace.path(of: key)
    return PathName.part(of: path, below: "\(workspace.path)/.todosync") ?? path
  }

  /// Returns the names of the directories below `items` that are no table of the workspace.
  func unknownDirectories() throws -> [String] {
    let found = try workspace.directories()
    return found.tables.filter { !configuration.tables.contains($0) }.map(\.description)
      + found.others
  }

  /// Returns the tables with rows that have no directory, and how many items they lack, which no command
  /// has removed.
  func missingDirectories() throws -> [(table: TableName, items: Int)] {
    let found = try workspace.directories().tables
    return try tables.filter { !found.contains($0) }.map { table in
      let keys = try workspace.liveIDs(in: table).map { ItemKey(table, $0) }
      return (table, try keys.count { try !workspace.isRemoved($0) })
    }.filter { $0.1 > 0 }
  }

  /// Refuses if a table with rows has no directory: its items would look deleted.
  func requireDirectories() throws {
    try tables.forEach(workspace.checkDirectory)
    guard let (table, count) = try missingDirectories().first else { return }
    let place = "items/\(table)"
    throw Problem(
      .unsafe, "\(place: place) is missing",
      hints: [
        "to bring its items back: \(typed: "restore", "--missing")",
        "to delete them on the server: \(shell: "mkdir", places: [".todosync/\(place)"]) && \(typed: "push", "--max-delete", "\(count)")",
      ])
  }

  /// Returns a hint to pull if no pull of the table has reached its end: the server may have a row then.
  func pullHint(of key: ItemKey) throws -> [Hint] {
    guard configuration.remote != nil, try !workspace.state(of: key.table).isPulled else {
      return []
    }
    return ["if the server has one, to receive it: \(typed: "pull")"]
  }

  /// Whether the directory of the items is missing.
  var lacksItems: Bool {
    get throws {
      do {
        _ = try workspace.directories()
        return false
      } catch WorkspaceError.missing {
        return true
      }
    }
  }
}

extension Configuration {
  /// Returns the tables that words name, or all.
  func tables(named words: [String]) throws -> [TableName] {
    let chosen = try words.map { try TableName(Text($0)) }
    if let unknown = chosen.first(where: { !tables.contains($0) }) {
      throw Problem.usage(
        "\(unknown) is not a table of this workspace",
        hints: ["its tables: \(tables.map(\.description).joined(separator: ", "))"])
    }
    return chosen.isEmpty ? tables : tables.filter(chosen.contains)
  }
}
