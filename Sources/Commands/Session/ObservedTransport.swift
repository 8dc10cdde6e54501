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
  /// The failure that the scheme of the address explains: plain HTTP to another machine, or TLS spoken
  /// by one side only.
  private var fault: TransportError?
  /// Whether a request was answered.
  private(set) var hasAnswered = false

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
        switch result {
        case .failure(let error):
          if [.plainHTTP, .wrongScheme].contains(error.kind) { fault = error }
        case .success: hasAnswered = true
        }
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
    guard let stop = error as? Stop else { return error }
    if case .unauthorized(let answer) = stop, answer.status == 401 {
      if hasToken {
        return Problem(
          .unauthorized, "the server does not accept the token: \(answer.sentence)",
          hints: ["to set another token: \(typed: "remote", "login")"])
      }
      if context.userDirectory == nil {
        return Problem(.unauthorized, "no token is used: HOME and XDG_CONFIG_HOME are not set")
      }
    }
    guard let fault else { return error }
    guard fault.kind == .wrongScheme else {
      return Problem.usage(
        fault.message, hints: ["for another machine, use an address with https://"])
    }
    let place = Substring("\(address)".utf8.drop { $0 != UInt8(ascii: ":") })
    guard address.origin.scheme == .https else {
      return Stop.elsewhere(fault.message, .tls(at: "https\(place)"))
    }
    // tsync itself speaks plain HTTP to this machine only.
    let host = address.origin.host.string
    let mayChange = host == "localhost" || LoopbackAddress.contains(host)
    return Stop.elsewhere(fault.message, mayChange ? .noTLS(at: "http\(place)") : nil)
  }
}
