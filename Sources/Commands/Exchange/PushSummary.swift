import SyncEngine
import SyncModel

/// What the pushes of a command did: a line for each item and push, in the order of the changes.
struct PushSummary {
  /// What a line counts as; `taken` is a row of the server's, `unsent` a change to be sent.
  enum Kind { case pushed, found, conflict, rejected, cut, unknown, held, unsent, taken }

  /// The line of an item.
  struct Entry {
    var outcome: Outcome
    /// A change with dropped fields counts as rejected.
    let kind: Kind
    /// Whether it needs nobody.
    var isWell: Bool { [.pushed, .found, .taken].contains(kind) }
  }

  /// The lines of all pushes.
  var entries: [Entry] = []
  /// The conflicts that the last push has found or repeated.
  var conflicts = 0
  /// The changes that wait after the last push.
  var unsent = 0
  /// The items that the server keeps until it has what they have become.
  var pendingDeletes: [ItemKey: ItemKey] = [:]

  /// The members of `tsync.push/1`.
  var json: JSONObject {
    JSONObject([
      "items": entries.map(\.outcome),
      "pushed": entries.count(of: .pushed) + entries.count(of: .found),
      "conflicts": conflicts, "rejected": entries.count(of: .rejected),
      "cut": entries.count(of: .cut),
      "unknown": entries.count(of: .unknown), "held": entries.count(of: .held),
      "waiting": unsent,
    ])
  }
}

extension [PushSummary.Entry] {
  func count(of kind: PushSummary.Kind) -> Int { count { $0.kind == kind } }
}

extension PushSummary.Entry {
  /// Sums up an item's events: the last one names the line, which keeps what was merged before.
  ///
  /// A row that was taken over names it only if nothing was sent.
  init(_ events: [Event], _ names: ItemNames, isPreview: Bool) {
    let event = events.last { $0.what.kind != .taken } ?? events[events.count - 1]
    let isTaken = event.what.kind == .taken
    outcome = Outcome(event, names, isPreview: isPreview)
    kind =
      isPreview ? .unsent : event.answer.dropped.isEmpty ? event.what.kind : .rejected
    let merges = events.compactMap { event in
      if case .merged(let report) = event.what { report } else { nil }
    }
    if let merge = merges.last, !isTaken { outcome.addMerge(merge) }
  }

  /// Repeats a conflict or a rejection, which wait for a person; `nil` for other states.
  init?(repeating entry: Survey.Entry, of key: ItemKey, _ names: ItemNames) {
    switch entry.standing {
    case .conflict(let open):
      let item = entry.client.item ?? open.server
      let outcome = Outcome(
        verb: "conflict", key: key, title: names.title(of: item), fields: open.names,
        members: JSONObject(["kind": open.kind.rawValue]))
      self.init(outcome: outcome, kind: .conflict)
    case .rejected(let operation, let rejection):
      let item = operation.item ?? operation.base?.item
      self.init([Event(key, .rejected(rejection), item: item)], names, isPreview: false)
    case .pending, .behind, .unknown, .invalid, .moved: return nil
    }
  }
}

extension Event.What {
  fileprivate var kind: PushSummary.Kind {
    switch self {
    case .pushed, .alreadyThere: .pushed
    case .found(.insert): .found
    case .found: .pushed
    case .conflict: .conflict
    case .rejected: .rejected
    case .waits: .unsent
    case .unknown: .unknown
    case .cut: .cut
    case .held: .held
    case .added, .updated, .removed, .left, .merged, .conflictOver: .taken
    }
  }
}
