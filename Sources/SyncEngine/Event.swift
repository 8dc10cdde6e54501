package import SyncModel

/// An event of an item, to be reported.
package struct Event: Equatable, Sendable {
  /// The kind of an event.
  package enum What: Equatable, Sendable {
    /// The server made, changed, deleted or undeleted the row as this client asked.
    case pushed(Operation.Kind)
    /// As `pushed`, found out by reading: an earlier answer had been lost.
    case alreadyThere(Operation.Kind)
    /// Before it was sent, another had made the row as the item is here, or deleted it.
    case found(Operation.Kind)
    /// The server's new row became an item.
    case added
    /// The server's change was taken over.
    case updated
    /// The server's deletion was taken over.
    case removed
    /// No query returns the row any more; its file was removed.
    case left
    /// Both had changed the item; it was merged.
    case merged(MergeReport)
    /// A conflict is open.
    case conflict(Conflict)
    /// A conflict that was open is none any more: both sides say the same, or have deleted the item.
    case conflictOver(deleted: Bool)
    /// The server refused the item.
    case rejected(Rejection)
    /// The server did not do it now, and said nothing of the row: the change stays pending.
    case waits(Refusal)
    /// What became of the write is not known.
    case unknown
    /// No whole answer came to the write, or none in time, and the row is as it was before; the write stays
    /// open.
    case cut(timedOut: Bool)
    /// The server's row waits, because the item can't be replaced now.
    case held
  }

  /// What an event counts as.
  package enum Kind: Sendable {
    /// The server's side was taken over: the item is new here, was changed, merged ones included, was removed,
    /// or was removed because no query returns its row; or its conflict is over.
    case added, updated, removed, left, settled
    /// The server has done a write, or its new row was there already.
    case pushed, found
    /// Something is left to do.
    case conflict, rejected, cut, unknown, held, waits

    /// Whether the server's side was taken over.
    package var isTaken: Bool { [.added, .updated, .removed, .left, .settled].contains(self) }
  }

  /// Why a row waits although its item's file is valid.
  package enum Hold: String, Sendable {
    /// The file was changed each time that the row was to be applied.
    case changing = "changed meanwhile"
    /// The file can't be replaced, though others beside it can be.
    case unwritable = "cannot be written"
  }

  /// Which item.
  package let key: ItemKey
  /// What happened.
  package let what: What
  /// The item, for its title: as it is now, or as it last was.
  package let item: Item?
  /// What the server made of a write that it carried out.
  package let answer: WriteAnswer
  /// Why the row waits, if that isn't the file's text or name.
  package let hold: Hold?

  package init(
    _ key: ItemKey, _ what: What, item: Item?, answer: WriteAnswer = WriteAnswer(),
    hold: Hold? = nil
  ) {
    self.key = key
    self.what = what
    self.item = item
    self.answer = answer
    self.hold = hold
  }

  /// What it counts as; a change with dropped fields counts as rejected.
  package var kind: Kind {
    guard answer.dropped.isEmpty else { return .rejected }
    return switch what {
    case .added: .added
    case .updated, .merged: .updated
    case .removed: .removed
    case .left: .left
    case .conflictOver: .settled
    case .found(.insert): .found
    case .pushed, .alreadyThere, .found: .pushed
    case .conflict: .conflict
    case .rejected: .rejected
    case .cut: .cut
    case .unknown: .unknown
    case .held: .held
    case .waits: .waits
    }
  }
}
