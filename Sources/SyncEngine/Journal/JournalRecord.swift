package import SyncModel

/// One line of the journal.
package enum JournalRecord: Equatable, Sendable {
  /// A conflict is open.
  case conflict(ItemKey, OpenConflict)
  /// A conflict is being resolved.
  case resolve(ItemKey, Resolution)
  /// A table is being forgotten.
  case purge(TableName)
  /// What was open of one kind is over.
  case closed(Subject)

  /// The subject of a closing record.
  package enum Subject: Equatable, Sendable {
    /// A conflict and its resolution.
    case conflict(ItemKey)
    /// A resolution that couldn't be carried out; the conflict stays open.
    case resolution(ItemKey)
    /// The forgetting of a table.
    case purge(TableName)
  }
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

/// The resolution of a conflict that is under way.
package struct Resolution: Equatable, Sendable {
  /// The item as it shall be; `nil` where it shall be deleted.
  package var item: Item?
  /// The fingerprint of the item's file that the resolution saw; `nil` where it was absent.
  package var digest: Digest?
  /// The server's row that the resolution has taken into account; it becomes the base.
  package var server: Row
  /// A new item that holds the client's side, where both are kept.
  package var copy: ItemKey?
  /// The client's side, which the copy or the trash takes.
  package var client: Item?

  package init(item: Item?, digest: Digest?, server: Row, copy: ItemKey? = nil, client: Item?) {
    self.item = item
    self.digest = digest
    self.server = server
    self.copy = copy
    self.client = client
  }
}
