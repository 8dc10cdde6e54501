package import SyncModel

/// The interface of the engine to the store of items and rows.
///
/// Each mutating call is one step: after a crash it has happened whole or not at all, and what was
/// called before has happened too. What a power loss may take back is said at each call.
package typealias Disk = ItemDisk & RowDisk

/// How a conflict ends.
package enum ConflictEnd: Sendable {
  /// By a row or a command that is not about it.
  case byItself
  /// By its user: the history says that it was decided on.
  case decided
  /// By its user, who has decided on other items with it: undo can't open it again.
  case decidedWithOthers
}

/// The item files, which the user can edit at any moment.
package protocol ItemDisk {
  /// Reads one item.
  func client(_ key: ItemKey) throws -> ClientState

  /// Returns the stray files of a table, by the ids that they say, as the names in its directory are now: items
  /// whose own files are missing may have been moved there, not deleted.
  func strays(in table: TableName) throws -> [ItemID: InvalidItem]

  /// Returns everything in a table that may differ from its base: changed, new, missing and invalid
  /// items. What is known to be as its base says is left out.
  func candidates(in table: TableName) throws -> [Candidate]

  /// Replaces items, or removes them, each if it still is what the caller has seen; what was there goes to
  /// the trash.
  ///
  /// Of an item that exists only what differs in meaning is rewritten. All of it survives a power loss when
  /// this returns, and each item is whole at any moment: its new text is safe before it takes its place.
  ///
  /// - Returns: What came of each change.
  mutating func write(_ changes: [FileChange]) throws -> [WriteOutcome]

  /// Makes the first items of a table of rows that have just arrived, the last of each id, beside what the caller
  /// goes on with; nobody sees them yet.
  ///
  /// - Returns: Whether they are being made: not where the table has files already, or that can't be done.
  mutating func fill(_ rows: [Row], of table: TableName) throws -> Bool

  /// Puts all of them in their places, in one step that survives a power loss, if they are the items of
  /// all open arrivals; `false` where nothing was done.
  mutating func endFill(of table: TableName) throws -> Bool

  /// Keeps a copy of an item that loses, in the trash.
  mutating func keep(_ item: Item, of key: ItemKey) throws

  /// Makes the files of items, as they are now, survive a power loss, and that others are missing; a row may
  /// speak of them from now on, whoever wrote them: an editor may leave its text in memory.
  mutating func synchronize(_ ids: [ItemID], in table: TableName) throws

  /// Lays the sides of a conflict side by side.
  ///
  /// The server's side and the base replace those of a former conflict of the item. A former client's
  /// side is kept, because its user may have edited it; one that says that the item was deleted is
  /// replaced if the client has the item. A new client's side is a copy of the item's bytes, so that its
  /// fingerprint shows whether it was edited.
  mutating func writeConflict(_ conflict: Conflict, of key: ItemKey) throws

  /// Moves the sides of a conflict to the trash.
  ///
  /// Where it ends by itself, a person is told where the document of an edit is now.
  mutating func removeConflict(of key: ItemKey, as end: ConflictEnd) throws

  /// Reads the client's side of a conflict, which its user may have edited; absent where the client
  /// deleted the item, and where no side is laid.
  func conflictClient(of key: ItemKey) throws -> ClientState
}

extension ItemDisk {
  /// Moves the sides of a conflict on which nobody has decided to the trash.
  package mutating func removeConflict(of key: ItemKey) throws {
    try removeConflict(of: key, as: .byItself)
  }

  package mutating func fill(_ rows: [Row], of table: TableName) throws -> Bool { false }
  package mutating func endFill(of table: TableName) throws -> Bool { false }

  /// Replaces an item, or removes it, if it still is what the caller has seen; see ``write(_:)``.
  package mutating func write(
    _ item: Item?, to key: ItemKey, expecting expected: Digest?
  ) throws -> WriteOutcome {
    try write(FileChange(key, to: item, expecting: expected))
  }

  /// Makes one change; see ``write(_:)``.
  ///
  /// - Throws: ``UnwritableItem``, among others.
  package mutating func write(_ change: FileChange) throws -> WriteOutcome {
    let outcome = try write([change])[0]
    if case .unwritable(let error) = outcome { throw error }
    return outcome
  }

  /// Makes the files of items, as they are now, survive a power loss; see ``synchronize(_:in:)``.
  package mutating func synchronize(_ keys: [ItemKey]) throws {
    for (table, keys) in Dictionary(grouping: keys, by: \.table) {
      try synchronize(keys.map(\.id), in: table)
    }
  }
}

/// A change of one item's file.
package struct FileChange {
  /// Which item.
  package var key: ItemKey
  /// What it becomes; without this and a text it is removed.
  package var item: Item?
  /// The bytes of the file, where they are not to be made of the item.
  package var text: [UInt8]?
  /// The fingerprint of what the caller has seen; `nil` where nothing was there.
  package var expected: Digest?

  package init(
    _ key: ItemKey, to item: Item? = nil, text: [UInt8]? = nil, expecting expected: Digest?
  ) {
    (self.key, self.item, self.text, self.expected) = (key, item, text, expected)
  }
}

/// The result of replacing a file.
package enum WriteOutcome: Equatable, Sendable {
  /// The item is what was asked for; the fingerprint of its bytes, `nil` where it was removed.
  case replaced(Digest?)
  /// The file is not as the caller saw it; nothing was done.
  case changedMeanwhile
  /// This one can't be replaced or removed.
  case unwritable(UnwritableItem)
}

/// The error of a disk that can't replace or remove one item, though it can make others beside it.
package struct UnwritableItem: Error, Equatable {
  /// The path of the item's file.
  package let place: String

  package init(place: String) { self.place = place }
}

/// What the server has said: one journal for each table.
package protocol RowDisk {
  /// Returns what is known of a table.
  func table(_ table: TableName) throws -> any TableRows

  /// Appends facts to a table's journal, in one write; with `durably`, they and all before them survive a
  /// power loss.
  ///
  /// A crash may leave the first of them alone.
  mutating func append(_ facts: [Fact], to table: TableName, durably: Bool) throws

  /// Forgets everything about a table, in one durable step.
  mutating func forget(_ table: TableName) throws
}
