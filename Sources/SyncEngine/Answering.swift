import SyncModel

extension ItemDisk where Self: RowDisk & JournalDisk {
  /// Takes over to an item what the server's answer to its write has changed in it or beside it.
  ///
  /// An edit made meanwhile stays (decisions.md 4). The base is the caller's, after the item.
  ///
  /// - Returns: Whether that is done; not where the item can't be read, was moved, or is saved all the
  ///   time. Over the row as its base it would look as if its user had removed what the answer adds.
  mutating func takeAnswer(
    _ row: Row, to intent: Intent, claims: inout Claims
  ) throws -> Bool {
    guard intent.kind != .delete else { return true }
    let sent = try sent(by: intent, answeredBy: row)
    // Whatever was edited meanwhile, there is nothing to add to it.
    if row.item == sent { return true }
    for _ in 0..<8 {
      let client = try client(intent.key)
      guard case .item(let item, let digest) = client else {
        return try client == .absent && moved(intent.key, &claims) == nil
      }
      let merged = FieldMerge(
        base: sent, client: item, server: row.item, policy: MergePolicy(.client)
      ).item
      guard merged != item else { return true }
      let outcome = try write(merged, to: intent.key, expecting: digest)
      if outcome != .changedMeanwhile { return true }
    }
    return false
  }

  /// Returns what a write has brought to the server, by its answer.
  func sent(by intent: Intent, answeredBy row: Row) throws -> Item? {
    guard intent.kind == .undelete else { return intent.item }
    // The request may have carried the item, or not, and then the row is as the tombstone was.
    let former = try base(of: intent.key).row?.item
    let values = row.item.values
    let isCarried = Change(from: former, to: intent.item).fields.allSatisfy {
      values[$0.name] != $0.old
    }
    return isCarried ? intent.item : former
  }

  /// Notes that nothing waits any more for what writes have brought to the server; before they are
  /// closed, so that what is cut off is done again.
  mutating func noteArrivals(_ writes: [(intent: Intent, row: Row?)]) throws {
    guard !journal.successors.isEmpty else { return }
    let arrivals = try writes.flatMap { intent, row -> [JournalRecord] in
      // An undelete may have brought back no more than what was deleted.
      guard try intent.kind != .undelete || client(intent.key).item == row?.item else { return [] }
      return intent.kind == .delete ? [] : journal.arrivals(of: intent.key)
    }
    if !arrivals.isEmpty { try append(arrivals, durably: false) }
  }
}
