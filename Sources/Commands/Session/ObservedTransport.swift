import CurlTransport
import Remote
import SyncEngine
import SyncModel
import Workspace

/// The transport of a command: it shows that it waits, ends the wait after a signal, and explains
/// refusals.
///
/// It is a class because libcurl asks it whether to go on while it sends.
final class ObservedTransport: Transport {
  /// Milliseconds without news until a person sees a progress line.
  private static let silence = 500
  /// Milliseconds for answers after a signal; the rest of two seconds is for the report.
  private static let grace = 1_000

  private let context: Context
  private let address: ServerAddress
  private let hasToken: Bool
  private let limits: TransportLimits
  private var lastNews = Dependencies.monotonicMilliseconds()
  private var end: Int?
  /// The reason why tsync refused a request before sending it: plain HTTP to another machine.
  private var refusal: String?

  init(
    to address: ServerAddress, hasToken: Bool, _ context: Context, _ configuration: Configuration
  ) {
    (self.context, self.address, self.hasToken) = (context, address, hasToken)
    var limits = context.invocation.limits
    if let seconds = configuration.timeout { limits.stallMilliseconds = seconds * 1_000 }
    self.limits = limits
  }

  private lazy var inner: any Transport = {
    let environment = context.invocation.environment
    return context.invocation.line(
      CurlTransport(
        userAgent: "tsync/\(Tsync.version)", certificateFile: environment.nonEmpty("SSL_CERT_FILE"),
        certificateDirectory: environment.nonEmpty("SSL_CERT_DIR"),
        noProxy: environment["no_proxy"] ?? environment["NO_PROXY"], limits: limits,
        // This object owns the transport.
        goesOn: { [unowned self] in goesOn() }))
  }()

  func run(
    width: Int,
    next: () throws -> HTTPRequest?,
    done: (HTTPRequest, Result<HTTPAnswer, TransportError>) throws -> Void,
    meanwhile: () throws -> Void
  ) throws {
    try inner.run(
      width: width,
      next: {
        lastNews = Dependencies.monotonicMilliseconds()
        return try next()
      },
      done: { request, result in
        lastNews = Dependencies.monotonicMilliseconds()
        if case .failure(let error) = result, error.kind == .plainHTTP { refusal = error.message }
        try done(request, result)
      }, meanwhile: meanwhile)
  }

  /// Shows progress; returns whether to go on waiting.
  private func goesOn() -> Bool {
    let now = Dependencies.monotonicMilliseconds()
    if now - lastNews > Self.silence { context.printer.progress("waiting for \(address)") }
    guard context.invocation.signal() != nil else { return true }
    let end = end ?? now + Self.grace
    self.end = end
    return now < end
  }

  /// Describes an error of the exchange, if this transport or the token is the reason.
  func failure(_ error: any Error) -> any Error {
    if case Stop.unauthorized(let answer) = error, answer.status == 401, hasToken {
      return Problem(
        .unauthorized, "the server does not accept the token: \(answer.sentence)",
        hints: ["to set another token: \(typed: "remote", "login")"])
    }
    guard error is Stop, let refusal else { return error }
    return Problem.usage(refusal, hints: ["for another machine, use an address with https://"])
  }
}
