import SyncEngine
import SyncModel

/// The exchange of requests and answers with one server: it authorizes requests, checks answers,
/// and retries.
package struct Exchange<T: Transport> {
  /// What carries the requests.
  package var transport: T
  /// Where the server is.
  package let address: ServerAddress
  /// Who asks.
  var authorization: Authorization
  /// What the answers are held to; `nil` while nothing is known of the server.
  var facts: ServerFacts?
  /// The clock, the random numbers, the trace and the notices.
  let dependencies: Dependencies
  /// Whether the last reading ended because its time was up.
  private(set) var hasTimedOut = false
  /// The tables that have answered a list.
  var listed: Set<TableName> = []
  /// The tables that have kept the id of a new row.
  var keepsIDs: Set<TableName> = []

  let policy = RetryPolicy()

  /// Begins an exchange; nothing is sent yet.
  ///
  /// The facts are what the workspace knows of the server: an answer of another data set or for
  /// another user ends the exchange.
  package init(
    _ transport: T, with address: ServerAddress, authorization: Authorization = .none,
    facts: ServerFacts? = nil, dependencies: Dependencies = Dependencies()
  ) {
    self.transport = transport
    self.address = address
    self.authorization = authorization
    self.facts = facts
    self.dependencies = dependencies
  }
}

extension Exchange {
  /// Makes a request for something under the address, with the fields of the dialect.
  func request(
    _ method: String, _ target: String, fields: [HTTPField], body: [UInt8]? = nil,
    tag: Int = 0
  ) -> HTTPRequest {
    HTTPRequest(
      tag: tag, method: method, url: address.url(of: target),
      headers: fields + authorization.fields(facts?.dialect), body: body)
  }

  /// Reads something: sends a request that changes nothing, again where that may help.
  ///
  /// It has the fields of the dialect; `meanwhile` is done while the answer is under way. What comes
  /// back is an answer of 200, or one that says something of what was asked, or 500 so often on end.
  ///
  /// - Throws: `Stop` for every other end, or what `meanwhile` throws.
  mutating func read(
    _ target: String, fields: [HTTPField], failures: Int = .max,
    meanwhile: () throws -> Void = {}
  ) throws -> HTTPAnswer {
    hasTimedOut = false
    try checkSubject()
    let fields = fields + [HTTPField("Cache-Control", "no-cache")]
    var attempts = 0
    var waited = 0
    while true {
      attempts += 1
      let generation = authorization.generation
      let result = try once(request("GET", target, fields: fields), meanwhile)
      let step: ReadingStep
      switch result {
      case .success(let answer):
        step = ReadingStep(
          answer, to: target, from: self, takesFailure: attempts >= failures)
      case .failure(let error):
        hasTimedOut = error.kind == .timedOut
        step = ReadingStep(error)
      }
      switch step {
      case .take(let answer):
        return answer
      case .renew(let stop):
        guard authorization.renew(after: generation) else { throw stop }
        try checkSubject()
      case .wait(let wish, let stop):
        guard
          let pause = policy.pause(
            after: attempts, waited: waited, wish: wish, random: dependencies.random)
        else { throw stop }
        dependencies.pause(pause)
        waited += pause
      case .stop(let stop): throw stop
      }
    }
  }

  /// Sends one request once.
  private mutating func once(
    _ request: HTTPRequest, _ meanwhile: () throws -> Void
  ) throws -> Result<HTTPAnswer, TransportError> {
    var result: Result<HTTPAnswer, TransportError>?
    var unsent: HTTPRequest? = request
    let start = dependencies.now()
    try transport.run(
      width: 1,
      next: {
        defer { unsent = nil }
        return unsent
      },
      done: { result = $1 }, meanwhile: meanwhile)
    let answer =
      result ?? .failure(TransportError(.cut, "the server sent no answer", nothingSent: false))
    trace(request, answer, since: start)
    return answer
  }

  /// Checks that the token is of the user whose workspace this is, before it is used.
  func checkSubject() throws(Stop) {
    if let objection = facts?.objection(to: authorization, at: address) { throw objection }
  }

  func trace(
    _ request: HTTPRequest, _ result: Result<HTTPAnswer, TransportError>, since start: Int
  ) {
    guard let trace = dependencies.trace else { return }
    let outcome =
      switch result {
      case .success(let answer): "\(answer.status)"
      case .failure(let error): error.message
      }
    let target = request.url.utf8.dropFirst("\(address)".utf8.count)
    let line = "\(request.method) \(Substring(target)) \(outcome) \(dependencies.now() - start) ms"
    trace(String(decoding: authorization.redacted(Array(line.utf8)), as: UTF8.self))
  }
}
