package import SyncModel

/// One line of the journal.
package enum JournalRecord: Equatable, Sendable {
  /// A command was told to delete an item, or to bring a deleted row back.
  case noted(ItemKey, Note)
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
    /// What a command was told of an item.
    case note(ItemKey)
    /// A conflict and its resolution.
    case conflict(ItemKey)
    /// A resolution that couldn't be carried out; the conflict stays open.
    case resolution(ItemKey)
    /// The forgetting of a table.
    case purge(TableName)
  }
}

/// What a command was told to do with an item.
package struct Note: Equatable, Sendable {
  /// What kind of operation it is.
  package var kind: Operation.Kind
  /// Whether a command was told to do it (`tsync rm`): no guard asks again.
  package var commanded: Bool
  /// When, in nanoseconds since 1970; the disk that takes the first note of an item says it.
  package var time: Int64 = 0
  /// The item that it has become, by `tsync mv`.
  package var successor: ItemKey?
  /// Whether the server has received that item, or has it as it is here.
  ///
  /// Until then, or until that item is removed, the row is not deleted, even if something else has its
  /// id.
  package var hasArrived: Bool

  /// The note of an item that brings a deleted row back because somebody means it.
  static let undelete = Note(kind: .undelete, commanded: false)

  package init(
    kind: Operation.Kind, commanded: Bool, successor: ItemKey? = nil, hasArrived: Bool = false
  ) {
    self.kind = kind
    self.commanded = commanded
    self.successor = successor
    self.hasArrived = hasArrived
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
