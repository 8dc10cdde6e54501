import SyncEngine
import SyncModel
import Workspace

extension Session {
  /// Returns the items with a waiting row that their files no longer hold back.
  func waiting() throws -> [ItemKey] {
    let journal = workspace.journal
    return try tables.flatMap { table -> [ItemKey] in
      let arrivals = try workspace.arrivals(in: table)
      // The next pull applies the rows of a stopped one.
      let stopped = arrivals.isEmpty ? [] : Set(try workspace.uncommitted(in: table))
      return try arrivals.map(\.id).filter { !stopped.contains($0) }.map { ItemKey(table, $0) }
        .filter { key in
          try journal.conflicts[key] == nil && workspace.attempt(of: key) == nil
            && workspace.client(key).item != nil
        }
    }.sorted()
  }

  /// Warns of waiting rows, with the command that applies each; `nil` means all items.
  func showWaiting(_ keys: Set<ItemKey>?, to printer: Printer) throws {
    for key in try waiting() where keys?.contains(key) ?? true {
      let change = try Operation(
        key: key, client: workspace.client(key).item, base: workspace.base(of: key))
      // What has another id at the server is moved there by a push.
      let isMoved = try workspace.arrival(of: key)?.was != nil
      let way: Hint =
        change == nil && !isMoved ? "\(typed: "restore", "\(key)")" : "\(typed: "push")"
      printer.warn("a newer row of \(key) waits; to apply it: \(way)" as Hint)
    }
  }
}
