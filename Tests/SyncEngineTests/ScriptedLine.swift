import SyncEngine
import SyncModel
import TestSupport

/// A line to a ``ModelServer`` that sends one write at a time, does to each what a test has written
/// down, and keeps what it was asked.
struct ScriptedLine: Backend {
  /// What happens to one write.
  enum Fate {
    /// The server answers.
    case answered
    /// The server acts, its answer gets lost, and the next reading fails.
    case replyLost
    /// The write gets lost, nothing tells that it did, and the next reading fails.
    case lost
    /// As ``replyLost``, where rows can be read.
    case replyCut
    /// As ``lost``, where rows can be read.
    case cut(timedOut: Bool = false)
    /// The write can't have reached the server.
    case notSent(Stop)
    /// The server breaks, and does nothing: what it answers passes.
    case broken
    /// The server acts, and its answer doesn't hold the row.
    case answeredWithoutRow
    /// The server acts, and keeps another item than was sent.
    case changing((Item) -> Item)
    /// The server does nothing and answers this.
    case reply(Reply.Outcome)
  }

  /// What the line was asked, shared by its copies.
  final class Log {
    /// The writes: method, target, version and body.
    var writes: [String] = []
    /// The rows that were read one by one.
    var readings: [ItemKey] = []
    /// The tokens that lists began at.
    var lists: [DeltaToken?] = []
  }

  static let cut = Stop.unreachable("the connection was cut")

  /// What happens to the next writes; when it is empty the server answers.
  var fates: [Fate] = []
  /// What always happens to some writes.
  var always: ((Attempt) -> Fate?)?
  /// Whether rows can be read one by one.
  var canRead = true
  /// Whether the next reading fails.
  private var isDown = false
  /// Why rows that are read one by one can't be taken; `nil` where they can.
  var refusesReading: String?
  /// What a replica that lags behind gives for the next readings.
  var stale: [Row] = []
  /// How many pages come before the connection is cut; `nil` for all.
  var pagesLeft: Int?
  /// The pages that a list brings, where they are not the server's.
  var pages: [Page]?
  /// The queries that the server can't be asked for.
  var faulty: Set<Text> = []
  /// Told of each sending before its first write.
  var beforeSending: (() -> Void)?
  /// Told of each write before the server gets it.
  var beforeWrite: (() -> Void)?
  let log = Log()

  private let server: ModelServer
  private let number: Int
  private var model: ModelBackend

  init(to server: ModelServer, client number: Int) {
    self.server = server
    self.number = number
    model = ModelBackend(to: server, client: number)
  }

  /// How many rows a page has.
  var pageSize: Int {
    get { model.pageSize }
    set { model.pageSize = newValue }
  }

  var commitsInOrder: Bool {
    get { model.commitsInOrder }
    set { model.commitsInOrder = newValue }
  }

  func check(_ operation: Operation) throws { try model.check(operation) }

  mutating func send(
    next: () throws -> (Attempt, Operation)?, done: (Attempt, Reply) throws -> Void,
    meanwhile: () throws -> Void
  ) throws {
    var isFirst = true
    while let (attempt, operation) = try next() {
      if isFirst { beforeSending?() }
      isFirst = false
      let request = try model.request(for: operation)
      let match = request.match.map { " If-Match \($0)" }
      let body = request.body.map { " " + String(decoding: $0, as: UTF8.self) }
      log.writes.append("\(request.method) \(request.target)\(match ?? "")\(body ?? "")")
      try meanwhile()
      beforeWrite?()
      let next = fates.isEmpty ? .answered : fates.removeFirst()
      let reply = reply(to: attempt, request, always?(attempt) ?? next)
      try done(attempt, reply)
      if reply.stop != nil { return }
    }
  }

  private mutating func reply(
    to attempt: Attempt, _ request: ModelRequest, _ fate: Fate
  ) -> Reply {
    let failure = Refusal(status: 500, words: "it broke", passes: true)
    switch fate {
    case .answered: return Reply(server.handle(request, by: number))
    case .replyLost:
      _ = server.handle(request, by: number)
      isDown = true
      return Reply(.cut(timedOut: false))
    case .lost:
      isDown = true
      return Reply(.cut(timedOut: false))
    case .replyCut:
      _ = server.handle(request, by: number)
      return Reply(.cut(timedOut: false))
    case .cut(let timedOut): return Reply(.cut(timedOut: timedOut))
    case .notSent(let stop): return Reply(.notSent, stop: stop)
    case .broken: return Reply(.disputed(failure))
    case .answeredWithoutRow:
      _ = server.handle(request, by: number)
      return Reply(.done(nil))
    case .changing(let change):
      guard case .done(let row?) = server.handle(request, by: number) else {
        return Reply(.unknown(failure))
      }
      return Reply(.done(server.store(change(row.item), attempt.key, by: number, over: row)))
    case .reply(let outcome): return Reply(outcome)
    }
  }

  mutating func read(_ key: ItemKey) throws -> Reading {
    guard canRead, !isDown else {
      isDown = false
      throw Self.cut
    }
    log.readings.append(key)
    if let refusesReading { return .refused(refusesReading) }
    if !stale.isEmpty { return .row(stale.removeFirst()) }
    return try model.read(key)
  }

  mutating func makesIDs(in table: TableName) throws -> Bool {
    guard canRead else { throw Self.cut }
    return try model.makesIDs(in: table)
  }

  mutating func rows(_ ids: [ItemID], of feed: Feed) throws -> Page {
    try model.rows(ids, of: feed)
  }

  mutating func pages(
    of feed: Feed, from token: DeltaToken?, each: (Page) throws -> Bool
  ) throws {
    log.lists.append(token)
    if feed.query.map(faulty.contains) == true { throw QueryFault("the server answered 400") }
    var left = pagesLeft ?? .max
    func hand(_ page: Page) throws -> Bool {
      guard left > 0 else { throw Self.cut }
      left -= 1
      return try each(page)
    }
    guard let pages else { return try model.pages(of: feed, from: token, each: hand) }
    for page in pages { guard try hand(page) else { return } }
  }
}
