import SyncEngine
import SyncModel
import Workspace

extension Session {
  /// Returns the items with a waiting row that their files no longer hold back.
  func waiting() throws -> [ItemKey] {
    try tables.flatMap { table in
      try workspace.arrivals(in: table).filter { arrival in
        try workspace.client(ItemKey(table, arrival.id)).item != nil && isReady(arrival, in: table)
      }.map { ItemKey(table, $0.id) }
    }.sorted()
  }

  /// Whether the next command that writes brings a row to its item.
  private func isReady(_ arrival: Arrival, in table: TableName) throws -> Bool {
    let key = ItemKey(table, arrival.id)
    return try !workspace.isInConflict(ItemKey(table, arrival.row.id))
      && workspace.attempt(of: key) == nil && !workspace.removes(arrival, in: table)
      && !isHeldBack(key)
  }

  /// Whether a file keeps rows from an item; that a directory is missing is reported elsewhere.
  private func isHeldBack(_ key: ItemKey) -> Bool {
    (try? workspace.obstacle(to: key)) != nil
  }

  /// Warns of items that a pull removes, with the command that does it.
  private func show(
    _ fact: String, _ count: Int, of table: TableName, to printer: Printer
  ) throws {
    let live = try workspace.liveCount(in: table)
    let measured = try min(live, workspace.state(of: table).measure ?? .max)
    let way =
      count > Guards.removals(of: measured, among: live)
      ? ["pull", "--max-delete", "\(count)"] : ["pull"]
    printer.warn("\(fact); to remove the \(count == 1 ? "file" : "files"): \(typed: way)" as Hint)
  }

  /// Warns of waiting rows, with the command that applies them; `nil` means those of all items.
  func showWaiting(_ keys: Set<ItemKey>?, to printer: Printer) throws {
    for table in tables {
      let all = try workspace.waitingArrivals(in: table)
      let arrivals = all.filter { keys?.contains(ItemKey(table, $0.id)) ?? true }
      let ready = try arrivals.filter { try isReady($0, in: table) }
      if let first = ready.first {
        let fact: Hint =
          ready.count == 1
          ? "a newer row of \(ItemKey(table, first.id)) waits; to apply it"
          : "\(ready.count) newer rows of \(table) wait; to apply them"
        printer.warn("\(fact): \(typed: "pull")" as Hint)
      }
      let leaving = try workspace.leaving(in: table).count
      if leaving > 0 {
        let fact = "\(counted(leaving, "item")) of \(table) left its queries"
        try show(fact, leaving, of: table, to: printer)
      }
      guard try arrivals.contains(where: { try workspace.removes($0, in: table) }) else { continue }
      let deletes = try all.count {
        try workspace.removes($0, in: table) && !isHeldBack(ItemKey(table, $0.id))
      }
      if deletes > 0 {
        let fact = "the server has deleted \(counted(deletes, "item")) of \(table)"
        try show(fact, deletes, of: table, to: printer)
      }
    }
  }
}
