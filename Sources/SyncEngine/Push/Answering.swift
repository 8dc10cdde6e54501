import SyncModel

extension ItemDisk where Self: RowDisk & JournalDisk {
  /// Takes over to an item what the server's answer to its write has changed in it or beside it.
  ///
  /// An edit made meanwhile stays. The base is the caller's, after the item, whose key
  /// is the row's.
  ///
  /// - Returns: Whether that is done; not where the item can't be read, was moved, or is saved all the
  ///   time. Over the row as its base it would look as if its user had removed what the answer adds.
  mutating func takeAnswer(
    _ row: Row, to intent: Intent, at key: ItemKey
  ) throws -> Bool {
    guard intent.kind != .delete else { return true }
    let sent = try sent(by: intent, answeredBy: row)
    // Whatever was edited meanwhile, there is nothing to add to it.
    if row.item == sent { return true }
    for _ in 0..<8 {
      let client = try client(key)
      guard case .item(let item, let digest) = client else {
        return try client == .absent && moved(key) == nil
      }
      let merged = FieldMerge(
        base: sent, client: item, server: row.item, policy: MergePolicy(.client)
      ).item()
      guard merged != item else { return true }
      let outcome = try write(merged, to: key, expecting: digest)
      if outcome != .changedMeanwhile { return true }
    }
    return false
  }

  /// Moves a new item, as it is now, to the id that the server gave its row.
  ///
  /// The file of the former name goes to the trash. What was cut off is finished by doing it again.
  ///
  /// - Returns: Whether that is done; not where the item's file can't be read or was moved by hand, and
  ///   where the place holds another item, which may be about to get an id of its own. It waits then.
  mutating func rename(
    _ former: ItemKey, to key: ItemKey
  ) throws -> Bool {
    var written: Digest?
    for _ in 0..<8 {
      guard case .item(let item, let digest) = try client(former) else {
        return try client(former) == .absent && moved(former) == nil
      }
      let place = try client(key)
      if place == .absent || (written != nil && place.digest == written) {
        guard case .replaced(let now) = try write(item, to: key, expecting: place.digest) else {
          continue
        }
        written = now
      } else if place.item != item {
        return false
      }
      if try write(nil, to: former, expecting: digest) != .changedMeanwhile { return true }
    }
    return false
  }

  /// Returns what a write has brought to the server, by its answer; a field that the answer lacks isn't
  /// there, and stays a change of the item's.
  func sent(by intent: Intent, answeredBy row: Row) throws -> Item? {
    let former = try base(of: intent.key).row?.item
    if intent.kind == .undelete {
      // The request may have carried the item, or not, and then the row is as the tombstone was.
      let values = row.item.values
      let isCarried = Change(from: former, to: intent.item).fields.allSatisfy {
        values[$0.name] != $0.old
      }
      if !isCarried { return former }
    }
    var sent = intent.item
    for name in WriteAnswer(row, to: intent, over: former).dropped { sent?.fields[name] = nil }
    return sent
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
