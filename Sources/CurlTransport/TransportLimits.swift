/// The limits of size and time of a server's answer.
package struct TransportLimits: Hashable, Sendable {
  /// The milliseconds for resolving the name, connecting and the TLS handshake together.
  package var connectMilliseconds = 10_000
  /// The milliseconds for a whole request, connecting included: a server that sends a byte now and
  /// then holds nobody up for ever.
  package var requestMilliseconds = 3_600_000
  /// The milliseconds of silence after which a transfer ends; rounded up to seconds.
  package var stallMilliseconds = 30_000
  /// The bytes of a body, counted after its content coding was undone.
  package var bodyBytes = 64 << 20
  /// The bytes kept of a body whose status is 400 or more; what is beyond is read and dropped.
  package var errorBodyBytes = 64 << 10
  /// How many times larger than on the wire a body may become.
  package var unpackedRatio = 200
  /// The decoded bytes from which on ``unpackedRatio`` is applied: short texts pack very well.
  package var ratioFromBytes = 1 << 20
  /// The header fields of one answer.
  package var headerLines = 200
  /// The bytes of an answer's status lines and header fields, interim replies included.
  package var headerBytes = 64 << 10
  /// The interim replies (1xx) before the answer.
  package var interimReplies = 100
  /// Whether plain HTTP may go to loopback addresses; it never goes anywhere else.
  package var allowsPlainHTTPToLoopback = true

  /// Makes the default limits.
  package init() {}
}
