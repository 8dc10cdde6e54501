package import SyncModel

/// A write that the server refused.
package struct Rejection: Equatable, Sendable {
  /// The kind of the write.
  package var kind: Operation.Kind
  /// The server's answer.
  package var refusal: Refusal
  /// The fingerprint of the item that was sent; `nil` for a delete.
  package var digest: Digest?
  /// How often it was tried.
  package var tries: Int
  /// When it was tried last, in seconds since 1970.
  package var time: Int64

  package init(
    kind: Operation.Kind, refusal: Refusal, digest: Digest?, tries: Int, time: Int64
  ) {
    self.kind = kind
    self.refusal = refusal
    self.digest = digest
    self.tries = tries
    self.time = time
  }
}
