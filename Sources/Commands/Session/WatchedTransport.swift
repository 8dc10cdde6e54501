import Remote

/// A transport that remembers what its errors say about the command line rather than the network, and
/// tells whoever waits when something happens.
struct WatchedTransport: Transport {
  /// What was seen; shared by the copies of a transport.
  final class Sight {
    /// Why a request was refused here before anything was sent: plain HTTP to another machine.
    fileprivate(set) var refusal: String?
    /// Whether a request had a token with it.
    fileprivate(set) var hasToken = false
  }

  /// The transport that does the work.
  var inner: any Transport
  /// Told whenever something is sent, or comes.
  let patience: Patience
  /// What was seen so far.
  let sight = Sight()

  /// The names of the headers that bring a token.
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
