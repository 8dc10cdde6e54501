import Remote

/// A transport that remembers refused requests and tokens, and reports news to ``Patience``.
struct WatchedTransport: Transport {
  /// Facts that all copies of a transport share.
  final class Sight {
    /// The reason why tsync refused a request before sending it: plain HTTP to another machine.
    fileprivate(set) var refusal: String?
    fileprivate(set) var hasToken = false
  }

  var inner: any Transport
  let patience: Patience
  let sight = Sight()

  private static var tokenHeaders: [String] { ["Authorization", "X-ZUMO-AUTH"] }

  mutating func run(
    width: Int,
    next: () throws -> HTTPRequest?,
    done: (HTTPRequest, Result<HTTPAnswer, TransportError>) throws -> Void,
    meanwhile: () throws -> Void
  ) throws {
    let (sight, patience) = (sight, patience)
    try inner.run(
      width: width,
      next: {
        patience.hasNews()
        let request = try next()
        if !sight.hasToken, let headers = request?.headers {
          sight.hasToken = headers.contains { Self.tokenHeaders.contains($0.name) }
        }
        return request
      },
      done: { request, result in
        patience.hasNews()
        if case .failure(let error) = result, error.kind == .plainHTTP {
          sight.refusal = error.message
        }
        try done(request, result)
      }, meanwhile: meanwhile)
  }
}
