import SyncModel

// A table's first items, which take their places together.
extension ItemDisk where Self: RowDisk {
  /// Whether nothing is known of a table and nothing is open, so that its live rows are new items,
  /// whatever they say.
  func isUnknown(_ table: TableName) throws -> Bool {
    let state = try state(of: table)
    return try state.laid.isEmpty && state.marks.isEmpty && !state.isPulled
      && liveCount(in: table) == 0
      && tombstoneIDs(in: table).isEmpty && arrivals(in: table).isEmpty
      && attempts(in: table).isEmpty && rejectedIDs(in: table).isEmpty
  }

  /// Makes bases of all open arrivals, whose items are in their places and safe.
  ///
  /// With `isTold` the events are in order and have the items.
  mutating func takeFirst(in table: TableName, isTold: Bool) throws -> TakenArrivals {
    try append([.taken(but: [])], to: table, durably: true)
    let ids = try liveIDs(in: table)
    return TakenArrivals(
      events: try (isTold ? ids.sorted() : ids).map { id in
        let key = ItemKey(table, id)
        return Event(key, .added, item: isTold ? try base(of: key).item : nil)
      })
  }
}
