import SyncEngine
import SyncModel
import Workspace

extension OpenWorkspace {
  /// Returns the items for which a row waits that their files held back, and hold back no longer.
  func waiting() throws -> [ItemKey] {
    let journal = workspace.journal
    return try tables.flatMap { table -> [ItemKey] in
      let rows = try workspace.incoming(in: table)
      // Those of a stopped pull are the next pull's.
      let stopped = rows.isEmpty ? [] : Set(try workspace.uncommitted(in: table))
      return try rows.map(\.id).filter { !stopped.contains($0) }.map { ItemKey(table, $0) }
        .filter { key in
          try journal.conflicts[key] == nil && journal.intents[key] == nil
            && workspace.client(key).item != nil
        }
    }.sorted()
  }

  /// Names those of some items for which a row waits, with the command that applies it.
  ///
  /// `nil` stands for all items.
  func tellWaiting(_ keys: Set<ItemKey>?, to output: Output) throws {
    for key in try waiting() where keys?.contains(key) ?? true {
      let change = try Operation(
        key: key, client: workspace.client(key).item, base: workspace.base(of: key))
      let way: Hint = change == nil ? "\(typed: "restore", "\(key)")" : "\(typed: "push")"
      output.warn("a newer row of \(key) waits; to apply it: \(way)" as Hint)
    }
  }
}
