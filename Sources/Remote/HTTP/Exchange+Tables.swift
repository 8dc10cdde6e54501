import SyncEngine
package import SyncModel

extension Exchange {
  /// Asks a server which dialect it speaks, and what it tells of itself.
  ///
  /// The table should be there. A chosen dialect is not found out, but the server is asked in it.
  ///
  /// - Returns: `nil` where the table is empty and nothing else shows the dialect.
  /// - Throws: `Stop` where it speaks none that tsync knows, or can't be asked.
  package mutating func detect(
    _ table: TableName, chosen: Dialect? = nil
  ) throws -> ServerFacts? {
    var detection = DialectDetection(table: table, at: address, chosen: chosen)
    while true {
      switch detection.step {
      case .ask(let probe):
        let answer = try read(probe.target(of: table), fields: probe.fields)
        detection.take(answer, to: probe, refusal: Refusal(answer, authorization))
      case .found(let dialect):
        if detection.isListed { listed.insert(table) }
        return ServerFacts(
          dialect: dialect, dataset: detection.dataset,
          user: detection.user ?? authorization.token?.subject)
      case .unknown: return nil
      case .stop(let stop): throw stop
      }
    }
  }

  /// Brings the rows of a range; so many answers of 500 on end count as a refusal.
  ///
  /// - Throws: `Stop`, or what `meanwhile` throws.
  mutating func list(
    _ range: RowRange, of feed: Feed, _ dialect: Dialect, top: Int?, skip: Int = 0,
    counts: Bool = false, failures: Int? = nil, meanwhile: () throws -> Void = {}
  ) throws -> ListReply {
    let table = feed.table
    let answer = try read(
      dialect.target(range, of: feed, top: top, skip: skip, counts: counts),
      fields: dialect.fields, failures: failures ?? policy.attempts, meanwhile: meanwhile)
    if answer.isMobileServices, let stop = dialect.objectionToOld { throw stop }
    if answer.saysNotFound { facts?.tables[table, default: TableFacts()].isMissing = true }
    guard answer.status == 200 else { return .refused(answer) }
    let page: ListPage
    do throws(EnvelopeFault) {
      page = try ListPage(answer, dialect)
    } catch {
      guard !answer.isMarkup else { throw stop(for: answer, table) }
      throw Stop.notSpeaking(
        "the response is not a list of rows of table \(table) in \(dialect.name): \(error.message)")
    }
    if page.hasOldVersions, let stop = dialect.objectionToOld { throw stop }
    listed.insert(table)
    facts?.tables[table]?.isMissing = false
    if page.hasNumberIDs { facts?.tables[table, default: TableFacts()].makesIDs = true }
    return .page(page)
  }

  /// Makes sure that a table answers lists, so that "not found" can be believed.
  mutating func confirm(_ table: TableName, _ dialect: Dialect) throws {
    if !listed.contains(table), let stop = try objection(to: table, dialect) { throw stop }
  }

  /// Asks for one row of a table; why none can be asked for.
  mutating func objection(to table: TableName, _ dialect: Dialect) throws -> Stop? {
    do {
      let reply = try list(.all, of: Feed(table), dialect, top: 1, failures: 2)
      if case .refused(let answer) = reply { return stop(for: answer, table) }
      return nil
    } catch let stop as Stop {
      return stop
    }
  }

  /// The end that the refusal of a feed's list makes: of a query whose table answers, it is that query's fault.
  mutating func end(for answer: HTTPAnswer, of feed: Feed, _ dialect: Dialect) throws -> any Error {
    guard feed.query != nil, !feed.isIDs, [400, 500, 501].contains(answer.status),
      try objection(to: feed.table, dialect) == nil
    else { return stop(for: answer, feed.table) }
    return QueryFault(
      "the server answered \(answer.status) \(Refusal(answer, authorization).words)")
  }

  /// The end that the refusal of a list makes, or of a row's reading other than that it isn't there.
  func stop(for answer: HTTPAnswer, _ table: TableName) -> Stop {
    let refusal = Refusal(answer, authorization)
    switch AnswerMeaning(answer) {
    case .forbidden, .closed: return .unauthorized(refusal)
    case .absent, .unrouted: return .noTable(table)
    case .done where answer.isMarkup: return .page(answer, at: address)
    case _ where answer.status >= 500: return .failed(answer.status, refusal.words)
    default: return .notSpeaking("the server answered \(answer.status) \(refusal.words)")
    }
  }
}

/// What came of asking for a list.
enum ListReply {
  /// Rows.
  case page(ListPage)
  /// Another answer than 200.
  case refused(HTTPAnswer)
}
