package import SyncModel

extension RowDisk {
  /// Returns the value that a field or a member has in the first row of a table that has one, other than an empty
  /// text; `nil` where none has.
  package func value(of field: Text, in table: TableName) throws -> JSON? {
    for id in try liveIDs(in: table).sorted() {
      if let json = try base(of: ItemKey(table, id)).item?.value(named: field), json != "" {
        return json
      }
    }
    return nil
  }
}

extension RowDisk {
  /// Returns what sets the token of a table's ids back to the oldest of the rows that a push has read and
  /// that weren't known: no query has brought them, so that they may have to leave.
  func askingAgain(after facts: [Fact], in table: TableName) throws -> [Fact] {
    let feed = Feed.ids(of: table)
    guard let token = try state(of: feed.table).tokens[feed]?.timestamp else { return [] }
    let rows = try facts.compactMap(\.row).filter {
      try !$0.deleted && base(of: ItemKey(table, $0.id)).item == nil
    }
    let oldest = rows.compactMap(\.updatedAt).min()
    guard let oldest, oldest < token else { return [] }
    return [.token(feed, DeltaToken(oldest.text))]
  }
}

extension ItemDisk where Self: RowDisk {
  /// Ends the tokens of a table's feeds that no pull asks for any more, with the filters that they had: what
  /// leaves meanwhile, they would never bring back.
  ///
  /// The rows that only they have brought are still to leave, so that all ids are candidates. Of a part of the
  /// queries nothing is known of the others.
  mutating func endTokens(in table: TableName, but feeds: [Feed], isPart: Bool) throws {
    let ids = Feed.ids(of: table)
    let isQueried = feeds.contains { $0.query != nil }
    let over = try self.state(of: table).feeds.filter { known in
      !feeds.contains(known) && !(known == ids && isQueried)
        && (!isPart || feeds.contains { $0.query == known.query })
    }
    guard !over.isEmpty else { return }
    try append((over + [ids]).map { .token($0, nil) }, to: table, durably: false)
  }

  /// Returns those of the items that have left which can go: their files are as their rows, or are gone.
  package func leaving(in table: TableName) throws -> [ItemID] {
    try state(of: table).left.sorted().filter { id in
      let key = ItemKey(table, id)
      guard try isSettled(key), try !isRemoved(key) else { return false }
      let client = try client(key)
      if client == .absent { return try moved(key) == nil }
      return try client.item != nil && client.item == base(of: key).item
    }
  }

  /// Lets items that have left go: their files, then what is known of their rows.
  ///
  /// The server keeps the rows. While an item has left and is there, that its file is missing is no delete.
  mutating func letGo(_ ids: [ItemID], of table: TableName) throws -> [Event] {
    guard !ids.isEmpty else { return [] }
    var events: [Event] = []
    var over: [Fact] = []
    var changes: [FileChange] = []
    for id in ids {
      let key = ItemKey(table, id)
      let client = try client(key)
      if try client == .absent || client.item == base(of: key).item {
        changes.append(FileChange(key, to: nil, expecting: client.digest))
      }
    }
    for (change, outcome) in zip(changes, try write(changes)) {
      let (key, item) = (change.key, try base(of: change.key).item)
      switch outcome {
      case .changedMeanwhile: break
      case .unwritable: events.append(Event(key, .held, item: item, hold: .unwritable))
      case .replaced:
        if let item { events.append(Event(key, .left, item: item)) }
        over.append(.forgot(key.id))
      }
    }
    // Some may have been missing before.
    try synchronize([], in: table)
    try append(over, to: table, durably: true)
    return events
  }
}
