package import SyncEngine
import SyncModel

extension RESTBackend {
  package mutating func send(
    next: () throws -> (Attempt, Operation)?, done: (Attempt, Reply) throws -> Void,
    meanwhile: () throws -> Void = {}
  ) throws {
    try exchange.checkSubject()
    // What is learnt of the tables meanwhile counts for the next sending.
    let (backend, dialect) = (self, facts.dialect)
    var window = SendingWindow(exchange.policy, evidence)
    var isExhausted = false
    var (found, others, answered) = (Set<TableName>(), Set<TableName>(), Set<ItemKey>())
    defer {
      for table in found { facts.tables[table]?.isMissing = false }
      for table in others { facts.tables[table, default: TableFacts()].makesIDs = true }
      self.answered.formUnion(answered)
      evidence = window.evidence
    }
    func take(_ attempt: Attempt, _ reply: Reply) throws {
      let table = attempt.key.table
      switch (reply.outcome, attempt.kind) {
      case (.refused(let refusal), .insert) where dialect.refusesIDs(refusal): others.insert(table)
      case (.done(let row), let kind):
        found.insert(table)
        if kind == .insert, row == nil { answered.insert(attempt.key) }
        if kind == .insert, let row, row.id != attempt.key.id { others.insert(table) }
      default: break
      }
      try done(attempt, reply)
    }
    repeat {
      try exchange.send(&window, in: dialect, width: jobs) {
        while !isExhausted {
          guard let (attempt, operation) = try next() else { break }
          do {
            return (attempt, try backend.request(for: operation))
          } catch let refusal as Refusal {
            try done(attempt, Reply(.refused(refusal)))
          }
        }
        isExhausted = true
        return nil
      } done: {
        try take($0, $1)
      } meanwhile: {
        try meanwhile()
      }
      if let table = window.withheld.first?.flight.attempt.key.table {
        let stop = try window.stop ?? exchange.objection(to: table, dialect)
        for (attempt, reply) in window.release(stop, of: table) { try take(attempt, reply) }
      }
      if let pause = window.pause, window.stop == nil {
        exchange.dependencies.pause(pause)
        window.resume()
      }
    } while window.stop == nil && !(isExhausted && window.retries.isEmpty)
    for flight in window.retries { try take(flight.attempt, window.reply(to: flight)) }
  }

  /// How many writes are under way at once.
  private var jobs: Int { max(1, settings.jobs ?? (facts.dataset != nil ? 32 : 8)) }
}

extension Exchange {
  /// Sends writes until there are none, something stops them, or a pause has to be made.
  fileprivate mutating func send(
    _ window: inout SendingWindow, in dialect: Dialect, width: Int,
    next: () throws -> (Attempt, PreparedRequest)?,
    done: (Attempt, Reply) throws -> Void, meanwhile: () throws -> Void
  ) throws {
    // The transport is in use meanwhile; everything else is worked on in a copy.
    var talk = Talk(self, in: dialect)
    defer {
      (authorization, keepsIDs) = (talk.authorization, talk.keepsIDs)
    }
    try transport.run(
      width: width,
      next: {
        guard window.isOpen else { return nil }
        let flight: SendingWindow.Flight
        if let again = window.popRetry() {
          flight = again
        } else if let (attempt, request) = try next() {
          flight = SendingWindow.Flight(attempt: attempt, request: request)
        } else {
          return nil
        }
        return talk.request(for: flight, &window)
      },
      done: { request, result in
        guard let flight = window.end(request.tag) else { return }
        if let reply = talk.reply(to: flight, request, result, &window) {
          try done(flight.attempt, reply)
        }
      }, meanwhile: meanwhile)
  }
}

/// An exchange's side of a sending, without the transport.
private struct Talk<T: Transport> {
  var authorization: Authorization
  var keepsIDs: Set<TableName>
  private let address: ServerAddress
  private let facts: ServerFacts?
  private let dialect: Dialect
  private let dependencies: Dependencies
  private let trace: (HTTPRequest, Result<HTTPAnswer, TransportError>, Int) -> Void

  init(_ exchange: Exchange<T>, in dialect: Dialect) {
    self.dialect = dialect
    authorization = exchange.authorization
    keepsIDs = exchange.keepsIDs
    address = exchange.address
    facts = exchange.facts
    dependencies = exchange.dependencies
    trace = { exchange.trace($0, $1, since: $2) }
  }

  func request(
    for flight: SendingWindow.Flight, _ window: inout SendingWindow
  ) -> HTTPRequest {
    let prepared = flight.request
    let tag = window.begin(
      flight, generation: authorization.generation, at: dependencies.now())
    var request = HTTPRequest(
      tag: tag, method: prepared.method, url: address.url(of: prepared.target),
      headers: prepared.headers + authorization.fields(facts?.dialect) + (facts?.condition ?? []),
      body: prepared.body)
    // A second one would make a second row where the server makes the ids.
    request.isSentOnce =
      flight.attempt.kind == .insert && facts?.dataset == nil
      && !keepsIDs.contains(flight.attempt.key.table)
    return request
  }

  mutating func reply(
    to flight: SendingWindow.Flight, _ request: HTTPRequest,
    _ result: Result<HTTPAnswer, TransportError>, _ window: inout SendingWindow
  ) -> Reply? {
    trace(request, result, flight.start)
    let answer: HTTPAnswer
    switch result {
    case .failure(let error):
      return window.settle(flight, error, random: dependencies.random)
    case .success(let whole): answer = whole
    }
    var verdict: WriteVerdict
    if let objection = facts?.objection(to: answer, from: address) {
      // Misdirected is what tsync-server answers where its data set isn't the one that is meant.
      let isUndone = AnswerMeaning(answer) == .misdirected
      verdict = .settled(Reply(isUndone ? .notSent : .unknown(nil), stop: objection))
    } else {
      verdict = WriteVerdict(answer, to: flight, in: dialect, authorization, from: address)
    }
    let key = flight.attempt.key
    if case .settled(let reply) = verdict, case .done(let row?) = reply.outcome, row.id == key.id {
      keepsIDs.insert(key.table)
    }
    // Sent again, an insert that may be done would make a second row.
    if case .wait(let refusal, let seconds, true) = verdict, flight.attempt.kind == .insert,
      facts?.tables[key.table]?.makesIDs == true
    {
      let stop = refusal.status.map { Stop.busy(status: $0, seconds: seconds) }
      verdict = .settled(Reply(.unknown(refusal), stop: stop))
    }
    return window.settle(flight, verdict, random: dependencies.random) { refusal in
      guard authorization.renew(after: flight.generation) else { return .unauthorized(refusal) }
      return facts?.objection(to: authorization, at: address)
    }
  }
}
