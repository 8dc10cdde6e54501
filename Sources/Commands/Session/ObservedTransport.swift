import Remote

/// A transport that remembers refused requests and tokens, and reports news to ``WaitIndicator``.
struct ObservedTransport: Transport {
  /// Facts that all copies of a transport share.
  final class Observed {
    /// The reason why tsync refused a request before sending it: plain HTTP to another machine.
    fileprivate(set) var refusal: String?
    fileprivate(set) var hasToken = false
  }

  var inner: any Transport
  let waitIndicator: WaitIndicator
  let observed = Observed()

  private static var tokenHeaders: [String] { ["Authorization", "X-ZUMO-AUTH"] }

  mutating func run(
    width: Int,
    next: () throws -> HTTPRequest?,
    done: (HTTPRequest, Result<HTTPAnswer, TransportError>) throws -> Void,
    meanwhile: () throws -> Void
  ) throws {
    let (observed, waitIndicator) = (observed, waitIndicator)
    try inner.run(
      width: width,
      next: {
        waitIndicator.hasActivity()
        let request = try next()
        if !observed.hasToken, let headers = request?.headers {
          observed.hasToken = headers.contains { Self.tokenHeaders.contains($0.name) }
        }
        return request
      },
      done: { request, result in
        waitIndicator.hasActivity()
        if case .failure(let error) = result, error.kind == .plainHTTP {
          observed.refusal = error.message
        }
        try done(request, result)
      }, meanwhile: meanwhile)
  }
}
