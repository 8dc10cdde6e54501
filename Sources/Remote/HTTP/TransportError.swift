/// The reason why a request received no complete answer.
package struct TransportError: Error, Hashable, Sendable {
  /// The kind of a failure.
  package enum Kind: Hashable, Sendable {
    /// The host's name was not resolved.
    case nameNotResolved
    /// No connection was made: refused, no route, or timed out while connecting.
    case cannotConnect
    /// TLS failed: certificate, host name or handshake.
    case insecure
    /// Plain HTTP to an address that is not loopback.
    case plainHTTP
    /// TLS to a port that doesn't speak it, or plain HTTP to one that expects it.
    case wrongScheme
    /// The connection broke, or the answer was not whole.
    case cut
    /// The request took too long, or stalled.
    case timedOut
    /// The answer passed a limit: size, header lines, ratio, content coding.
    case tooLarge
    /// The answer is not HTTP, or used what was not asked for.
    case malformed
    /// The transport itself could not be set up (libcurl is missing, or out of memory).
    case unavailable
    /// Whoever waits was asked to end.
    case interrupted
  }

  /// The kind of failure.
  package var kind: Kind
  /// The fact in words for people, lower case, without a period; it names no secret.
  package var message: String
  /// Whether no byte of the request had left, so that the server can't have acted on it.
  package var nothingSent: Bool

  package init(_ kind: Kind, _ message: String, nothingSent: Bool) {
    self.kind = kind
    self.message = message
    self.nothingSent = nothingSent
  }
}
