import SyncEngine
import SyncModel
import TestSupport

/// A client's line to a ``ModelServer``, on which at given requests something goes wrong.
struct FaultyLine: Backend {
  /// How many writes are on their way at once.
  private static let window = 4

  /// What goes wrong, by the number of the request within the command.
  var faults: [Int: Plan.Fault.Kind] = [:]
  /// What is drawn.
  var random = SplitMix64(seed: 0)
  /// Told what happened on the line.
  var note: (String) -> Void = { _ in }
  /// Told what rare state was reached.
  var count: (String) -> Void = { _ in }
  /// The open writes whose files said something else when the push began.
  var dropped: [Attempt] = []
  /// The items of those that were sent again as they were.
  var sentDropped: Set<ItemKey> = []
  /// Lets somebody else change something at the server, this row where one is given.
  var change: (ItemKey?, inout SplitMix64) -> Void = { _, _ in }
  /// Requests that the client believes lost, and that will arrive yet.
  private var late: [ModelRequest] = []
  private var line: ModelBackend
  private let server: ModelServer
  private let client: Int
  private var events = 0
  /// Whether the line has broken: nothing can be read until the next command.
  private var isDown = false
  /// How many writes the command has sent.
  private(set) var sent = 0
  /// Whether the server broke on an item since the command began.
  private(set) var hasChoked = false

  /// Makes a line for a client, given by its number.
  init(to server: ModelServer, client: Int, in world: Plan.World) {
    self.server = server
    self.client = client
    line = ModelBackend(to: server, client: client)
    (line.pageSize, line.endsPagesEarly) = (world.pageSize, true)
    line.overlap = world.lateCommit
    line.undeletesWhole = world.undeletesWhole
  }

  /// Begins a command.
  mutating func begin(_ faults: [Int: Plan.Fault.Kind], _ random: SplitMix64) {
    self.faults = faults
    self.random = random
    events = 0
    isDown = false
    sent = 0
    hasChoked = false
    deliver()
  }

  /// What was late arrives.
  mutating func deliver() {
    for request in late {
      count("late request")
      note("late \(request.method) \(request.target): \(server.handle(request, by: client))")
    }
    late = []
  }

  private mutating func nextFault() -> Plan.Fault.Kind? {
    defer { events += 1 }
    return faults[events]
  }

  var commitsInOrder: Bool {
    get { line.commitsInOrder }
    set { line.commitsInOrder = newValue }
  }

  func check(_ operation: Operation) throws { try line.check(operation) }

  mutating func send(
    next: () throws -> (Attempt, Operation)?, done: (Attempt, Reply) throws -> Void,
    meanwhile: () throws -> Void
  ) throws {
    var underWay: [(Attempt, Operation)] = []
    var stopped = false
    while true {
      while !stopped, underWay.count < Self.window, let write = try next() {
        underWay.append(write)
      }
      guard !underWay.isEmpty else { return }
      try meanwhile()
      let (attempt, operation) = underWay.remove(at: random.below(underWay.count))
      sent += 1
      if attempt.tries > 1, attempt.item != nil,
        dropped.contains(where: { $0.key == attempt.key && $0.item == attempt.item })
      {
        sentDropped.insert(attempt.key)
      }
      let reply = try reply(to: attempt, operation)
      if reply.stop != nil { stopped = true }
      try done(attempt, reply)
    }
  }

  private mutating func reply(to attempt: Attempt, _ operation: Operation) throws -> Reply {
    let request: ModelRequest
    do {
      request = try line.request(for: operation)
    } catch let refusal as Refusal {
      return Reply(.refused(refusal))
    }
    let cut = Stop.unreachable("the connection was cut")
    let broken = Refusal(status: 500, words: "it broke", passes: true)
    let unsure = Refusal(status: 502, words: "bad gateway", passes: true)
    let passing = Refusal(status: 429, words: "too many requests", passes: true)
    let fault = nextFault()
    if let fault { note("\(fault.rawValue) \(request.method) \(request.target)") }
    switch fault {
    case .lostRequest, .lateRequest, .lostReply: isDown = random.once(in: 2)
    default: break
    }
    switch fault {
    case .lostRequest:
      return random.once(in: 2) ? Reply(.notSent, stop: cut) : Reply(.cut(timedOut: false))
    case .lateRequest:
      late.append(request)
      return Reply(.cut(timedOut: random.once(in: 2)))
    case .busy:
      return random.once(in: 2)
        ? Reply(.refused(passing)) : Reply(.notSent, stop: .busy(status: 429, seconds: 400))
    case .unauthorized:
      let refusal = Refusal(status: 401, words: "who are you")
      return Reply(.notSent, stop: .unauthorized(refusal))
    case .forbidden: return Reply(.refused(Refusal(status: 403, words: "not this one")))
    case .failure: return Reply(random.once(in: 2) ? .disputed(broken) : .unknown(unsure))
    case .elsewhere: change(random.once(in: 2) ? attempt.key : nil, &random)
    default: break
    }
    // What this server can't digest it answers like this, however often it is sent.
    if let body = request.body, Token.all(in: body).contains(where: Token.isIndigestible) {
      count("indigestible")
      hasChoked = true
      return Reply(.disputed(broken))
    }
    let outcome = server.handle(request, by: client)
    switch fault {
    case .duplicate:
      let second = server.handle(request, by: client)
      return Reply(random.once(in: 2) ? outcome : second)
    case .lostReply: return Reply(.cut(timedOut: random.once(in: 2)))
    case .failureAfterActing: return Reply(.unknown(unsure))
    case .notSpeaking: return Reply(.unknown(nil), stop: .notSpeaking("HTML"))
    default: break
    }
    // What is late comes after the next request.
    if fault == nil { deliver() }
    return Reply(outcome)
  }

  mutating func read(_ key: ItemKey) throws -> Reading {
    guard !isDown else { throw Stop.unreachable("the connection was cut") }
    switch nextFault() {
    case .lostReading, .lostReply, .lostRequest:
      note("reading of \(key) lost")
      throw Stop.unreachable("the connection was cut")
    case .stale:
      note("stale reading of \(key)")
      return server.stale(key, by: 1 + random.below(5)).map(Reading.row) ?? .absent
    case .elsewhere:
      change(key, &random)
      return try line.read(key)
    default: return try line.read(key)
    }
  }

  mutating func makesIDs(in table: TableName) throws -> Bool {
    switch nextFault() {
    case .lostReading, .lostReply, .lostRequest:
      note("question for \(table) lost")
      throw Stop.unreachable("the connection was cut")
    default: return try line.makesIDs(in: table)
    }
  }

  mutating func rows(_ ids: [ItemID], of feed: Feed) throws -> Page {
    switch nextFault() {
    case .lostReading, .lostReply, .lostRequest:
      note("question for \(ids.count) rows lost")
      throw Stop.unreachable("the connection was cut")
    case .elsewhere: change(ids.first.map { ItemKey(feed.table, $0) }, &random)
    default: break
    }
    return try line.rows(ids, of: feed)
  }

  mutating func pages(
    of feed: Feed, from token: DeltaToken?, each: (Page) throws -> Bool
  ) throws {
    var copy = self
    defer { (events, random) = (copy.events, copy.random) }
    var last: Timestamp?
    try line.pages(of: feed, from: token) { page in
      if let last, last == page.rows.first?.updatedAt { copy.count("tie across pages") }
      last = page.rows.last?.updatedAt
      switch copy.nextFault() {
      case .lostReading, .lostReply, .lostRequest:
        copy.note("page lost")
        throw Stop.unreachable("the connection was cut")
      case .stale:
        // A lagging replica: one of the rows is the one before it.
        var page = page
        if let index = page.rows.indices.last,
          let old = copy.server.stale(
            ItemKey(feed.table, page.rows[index].id), by: 1 + copy.random.below(5))
        {
          copy.note("stale row \(old.id)")
          page.rows[index] = old
          page.token = nil
        }
        return try each(page)
      case .elsewhere:
        let goesOn = try each(page)
        let key = page.rows.first.map { ItemKey(feed.table, $0.id) }
        copy.change(copy.random.once(in: 2) ? key : nil, &copy.random)
        return goesOn
      default: return try each(page)
      }
    }
  }
}
