package import SyncEngine
package import SyncModel

extension RESTBackend {
  package mutating func pages(
    of table: TableName, from token: DeltaToken?, each: (Page) throws -> Bool
  ) throws {
    var start = token?.timestamp
    if token != nil, start == nil {
      exchange.surroundings.notice(
        "the delta token of \(table) is no time: everything is brought again")
    }
    while try follow(cursor(from: start, in: table), of: table, each) == .tokenAhead {
      exchange.surroundings.notice(
        "the delta token of \(table) lies in the server's future: everything is brought again")
      start = nil
    }
  }

  private func cursor(from start: Timestamp?, in table: TableName) -> PullCursor {
    PullCursor(
      from: start, top: min(settings.pageSize, facts.tables[table]?.pageSize ?? .max),
      overlap: max(0, settings.overlapSeconds ?? (facts.commitsInOrder ? 0 : 120)),
      inOrder: facts.commitsInOrder)
  }

  /// How following a cursor ended.
  private enum Ending {
    case done
    /// The token lies in the server's future, and no row confirms it.
    case tokenAhead
  }

  /// Follows a cursor to its end; a page is handed out while the next one is under way.
  ///
  /// A page that is refused for its size, or whose time is up, is asked for again in half the size;
  /// of the two only the refusal says what the table gives another time.
  private mutating func follow(
    _ cursor: PullCursor, of table: TableName, _ each: (Page) throws -> Bool
  ) throws -> Ending {
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
            range, of: table, facts.dialect, top: cursor.top, skip: cursor.skip,
            counts: cursor.requests == 0
          ) { try handOut() }
        } catch let stop as Stop {
          try handOut()
          guard exchange.hasTimedOut, cursor.halve() else { throw stop }
          continue
        }
        try handOut()
        switch reply {
        case .refused(let answer):
          guard cursor.requests == 0, [400, 413].contains(answer.status), cursor.halve() else {
            throw exchange.stop(for: answer, table)
          }
          refused = cursor.top
        case .page(let page):
          if let size = refused { facts.tables[table, default: TableFacts()].pageSize = size }
          if cursor.requests == 0, try isAhead(range, page, table) { return .tokenAhead }
          ready = try cursor.take(page)
        }
      }
      try handOut()
    } catch is Enough {}
    return .done
  }

  /// Tells whether a pull would begin more than a day after the server's present, where no row is.
  ///
  /// - Throws: `Stop.unsafe` where a row is there: the server's clock went back, or its data
  ///   (safety.md S15, decisions.md 28).
  private func isAhead(
    _ range: RowRange, _ page: ListPage, _ table: TableName
  ) throws(Stop) -> Bool {
    guard case .since(let start) = range, let date = page.date else { return false }
    let limit = (date + 86_400) * Timestamp.perSecond
    guard start.ticks > limit else { return false }
    guard let row = page.entries.first(where: { ($0.time?.ticks ?? .min) > limit }) else {
      return page.entries.isEmpty
    }
    throw Stop.unsafe(
      "the server went back in time: \(table) has a row of \(row.time?.text ?? "")"
        + ", more than a day after the server's clock",
      ways: ["to read all rows again: \(typed: "pull", "--full")"])
  }
}

/// Who takes the pages wants no more.
private struct Enough: Error {}
