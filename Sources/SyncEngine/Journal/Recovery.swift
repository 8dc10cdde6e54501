package import SyncModel

/// The recovery after an interrupted run, which needs no network.
///
/// A write whose outcome is unknown stays so: the next push settles it.
package enum Recovery {
  /// Recovers tables, at the start of every command that changes something.
  ///
  /// Each step can be cut off anywhere and done again.
  ///
  /// - Returns: What is to be told.
  package static func run(
    _ tables: [TableName], on disk: inout some Disk, settings: Settings
  ) throws -> [Event] {
    // What is acted upon now, such as that a write is closed and others' rows may be brought to its
    // item, may have been recorded a moment before its process was stopped.
    try disk.append([], durably: true)
    for (key, resolution) in disk.journal.resolutions.sorted(by: { $0.key < $1.key }) {
      if let torn = try disk.torn(key) {
        _ = try disk.write(resolution.item, to: key, expecting: torn.digest)
      }
      try disk.finish(resolution, of: key)
    }
    try finishResults(&disk)
    // What was edited or made since is its user's.
    for table in disk.journal.purges.sorted() { try disk.finishPurge(of: table, edits: false) }
    var events: [Event] = []
    for table in tables { events += try disk.takeArrivals(in: table, settings: settings) }
    return events
  }

  /// Takes over the answers that were recorded and not taken over.
  private static func finishResults(_ disk: inout some Disk) throws {
    let journal = disk.journal
    var facts: [TableName: [Fact]] = [:]
    var isWaiting = false
    var held: Set<ItemKey> = []
    for table in Set(journal.results.keys.map(\.table)).sorted() { try disk.append([], to: table, durably: true) }
    for (key, row) in journal.results.sorted(by: { $0.key < $1.key }) {
      guard let intent = journal.intents[key] else { continue }
      // A base that has moved on was set after this answer, and an answer that has arrived waits already.
      let base = try disk.base(of: key).row
      let open = try disk.arrival(of: ItemKey(key.table, row?.id ?? key.id))
      guard intent.isBased(on: base), open?.isMine != true else { continue }
      try disk.restoreTorn(key, to: intent.item)
      guard let row, intent.kind != .delete else {
        try disk.keepVanished(key, by: row)
        let gone = Row.gone(key.id, holding: base?.item ?? Item(JSONObject()))
        facts[key.table, default: []].append(.base(row ?? gone))
        continue
      }
      let key = ItemKey(key.table, row.id)
      guard try key == intent.key || disk.rename(intent.key, to: key) else {
        held.insert(intent.key)
        continue
      }
      let isTaken = try disk.takeAnswer(row, to: intent, at: key)
      let sent = try disk.sent(by: intent, answeredBy: row) ?? Item(JSONObject())
      // What was pulled since would go when the answer becomes the base.
      let newer = open.flatMap { $0.row == row ? nil : $0.row }
      isWaiting = isWaiting || !isTaken || newer != nil
      if isTaken { facts[key.table, default: []].append(.base(row)) }
      if !isTaken || newer != nil {
        facts[key.table, default: []].append(
          .arrived(
            Arrival(newer ?? row, over: isTaken ? nil : sent, isMine: newer == nil)))
      }
    }
    // The process that was stopped may have written the items.
    if !facts.isEmpty { try disk.settle(afresh: true) }
    for (table, facts) in facts { try disk.append(facts, to: table, durably: true) }
    let results = journal.results.filter { !held.contains($0.key) }.sorted { $0.key < $1.key }
    try disk.noteArrivals(
      results.compactMap { key, row in journal.intents[key].map { ($0, row) } })
    let closings = results.flatMap { key, _ in
      journal.intents[key].map(disk.journal.closings) ?? [.closed(.operation(key))]
    }
    // Rows that wait are brought to their items next, whose writes are closed before.
    if !closings.isEmpty { try disk.append(closings, durably: isWaiting) }
  }
}

extension ItemDisk {
  /// Returns what a power loss left of an item; `nil` where it left it whole.
  fileprivate func torn(_ key: ItemKey) throws -> TornItem? {
    guard case .invalid(let invalid) = try client(key) else { return nil }
    return invalid.torn
  }

  /// Undoes a write that a power loss has torn, so that it is decided upon anew: the item becomes what
  /// the write had displaced, or where that isn't known, `former`.
  mutating func restoreTorn(_ key: ItemKey, to former: Item?) throws {
    guard let torn = try torn(key) else { return }
    _ = try write(torn.displaced ?? former, to: key, expecting: torn.digest)
  }
}
