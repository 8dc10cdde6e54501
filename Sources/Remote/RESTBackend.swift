package import SyncEngine
package import SyncModel

/// The engine's backend over REST, in the dialect of one server.
///
/// ```
///   operation ─Dialect→ request ─Exchange→ answer ─WriteVerdict→ reply
///   range     ─Dialect→ target  ─Exchange→ answer ─ListPage→ PullCursor → page
/// ```
///
/// A copy may check operations while the original sends.
package struct RESTBackend<T: Transport>: Backend {
  /// The talk with the server.
  package var exchange: Exchange<T>
  /// The inserts that the server has carried out without saying under which id.
  var answered: Set<ItemKey> = []
  /// What the answers to writes have told of the server itself.
  var evidence = Evidence()
  private let begun: ServerFacts
  /// How the remote is used.
  package let settings: RemoteSettings

  /// Makes a backend of an exchange with a server that is known, from the workspace's state or from
  /// ``Exchange/detect(_:)``.
  package init(
    _ exchange: Exchange<T>, facts: ServerFacts, settings: RemoteSettings = RemoteSettings()
  ) {
    self.exchange = exchange
    self.exchange.facts = facts
    begun = facts
    self.settings = settings
  }

  /// What is known of the server; what is learnt of its tables is added.
  package var facts: ServerFacts {
    get { exchange.facts ?? begun }
    set { exchange.facts = newValue }
  }

  package var commitsInOrder: Bool { facts.commitsInOrder }

  package func check(_ operation: Operation) throws { _ = try request(for: operation) }

  /// Returns the exact request that carries an operation out.
  ///
  /// - Throws: `Refusal` where it can't be sent at all.
  package func request(for operation: Operation) throws(Refusal) -> PreparedRequest {
    try facts.dialect.request(
      for: operation, serverMakesIDs: facts.tables[operation.key.table]?.makesIDs == true)
  }

  package mutating func read(_ key: ItemKey) throws -> Reading {
    let dialect = facts.dialect
    if case .list = dialect.reading { return try readFromList(key) }
    let target = dialect.target(dialect.path(of: key), [dialect.includesDeleted])
    let answer = try exchange.read(
      target, fields: dialect.fields, failures: exchange.policy.attempts)
    switch answer.status {
    case 200:
      guard !answer.isMarkup else { throw exchange.stop(for: answer, key.table) }
      return try reading(of: ListEntry(answer.body[...], in: dialect), key)
    // An id that must be escaped may not be reached by a path.
    case 404 where !answer.isMarkup && key.id.text.percentEncoded == key.id.text.string:
      try exchange.confirm(key.table, dialect)
      return absence(of: key)
    // Releases of Datasync 6 hide tombstones from such a reading, and fronts of servers some ids, but not
    // from a list.
    case 404, 410: return try readFromList(key)
    default: return try refusal(of: answer, key)
    }
  }

  package mutating func makesIDs(in table: TableName) throws -> Bool {
    if facts.tables[table]?.makesIDs == true { return true }
    return try look(at: table).hasNumberIDs
  }

  /// Looks at one row of a table, and takes note of its ids and of whether it has a time.
  private mutating func look(at table: TableName) throws -> ListPage {
    let dialect = facts.dialect
    let target = dialect.target("tables/\(table)", ["$top=1", dialect.includesDeleted])
    let answer = try exchange.read(target, fields: dialect.fields)
    if answer.saysNotFound { facts.tables[table, default: TableFacts()].isMissing = true }
    guard answer.status == 200, let page = try? ListPage(answer, dialect) else {
      throw exchange.stop(for: answer, table)
    }
    if page.hasNumberIDs { facts.tables[table, default: TableFacts()].makesIDs = true }
    if dialect.mayLackTimes, let first = page.entries.first {
      facts.tables[table, default: TableFacts()].hasTimes = first.time != nil
    }
    return page
  }

  /// Whether the rows of a table have times; a list by time is empty where they have none.
  mutating func hasTimes(_ table: TableName) throws -> Bool {
    guard facts.dialect.mayLackTimes else { return true }
    if facts.tables[table]?.hasTimes == nil { _ = try look(at: table) }
    return facts.tables[table]?.hasTimes ?? true
  }

  /// Takes note of an insert that was carried out and whose row isn't there: it has another id.
  private mutating func absence(of key: ItemKey) -> Reading {
    if answered.contains(key) { facts.tables[key.table, default: TableFacts()].makesIDs = true }
    return .absent
  }

  private mutating func readFromList(_ key: ItemKey) throws -> Reading {
    let reply = try exchange.list(.only(key.id), of: Feed(key.table), facts.dialect, top: nil)
    switch reply {
    case .refused(let answer): return try refusal(of: answer, key)
    case .page(let page):
      guard page.entries.count < 2 else {
        throw Stop.notSpeaking("the server has more than one row \(key)")
      }
      return try page.entries.first.map { try reading(of: $0, key) } ?? absence(of: key)
    }
  }

  /// Returns what a refused reading of one row means, in a table that may be read at all.
  private mutating func refusal(of answer: HTTPAnswer, _ key: ItemKey) throws -> Reading {
    if answer.saysNotFound {
      try exchange.confirm(key.table, facts.dialect)
      throw Stop.page(answer, at: exchange.address)
    }
    guard answer.status >= 400, !answer.isMarkup, AnswerMeaning(answer) != .passing else {
      throw exchange.stop(for: answer, key.table)
    }
    // A server that fails now may have answered a moment ago.
    if answer.status == 500 { exchange.listed.remove(key.table) }
    try exchange.confirm(key.table, facts.dialect)
    let refusal = Refusal(answer, exchange.authorization)
    return .refused("the server's row cannot be read: \(answer.status) \(refusal.words)")
  }

  private func reading(of entry: ListEntry, _ key: ItemKey) throws(Stop) -> Reading {
    switch entry {
    case .row(let row):
      return row.id == key.id ? .row(row) : .refused("the server has it under the id \(row.id)")
    case .refused(let row, _):
      guard row.id != nil else {
        throw .notSpeaking("the response for \(key) is not a row: \(row.reason)")
      }
      return .refused("the server's row is not valid: \(row.reason)")
    }
  }
}
