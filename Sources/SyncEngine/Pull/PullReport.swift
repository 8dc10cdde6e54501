package import SyncModel

/// The report of a pull of one feed.
package struct PullReport: Equatable, Sendable {
  /// What was pulled.
  package let feed: Feed
  /// What happened, in the order in which it did.
  package var events: [Event] = []
  /// How many items are new here.
  package private(set) var added = 0
  /// How many items were changed here, merged ones included.
  package private(set) var updated = 0
  /// How many items were removed here.
  package private(set) var removed = 0
  /// How many items were removed here because no query returns their rows.
  package private(set) var left = 0
  /// What can't be a row.
  package var refused: [RefusedRow] = []
  /// What the server has not sent although it should have, in words for people.
  package var faults: [String] = []
  /// Why the query was not pulled; `nil` where it was.
  package var fault: QueryFault?
  /// The first row that stood twice in one page, the later of which counts; `nil` where none did.
  package var twin: ItemID?

  /// Whether what answered may be a replica that lacks what this workspace has.
  package var isLate = false
  /// The stop for too many deletes, of a pull or of one that is rehearsed; `nil` where they aren't.
  package var stop: Stop?

  let isBrief: Bool
  private static let told = 20

  /// How many removed items there are of which no event tells.
  package var untold: Int {
    isBrief ? max(0, removed - Self.told) + max(0, left - Self.told) : 0
  }

  /// Makes the report of a pull that has done nothing yet.
  ///
  /// A brief one counts the items that are simply new, changed or removed, and keeps no events of them
  /// but of the first 20 that are removed or have left: of a large pull they would be as large as the table.
  package init(_ feed: Feed, isBrief: Bool = false) {
    self.feed = feed
    self.isBrief = isBrief
  }

  /// Whether it brought nothing.
  package var isEmpty: Bool {
    events.isEmpty && refused.isEmpty && faults.isEmpty
      && added + updated + removed + left == 0
  }

  /// Adds what happened.
  package mutating func add(_ event: Event) {
    switch event.what {
    case .added: added += 1
    case .updated, .merged: updated += 1
    case .removed: removed += 1
    case .left: left += 1
    default: break
    }
    if !isBrief || !event.what.isSimple || event.what == .removed && removed <= Self.told
      || event.what == .left && left <= Self.told
    {
      events.append(event)
    }
  }

  /// The conflicts that were found.
  package var conflicts: [Event] {
    events.filter { if case .conflict = $0.what { true } else { false } }
  }
}
