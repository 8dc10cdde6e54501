package import SyncEngine
package import SyncModel

extension RowDisk {
  /// Makes rows the bases of their items.
  package mutating func setBase(_ rows: [Row], in table: TableName, durably: Bool = true) throws {
    try append(rows.map { .base($0) }, to: table, durably: durably)
  }

  /// Lets rows arrive.
  package mutating func bring(_ rows: [Row], to table: TableName) throws {
    try append(rows.map { .arrived(Arrival($0)) }, to: table, durably: true)
  }

  /// Makes the open arrivals bases, but some, and moves the token.
  package mutating func take(
    in table: TableName, but ids: Set<ItemID> = [], token: DeltaToken? = nil
  ) throws {
    let taken = Fact.taken(but: ids)
    try append(
      token.map { [taken, .token(Feed(table), $0)] } ?? [taken], to: table, durably: true)
  }

  /// Returns how far the pulls of a whole table have come.
  package func token(of table: TableName) throws -> DeltaToken? { try token(of: Feed(table)) }

  /// Returns how far the pulls of a feed have come.
  package func token(of feed: Feed) throws -> DeltaToken? {
    try state(of: feed.table).tokens[feed]
  }
}

extension Pull {
  /// Pulls one feed.
  package func run(
    _ feed: Feed, full: Bool = false, on disk: inout some Disk, from backend: inout some Backend,
    report: inout PullReport
  ) throws {
    var reports = [report]
    defer { report = reports[0] }
    try run([feed], full: full, on: &disk, from: &backend, reports: &reports)
  }
}

extension Backend {
  /// Brings the rows of a whole table.
  package mutating func pages(
    of table: TableName, from token: DeltaToken?, each: (Page) throws -> Bool
  ) throws {
    try pages(of: Feed(table), from: token, each: each)
  }
}
