package import SyncModel

/// The report of a pull of one feed.
package struct PullReport: Equatable, Sendable {
  /// What was pulled.
  package let feed: Feed
  /// What happened, in the order in which it did.
  package var events: [Event] = []
  /// How many events there were of each kind, those that are not kept, too.
  package private(set) var counts: [Event.Kind: Int] = [:]
  /// How many removed items there are of which no event tells.
  package private(set) var untold = 0
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
    events.isEmpty && refused.isEmpty && faults.isEmpty && counts.isEmpty
  }

  /// Adds what happened, at a place among the events; by default at their end.
  package mutating func add(_ event: Event, at place: Int? = nil) {
    counts[event.kind, default: 0] += 1
    let isRemoval = [.removed, .left].contains(event.what)
    let isSimple = isRemoval || [.added, .updated].contains(event.what)
    if !isBrief || !isSimple || isRemoval && counts[event.kind, default: 0] <= Self.told {
      events.insert(event, at: place ?? events.endIndex)
    } else if isRemoval {
      untold += 1
    }
  }
}
