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
    guard try workspace.journal.conflicts[key] == nil && workspace.attempt(of: key) == nil,
      try !workspace.removes(arrival, in: table)
    else { return false }
    switch try workspace.client(key) {
    case .invalid: return false
    case .item: return true
    // A missing directory throws here, and is reported elsewhere.
    case .absent: return (try? workspace.moved(key)) == nil
    }
  }

  /// Warns of waiting rows, with the command that applies them; `nil` means those of all items.
  func showWaiting(_ keys: Set<ItemKey>?, to printer: Printer) throws {
    for table in tables {
      let arrivals = try workspace.waitingArrivals(in: table)
        .filter { keys?.contains(ItemKey(table, $0.id)) ?? true }
      let ready = try arrivals.filter { try isReady($0, in: table) }
      if let first = ready.first {
        let fact: Hint =
          ready.count == 1
          ? "a newer row of \(ItemKey(table, first.id)) waits; to apply it"
          : "\(ready.count) newer rows of \(table) wait; to apply them"
        printer.warn("\(fact): \(typed: "pull")" as Hint)
      }
      let deletes = try arrivals.count { try workspace.removes($0, in: table) }
      if deletes > 0 {
        let fact: Hint =
          deletes == 1
          ? "a delete of \(table) waits; to accept it"
          : "\(deletes) deletes of \(table) wait; to accept them"
        printer.warn("\(fact): \(typed: "pull", "--max-delete", "\(deletes)")" as Hint)
      }
    }
  }
}
