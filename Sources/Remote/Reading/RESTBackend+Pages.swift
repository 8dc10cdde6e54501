package import SyncEngine
package import SyncModel

extension RESTBackend {
  package mutating func pages(
    of feed: Feed, from token: DeltaToken?, each: (Page) throws -> Bool
  ) throws {
    let table = feed.table
    let start = token?.timestamp
    if token != nil, start == nil {
      exchange.dependencies.notice(
        "the delta token of \(table) is not a time: reading all rows again")
    }
    guard try hasTimes(table) else {
      // Of ids nothing tells how far they have come.
      guard !feed.isIDs else { return }
      let isNumber = facts.tables[table]?.makesIDs == true
      return try follow(PullCursor(byNumbers: isNumber, top: pageSize(of: table)), of: feed, each)
    }
    if feed.isIDs, start == nil { return try begin(feed, each) }
    try follow(cursor(from: start, in: table), of: feed, each)
  }

  private func pageSize(of table: TableName) -> Int {
    min(settings.pageSize, facts.tables[table]?.pageSize ?? .max)
  }

  func cursor(from start: Timestamp?, in table: TableName) -> PullCursor {
    PullCursor(
      from: start, top: pageSize(of: table),
      overlap: max(0, settings.overlapSeconds ?? (facts.commitsInOrder ? 0 : 120)),
      inOrder: facts.commitsInOrder && facts.dialect.tellsMore)
  }

  /// Follows a cursor to its end; a page is handed out while the next one is under way.
  ///
  /// A page that is refused for its size, whose time is up, or on which the server fails, is asked for
  /// again in half the size; only the refusal says what the table gives another time. A single row on
  /// which the server fails is passed over.
  private mutating func follow(
    _ cursor: PullCursor, of feed: Feed, _ each: (Page) throws -> Bool
  ) throws {
    let table = feed.table
    var cursor = cursor
    var refused: Int?
    var ready: Page?
    func handOut() throws {
      guard let page = ready else { return }
      ready = nil
      guard try each(page) else { throw Enough() }
    }
    do {
      while let range = cursor.range {
        let reply: ListReply
        do {
          reply = try exchange.list(
            range, of: feed, facts.dialect, top: cursor.top, skip: cursor.skip,
            counts: cursor.requests == 0, failures: 2
          ) { try handOut() }
        } catch let stop as Stop {
          try handOut()
          guard exchange.hasTimedOut, cursor.halve() else { throw stop }
          continue
        }
        try handOut()
        switch reply {
        case .refused(let answer) where answer.status == 500:
          guard cursor.halve(forGood: false) || cursor.passOver() else {
            throw try exchange.end(for: answer, of: feed, facts.dialect)
          }
        case .refused(let answer):
          guard cursor.requests == 0, [400, 413].contains(answer.status), cursor.halve() else {
            throw try exchange.end(for: answer, of: feed, facts.dialect)
          }
          refused = cursor.top
        case .page(let page):
          if let size = refused { facts.tables[table, default: TableFacts()].pageSize = size }
          if cursor.requests == 0, cursor.isWhole { try check(page, of: feed) }
          guard cursor.requests == 0, isAhead(range, page, of: feed) else {
            ready = try cursor.take(page)
            ready?.isLast = cursor.range == nil
            if cursor.range == nil { try count(&cursor, of: feed, &ready) }
            continue
          }
          exchange.dependencies.notice(
            "the delta token of \(table) is ahead of the server's clock: reading all rows again")
          cursor = self.cursor(from: nil, in: table)
        }
      }
      try handOut()
    } catch is Enough {}
  }

  /// Asks for the number of rows again where fewer have come: some may have been deleted meanwhile.
  ///
  /// Where it is still larger, the last page says so and moves no token.
  private mutating func count(
    _ cursor: inout PullCursor, of feed: Feed, _ last: inout Page?
  ) throws {
    guard cursor.shortfall != nil else { return }
    let reply = try? exchange.list(
      .all, of: feed, facts.dialect, top: 1, counts: true, failures: 2)
    if case .page(let page)? = reply { cursor.total = page.total ?? cursor.total }
    guard let shortfall = cursor.shortfall else { return }
    last?.token = nil
    last?.faults.append(shortfall)
  }

  /// Whether a pull began at a time ahead of the server's clock, so that newer rows may have an
  /// earlier time: the clock was set back.
  ///
  /// Where rows are numbered in order, a row as new as the token shows that none has: new ones are
  /// numbered on from it. Of a query that row may have left.
  private func isAhead(_ range: RowRange, _ page: ListPage, of feed: Feed) -> Bool {
    guard case .since(let start) = range, let date = page.date else { return false }
    let isLater = start.ticks >= (date + 1) * Timestamp.perSecond
    return isLater
      && !(facts.commitsInOrder && (!page.entries.isEmpty || feed.query != nil && !feed.isIDs))
  }
}

/// Who takes the pages wants no more.
private struct Enough: Error {}
