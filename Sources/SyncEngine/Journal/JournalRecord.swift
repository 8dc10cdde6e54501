package import SyncModel

/// One line of the journal.
package enum JournalRecord: Equatable, Sendable {
  /// A conflict is open.
  case conflict(ItemKey, OpenConflict)
  /// The conflict of an item is over.
  case closed(ItemKey)
}

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

/// A conflict that a person must resolve.
package struct OpenConflict: Equatable, Sendable {
  /// What each side did.
  package var kind: Conflict.Kind
  /// The paths in conflict.
  package var fields: [Text]
  /// The fingerprint of the item's file when the conflict was laid down; `nil` where it was absent.
  package var digest: Digest?
  /// The server's row that the client's item is up against, or what stands for none.
  package var server: Row
  /// What both sides began from where that isn't the base, such as that of a table which was forgotten
  /// since; `nil` for the base.
  package var origin: Item?

  package init(
    kind: Conflict.Kind, fields: [Text], digest: Digest?, server: Row, origin: Item? = nil
  ) {
    self.kind = kind
    self.fields = fields
    self.digest = digest
    self.server = server
    self.origin = origin
  }
}
