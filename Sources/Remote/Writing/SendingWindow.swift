import SyncEngine
import SyncModel

/// What the answers to a push's writes have told of the server itself.
struct Evidence {
  /// The items whose answers have passed, since the last one that said something of a row.
  var passing: Set<ItemKey> = []
  /// The tables that have answered a list when it was asked for.
  var listed: Set<TableName> = []
}

/// The writes of one sending that are under way or have to wait, and what to do with each answer.
///
/// When the server asks for patience the whole window pauses: what it turned away is sent first
/// afterwards.
struct SendingWindow {
  /// One write that is under way.
  struct Flight {
    let attempt: Attempt
    /// The request.
    let request: PreparedRequest
    /// How often it was sent in this run.
    var attempts = 0
    /// How many milliseconds it has waited.
    var waited = 0
    /// Whether an earlier attempt may have been carried out.
    var mayBeDone = false
    /// Which token it was sent with.
    var generation = 0
    /// When it was sent, in milliseconds.
    var start = 0
  }

  /// Why nothing more is sent.
  private(set) var stop: Stop?
  /// The pause to make before anything else is sent, in milliseconds.
  private(set) var pause: Int?
  /// What is to be sent again.
  private(set) var retries: [Flight] = []
  /// The replies that say something of their rows only while lists answer: a list is to be asked for.
  private(set) var withheld: [(flight: Flight, reply: Reply)] = []
  /// What is known of the server itself.
  private(set) var evidence: Evidence
  private var flying: [Int: Flight] = [:]
  private var tags = 0
  private let policy: RetryPolicy

  /// After answers for so many rows on end have passed, a list is asked for.
  private static let mostPassing = 3

  init(_ policy: RetryPolicy, _ evidence: Evidence = Evidence()) {
    (self.policy, self.evidence) = (policy, evidence)
  }

  /// Whether a write may be sent now.
  var isOpen: Bool { stop == nil && pause == nil && withheld.isEmpty }

  /// Takes the next write that is to be sent again.
  mutating func popRetry() -> Flight? { retries.isEmpty ? nil : retries.removeFirst() }

  /// Notes that a write goes out; answers its tag.
  mutating func begin(_ flight: Flight, generation: Int, at start: Int) -> Int {
    tags += 1
    var flight = flight
    flight.attempts += 1
    flight.generation = generation
    flight.start = start
    flying[tags] = flight
    return tags
  }

  /// Notes that an answer came; gives the write back.
  mutating func end(_ tag: Int) -> Flight? { flying.removeValue(forKey: tag) }

  /// Notes that the pause was made.
  mutating func resume() {
    for index in retries.indices { retries[index].waited += pause ?? 0 }
    pause = nil
  }

  /// Decides what becomes of a write that failed on its way; `nil` sends it again.
  ///
  /// That no answer comes to one that has left stops nothing: whether the line holds, the reading of its
  /// row tells.
  mutating func settle(
    _ flight: Flight, _ error: TransportError, random: (Int) -> Int
  ) -> Reply? {
    if error.kind == .cut, error.nothingSent, stop == nil, let pause = pause(flight, nil, random) {
      return wait(flight, pause)
    }
    guard error.nothingSent || error.kind == .interrupted else {
      return Reply(.cut(timedOut: error.kind == .timedOut))
    }
    return finish(
      flight, Reply(error.nothingSent ? .notSent : .unknown(nil), stop: Stop(error)))
  }

  /// Decides what becomes of a write that was answered; `nil` sends it again.
  ///
  /// `renew` gets a new token, and answers why there is none to try.
  mutating func settle(
    _ flight: Flight, _ verdict: WriteVerdict, random: (Int) -> Int, renew: (Refusal) -> Stop?
  ) -> Reply? {
    var flight = flight
    switch verdict {
    case .settled(let reply): return finish(flight, reply)
    case .renew(let refusal):
      let reason = stop == nil ? renew(refusal) : .unauthorized(refusal)
      if let reason { return finish(flight, Reply(.notSent, stop: reason)) }
      retries.append(flight)
      return nil
    case .wait(let refusal, let seconds, let mayBeDone):
      flight.mayBeDone = flight.mayBeDone || mayBeDone
      if stop == nil, let pause = pause(flight, seconds, random) { return wait(flight, pause) }
      // A pause that is longer than tsync waits is asked for by the server itself.
      let stop: Stop? =
        seconds.map { $0 > policy.longestWish } == true
        ? refusal.status.map { .busy(status: $0, seconds: seconds) } : nil
      return finish(flight, Reply(mayBeDone ? .unknown(refusal) : .refused(refusal), stop: stop))
    case .whileListed(let refusal):
      let reply = cautious(Reply(.refused(refusal)), to: flight)
      if evidence.listed.contains(flight.attempt.key.table) { return reply }
      withheld.append((flight, reply))
      return nil
    }
  }

  /// Gives back the withheld replies, once a table was asked for a list; `stop` is why none came.
  mutating func release(_ stop: Stop?, of table: TableName) -> [(Attempt, Reply)] {
    defer { withheld = [] }
    evidence.passing = []
    if stop == nil { evidence.listed.insert(table) }
    if case .noTable? = stop {
      // Reading the row says so, too.
      return withheld.map { flight, reply in
        guard case .refused(let refusal) = reply.outcome else { return (flight.attempt, reply) }
        return (flight.attempt, Reply(.absent(refusal)))
      }
    }
    self.stop = self.stop ?? stop
    return withheld.map { flight, reply in
      guard let stop else { return (flight.attempt, reply) }
      if case .refused = reply.outcome { return (flight.attempt, Reply(.notSent, stop: stop)) }
      return (flight.attempt, Reply(reply.outcome, stop: stop))
    }
  }

  /// Returns the reply to a write that waits when the sending ends.
  func reply(to flight: Flight) -> Reply {
    Reply(flight.mayBeDone ? .unknown(nil) : .notSent, stop: stop)
  }

  private func pause(_ flight: Flight, _ wish: Int?, _ random: (Int) -> Int) -> Int? {
    policy.pause(
      after: flight.attempts, waited: flight.waited, wish: wish, random: random)
  }

  private mutating func wait(_ flight: Flight, _ pause: Int) -> Reply? {
    retries.append(flight)
    self.pause = max(self.pause ?? 0, pause)
    return nil
  }

  private mutating func finish(_ flight: Flight, _ reply: Reply) -> Reply? {
    stop = stop ?? reply.stop
    let reply = cautious(reply, to: flight)
    let refusal = reply.outcome.refusal
    if refusal?.passes == true {
      evidence.passing.insert(flight.attempt.key)
      if evidence.passing.count >= Self.mostPassing, stop == nil {
        withheld.append((flight, reply))
        return nil
      }
    } else if refusal != nil || reply.outcome.isDone {
      evidence.passing = []
    }
    return reply
  }

  /// Makes the last word on a write cautious where an earlier attempt may have been carried out:
  /// then a "no" to this one proves nothing.
  private func cautious(_ reply: Reply, to flight: Flight) -> Reply {
    guard flight.mayBeDone else { return reply }
    switch reply.outcome {
    case .notSent: return Reply(.unknown(nil), stop: reply.stop)
    case .refused(let refusal): return Reply(.unknown(refusal), stop: reply.stop)
    case .done, .disputed, .absent, .unknown, .cut: return reply
    }
  }
}
