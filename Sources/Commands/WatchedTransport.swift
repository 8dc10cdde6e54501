import Remote

/// A transport that remembers what its errors say about the command line rather than the network, and
/// tells whoever waits when something happens.
struct WatchedTransport<Inner: Transport>: Transport {
  /// What was seen; shared by the copies of a transport.
  final class Sight {
    /// Why a request was refused here before anything was sent: plain HTTP to another machine.
    fileprivate(set) var refusal: String?
    /// Whether a request had a token with it.
    fileprivate(set) var hasToken = false
  }

  /// The transport that does the work.
  var inner: Inner
  /// Told whenever something is sent, or comes.
  let patience: Patience
  /// What was seen so far.
  let sight = Sight()

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
        let names = ["Authorization", "X-ZUMO-AUTH"]
        if request?.headers.contains(where: { names.contains($0.name) }) == true {
          sight.hasToken = true
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
