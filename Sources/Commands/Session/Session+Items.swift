import SyncEngine
import SyncModel
import Workspace

extension Session {
  func inventory() throws -> Inventory { try Inventory(of: tables, on: workspace) }

  func lookup(_ inventory: Inventory) -> ItemLookup {
    ItemLookup(
      inventory: inventory, workspace: workspace, names: names(of: inventory.keys, inventory),
      directory: context.invocation.directory)
  }

  func names(of keys: some Sequence<ItemKey>, _ inventory: Inventory) -> ItemNames {
    ItemNames(
      for: keys, among: inventory.keys, showsTable: tables.count > 1,
      titleField: configuration.titleField)
  }

  var settings: Settings { configuration.settings(for: tables, now: context.now) }

  /// Returns a conflict as it is now.
  mutating func conflict(_ key: ItemKey) throws -> Conflict {
    let session = self
    return try session.conflict(key, &claims)
  }

  func conflict(_ key: ItemKey, _ claims: inout Claims) throws -> Conflict {
    try Resolve(settings: configuration.settings(for: [key.table], now: 0)).current(
      key, on: workspace, claims: &claims)
  }
}

extension Configuration {
  func settings(for tables: [TableName], now: Int64) -> Settings {
    Settings(
      policies: Dictionary(uniqueKeysWithValues: tables.map { ($0, policy(of: $0)) }), now: now)
  }

  /// Returns the tables that words name, or all.
  func tables(named words: [String]) throws -> [TableName] {
    let chosen = try words.map { word -> TableName in
      let name = try TableName(Text(word))
      guard tables.contains(name) else {
        throw Failure.usage(
          "\(name) is not a table of this workspace",
          hints: ["its tables: \(tables.map(\.description).joined(separator: ", "))"])
      }
      return name
    }
    return chosen.isEmpty ? tables : tables.filter(chosen.contains)
  }
}
