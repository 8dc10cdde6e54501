import CurlTransport
import Remote

/// What became of one request.
typealias Outcome = Result<HTTPAnswer, TransportError>

extension CurlTransport {
  /// Makes a transport for one test, with the limits of users but for what the test changes; after 300 s
  /// it is interrupted, so that a limit that is passed over fails the test.
  static func forTest(_ change: (inout TransportLimits) -> Void = { _ in }) -> CurlTransport {
    var limits = TransportLimits()
    change(&limits)
    let end = ContinuousClock.now + .seconds(300)
    return CurlTransport(
      userAgent: "tsync/0.0.0", certificateFile: nil, noProxy: nil, limits: limits,
      goesOn: { ContinuousClock.now < end })
  }

  /// Sends requests and returns what became of them, in the order of the requests.
  mutating func send(_ requests: [HTTPRequest], width: Int = 1) throws -> [Outcome] {
    var outcomes: [Int: Outcome] = [:]
    var left = requests.enumerated().makeIterator()
    try run(
      width: width,
      next: {
        guard let (number, request) = left.next() else { return nil }
        var numbered = request
        numbered.tag = number
        return numbered
      },
      done: { request, outcome in outcomes[request.tag] = outcome },
      meanwhile: {})
    return requests.indices.compactMap { outcomes[$0] }
  }

  /// Sends one request and returns what became of it.
  mutating func send(_ request: HTTPRequest) throws -> Outcome {
    var outcome: Outcome?
    var left = [request][...]
    try run(
      width: 1, next: { left.popFirst() }, done: { _, result in outcome = result }, meanwhile: {})
    guard let outcome else { throw NoOutcome() }
    return outcome
  }

  /// Sends a GET and returns what became of it.
  mutating func get(_ url: String) throws -> Outcome {
    try send(HTTPRequest(method: "GET", url: url))
  }
}

/// `done` was not called for a request.
struct NoOutcome: Error {}

extension Result where Success == HTTPAnswer, Failure == TransportError {
  /// The error, if there is one.
  var failure: TransportError? {
    guard case .failure(let error) = self else { return nil }
    return error
  }

  /// The answer's body as text, if there is an answer.
  var text: String? {
    guard case .success(let answer) = self else { return nil }
    return String(decoding: answer.body, as: UTF8.self)
  }
}
