import SyncEngine
import SyncModel

extension Outcome {
  /// Sums up an item's events: the last one names the line, which keeps what was merged before.
  ///
  /// A row that was taken over names it only if nothing was sent.
  init(_ events: [Event], _ names: ItemNames, isPreview: Bool) {
    let event = events.last { !$0.kind.isTaken } ?? events[events.count - 1]
    self.init(event, names, isPreview: isPreview)
    let merges = events.compactMap { event in
      if case .merged(let report) = event.what { report } else { nil }
    }
    if let merge = merges.last, !event.kind.isTaken { addMerge(merge) }
  }

  /// Describes what a pull or push did to an item, or would do; what would be done waits.
  init(_ event: Event, _ names: ItemNames, isPreview: Bool = false) {
    let verbs = event.what.verbs
    self.init(
      verb: isPreview ? verbs.preview : verbs.done, key: event.key,
      newID: event.answer.id, title: names.title(of: event.item))
    let isDone = event.kind == .pushed || event.kind.isTaken && event.kind != .left
    kind = isPreview && isDone ? .waits : event.kind
    switch event.what {
    case .alreadyThere: members.add(["alreadyThere": true])
    case .merged(let report):
      remark = report.words
      addMerged(report.fields)
    case .conflict(let conflict):
      fields = conflict.names
      members.add(["kind": conflict.letters])
    case .cut(let isLate):
      let fact = isLate ? "no answer in time" : "the connection was cut while it was sent"
      words = fact
      members.add(["message": fact])
    case .found(.delete), .conflictOver(true): remark = "on both sides"
    case .held:
      remark = event.hold?.rawValue
      members.add(ifAny: ["message": remark])
    case .rejected(let rejection): add(rejection.refusal, rejection.sentence)
    case .waits(let refusal): add(refusal, refusal.sentence)
    default: break
    }
    for (fact, names) in [("changed", event.answer.changed), ("dropped", event.answer.dropped)]
    where !names.isEmpty {
      addRemark("the server \(fact): \(names.map(\.string).joined(separator: ", "))")
      members.add([Text(fact): names])
    }
  }

  private mutating func add(_ refusal: Refusal, _ sentence: String) {
    words = sentence
    members.add(["answer": refusal.answer, "message": refusal.words])
  }

  private mutating func addMerged(_ merged: [FieldMerge.Merged]) {
    let sources = merged.map {
      JSONObject.Member(name: $0.name, value: .string(Text($0.source.rawValue)))
    }
    members.add(["merged": JSONObject(sources)])
  }

  private mutating func addRemark(_ words: String) {
    remark = remark.map { "\($0), \(words)" } ?? words
  }

  /// Adds what a push merged into the item before it was sent.
  private mutating func addMerge(_ report: MergeReport) {
    // That a change of the client's own stays needs no words.
    var shown = report
    shown.fields.removeAll { $0.source == .client && !$0.overrules }
    guard report.fields.isEmpty || !shown.fields.isEmpty else { return }
    addMerged(report.fields)
    // The fields of a conflict are named in this place.
    guard fields.isEmpty else { return }
    let words = "merged \(shown.words)"
    remark = remark.map { "\(words), \($0)" } ?? words
  }
}

extension [Event.Kind: Int] {
  /// Counts outcomes.
  init(_ outcomes: [Outcome]) {
    self = outcomes.compactMap(\.kind).reduce(into: [:]) { $0[$1, default: 0] += 1 }
  }

  /// Returns the parts of a summary that tell some kinds, such as `1 new` and `2 changed`.
  func parts(_ kinds: [Event.Kind]) -> [String] {
    kinds.compactMap { kind in self[kind].map { "\($0) \(kind.word(for: $0))" } }
  }
}

extension Event.Kind {
  /// The word behind a count.
  fileprivate func word(for count: Int) -> String {
    switch self {
    case .added: "new"
    case .updated: "changed"
    case .removed: "deleted"
    case .found: "already there"
    case .conflict: count == 1 ? "conflict" : "conflicts"
    case .waits: count == 1 ? "waits" : "wait"
    case .left, .settled, .pushed, .rejected, .cut, .unknown, .held: "\(self)"
    }
  }
}

extension Survey.Entry {
  /// Tells again of a conflict or a rejection, which wait for a person; `nil` in other states.
  var event: Event? {
    guard let key else { return nil }
    switch standing {
    case .conflict(let open): return Event(key, .conflict(open), item: client.item ?? open.server)
    case .rejected(let operation, let rejection):
      return Event(key, .rejected(rejection), item: operation.item ?? operation.base?.item)
    case .pending, .behind, .unknown, .invalid, .moved: return nil
    }
  }
}

extension Event.What {
  /// The verb of the line, and the one of a dry run.
  fileprivate var verbs: (done: String, preview: String) {
    switch self {
    case .pushed(.insert), .alreadyThere(.insert): ("created", "would create")
    case .pushed(.update), .alreadyThere(.update): ("updated", "would update")
    case .pushed(.delete), .alreadyThere(.delete), .found(.delete), .removed, .conflictOver(true):
      ("deleted", "would delete")
    case .pushed(.undelete), .alreadyThere(.undelete): ("undeleted", "would undelete")
    case .found: ("already there", "would create")
    case .added: ("new", "would add")
    case .updated: ("changed", "would change")
    case .left: ("left", "would leave")
    case .merged: ("merged", "would merge")
    case .conflict: ("conflict", "would conflict")
    case .conflictOver: ("settled", "would settle")
    case .held: ("held", "would hold")
    case .rejected: ("rejected", "would reject")
    case .waits: ("waits", "would wait")
    case .unknown: ("unknown", "would be unknown")
    case .cut: ("cut", "would be cut")
    }
  }
}

extension MergeReport {
  /// The source of each field, `text: client, notes: server`; after a delete, the side that won.
  fileprivate var words: String {
    guard fields.isEmpty else {
      return fields.map { field in
        "\(field.name): \(field.source.rawValue)\(field.overrules ? " by rule" : "")"
      }.joined(separator: ", ")
    }
    return (clientLost ? FieldMerge.Source.server : .client).rawValue
  }
}
