import CCurl
import Glibc
import Remote

/// What libcurl knows of a transfer that failed.
struct CurlFailure {
  /// The code that ended the transfer.
  var code: CURLcode
  /// libcurl's own words for the code: a constant text.
  var meaning = ""
  /// libcurl's words for this failure; may name the host and the certificate.
  var detail = ""
  /// The `errno` of the connection that failed, or 0.
  var systemError: Int32 = 0
  /// The status with which a proxy refused to connect, or 0.
  var proxyStatus = 0
  /// The milliseconds from the start to the failure.
  var elapsedMilliseconds = 0
  /// Whether a name was resolved.
  var isNameResolved = true
  /// Whether no byte of the request had left.
  var nothingSent = true
  /// The answer as far as it came.
  var incoming: IncomingAnswer

  /// Returns the failure as an error; of the URL it names the origin alone.
  func error(at origin: String, limits: TransportLimits) -> TransportError {
    let (kind, message) = reason(at: origin, limits: limits)
    return TransportError(kind, message, nothingSent: nothingSent)
  }

  private func reason(
    at origin: String, limits: TransportLimits
  ) -> (TransportError.Kind, String) {
    guard (0...299).contains(proxyStatus) else {
      return (.cannotConnect, "cannot reach \(origin): the proxy answered \(proxyStatus)")
    }
    switch code {
    case CURLE_COULDNT_RESOLVE_HOST:
      return (.nameNotResolved, "cannot reach \(origin): name not resolved")
    case CURLE_COULDNT_RESOLVE_PROXY:
      return (.nameNotResolved, "cannot reach \(origin): the proxy's name was not resolved")
    case CURLE_COULDNT_CONNECT:
      return (.cannotConnect, "cannot reach \(origin): \(connectionReason)")
    case CURLE_OPERATION_TIMEDOUT:
      return timeoutReason(at: origin, limits: limits)
    case CURLE_UNSUPPORTED_PROTOCOL where nothingSent:
      return (.unavailable, "this libcurl does not support the protocol of \(origin)")
    case CURLE_SSL_CONNECT_ERROR where Self.wordsOfPlainPorts.contains(where: detail.contains):
      return (.wrongScheme, "\(origin) does not speak TLS")
    case CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY:
      return (.malformed, "the answer of \(origin) is not HTTP")
    case CURLE_BAD_CONTENT_ENCODING:
      return (.malformed, "the answer cannot be decompressed")
    case CURLE_URL_MALFORMAT:
      return (.malformed, "the URL is not valid")
    case CURLE_OUT_OF_MEMORY where incoming.hasBegun && !incoming.isHeaderComplete,
      Self.tooLarge:
      // libcurl's own limit for one line, 100 KiB, comes before the line is handed on.
      return (.tooLarge, "the answer's header is larger than \(Amount.bytes(limits.headerBytes))")
    case CURLE_OUT_OF_MEMORY, CURLE_FAILED_INIT, CURLE_NOT_BUILT_IN, CURLE_UNKNOWN_OPTION:
      return (.unavailable, "libcurl failed: \(meaning)")
    case _ where Self.codesOfTLS.contains(code.rawValue):
      return (.insecure, "cannot trust \(origin): \(printableDetail)")
    case CURLE_GOT_NOTHING, CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_PARTIAL_FILE, CURLE_HTTP2,
      CURLE_HTTP2_STREAM:
      return (.cut, incoming.isHeaderComplete ? "the answer was cut off" : "the connection was cut")
    default:
      return (.cut, "the transfer with \(origin) failed: \(meaning)")
    }
  }

  private func timeoutReason(
    at origin: String, limits: TransportLimits
  ) -> (TransportError.Kind, String) {
    let connect = Amount.milliseconds(limits.connectMilliseconds)
    guard isNameResolved else {
      return (.nameNotResolved, "cannot reach \(origin): name not resolved within \(connect)")
    }
    guard !nothingSent else {
      return (.cannotConnect, "cannot reach \(origin): no connection within \(connect)")
    }
    // libcurl's account of the time may lag behind its own timer.
    guard elapsedMilliseconds + 100 < limits.requestMilliseconds else {
      let whole = Amount.milliseconds(limits.requestMilliseconds)
      return incoming.hasBegun
        ? (.timedOut, "the answer was not complete within \(whole)")
        : (.timedOut, "the server did not answer within \(whole)")
    }
    let stall = Amount.milliseconds(limits.stallMilliseconds)
    return (.timedOut, "the server was silent for \(stall)")
  }

  private var connectionReason: String {
    switch systemError {
    case ECONNREFUSED: "connection refused"
    case ENETUNREACH, EHOSTUNREACH, ENETDOWN, EHOSTDOWN: "no route to the host"
    case ETIMEDOUT: "connection timed out"
    default: "no connection"
    }
  }

  /// `detail`, or `meaning` in its place, without what a certificate could do to a terminal.
  private var printableDetail: String {
    let text = detail.isEmpty ? meaning : detail
    return String(
      decoding: text.utf8.map { (0x20...0x7E).contains($0) ? $0 : UInt8(ascii: "?") },
      as: UTF8.self)
  }

  /// `CURLE_TOO_LARGE`, which headers before 8.6 do not name.
  private static let tooLarge = CURLcode(rawValue: 100)

  /// How OpenSSL and GnuTLS say that the first bytes from the server are no TLS.
  private static let wordsOfPlainPorts = [
    "wrong version number", "packet length too long", "unexpected TLS packet", "unexpected length",
  ]

  private static let codesOfTLS = Set(
    [
      CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE,
      CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS,
      CURLE_SSL_ENGINE_NOTFOUND, CURLE_SSL_ENGINE_SETFAILED, CURLE_SSL_ENGINE_INITFAILED,
      CURLE_SSL_CRL_BADFILE, CURLE_SSL_CLIENTCERT, CURLE_SSL_PINNEDPUBKEYNOTMATCH,
      CURLE_SSL_SHUTDOWN_FAILED, CURLE_USE_SSL_FAILED,
    ].map(\.rawValue))
}
