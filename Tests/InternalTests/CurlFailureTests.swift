import CCurl
import Glibc
import Remote
import Testing

@testable import CurlTransport

/// The failures that need more than loopback, from libcurl's code to words.
@Suite struct CurlFailureTests {
  private func error(
    _ code: CURLcode, _ change: (inout CurlFailure) -> Void = { _ in }
  ) -> TransportError {
    var failure = CurlFailure(
      code: code, meaning: "meaning", incoming: IncomingAnswer(limits: TransportLimits()))
    change(&failure)
    return failure.error(at: "https://a.example", limits: TransportLimits())
  }

  @Test(
    "a connection that is not made says why",
    arguments: [
      (ECONNREFUSED, "connection refused"), (ENETUNREACH, "no route to the host"),
      (EHOSTUNREACH, "no route to the host"), (ETIMEDOUT, "connection timed out"),
      (0, "no connection"),
    ])
  func connection(systemError: Int32, reason: String) {
    #expect(
      error(CURLE_COULDNT_CONNECT) { $0.systemError = systemError }
        == TransportError(
          .cannotConnect, "cannot reach https://a.example: \(reason)", nothingSent: true))
  }

  @Test("time runs out in four ways")
  func timeouts() {
    #expect(
      error(CURLE_OPERATION_TIMEDOUT) { $0.isNameResolved = false }
        == TransportError(
          .nameNotResolved, "cannot reach https://a.example: name not resolved within 10 s",
          nothingSent: true))
    #expect(
      error(CURLE_OPERATION_TIMEDOUT)
        == TransportError(
          .cannotConnect, "cannot reach https://a.example: no connection within 10 s",
          nothingSent: true))
    #expect(
      error(CURLE_OPERATION_TIMEDOUT) {
        $0.nothingSent = false
        $0.elapsedMilliseconds = 3_600_000
      } == TransportError(.timedOut, "the server did not answer within 3600 s", nothingSent: false))
    #expect(
      error(CURLE_OPERATION_TIMEDOUT) {
        $0.nothingSent = false
        $0.elapsedMilliseconds = 31_000
      } == TransportError(.timedOut, "the server was silent for 30 s", nothingSent: false))
  }

  @Test("what a certificate says can't move the cursor")
  func safeDetail() {
    let message = error(CURLE_PEER_FAILED_VERIFICATION) { $0.detail = "a\u{1B}[2J\nb" }.message
    #expect(message == "cannot trust https://a.example: a?[2J?b")
  }

  @Test("an unknown failure is cut, with libcurl's words, and keeps whether something was sent")
  func unknown() {
    #expect(
      error(CURLE_AGAIN) { $0.nothingSent = false }
        == TransportError(
          .cut, "the transfer with https://a.example failed: meaning", nothingSent: false))
  }

  @Test(
    "the origin is the URL up to its path",
    arguments: [
      ("http://a.example", "http://a.example"),
      ("https://a.example:8443/b?c#d", "https://a.example:8443"),
      ("https://a.example?secret", "https://a.example"), ("http://[::1]:80/b", "http://[::1]:80"),
      ("http://a.example#secret", "http://a.example"),
    ])
  func origin(url: String, origin: String) {
    #expect(HTTPRequest(method: "GET", url: url).origin == origin)
  }

  @Test(
    "hosts on this machine are reached without a proxy, whatever the environment says",
    arguments: [
      (nil, "localhost,127.0.0.1,::1"), ("", "localhost,127.0.0.1,::1"),
      ("a.example,.b.example", "localhost,127.0.0.1,::1,a.example,.b.example"), ("*", "*"),
    ] as [(String?, String)])
  func noProxy(given: String?, used: String) {
    let settings = CurlSettings(
      userAgent: "", certificateFile: nil, noProxy: given, limits: TransportLimits())
    #expect(settings.noProxy == used)
  }
}
