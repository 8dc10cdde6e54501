import SyncEngine
import SyncModel

/// The results of a push, item by item, in the order of the changes.
///
/// An item that was merged and then accepted is two events of the engine, but one line:
/// `updated 7f3a  Buy oat milk (merged notes: server)`.
struct PushOutcomes {
  private enum Kind { case success, conflict, rejection, doubt, held, other }

  private var entries: [(kind: Kind, outcome: Outcome)] = []
  private var merges: [ItemKey: MergeReport] = [:]
  private var successes: [ItemKey: Int] = [:]
  /// The items with a finished write of an earlier push; their next write is an outcome of its own.
  private var earlier: Set<ItemKey>
  private var conflictPlaces: [ItemKey: Int] = [:]
  private var dropped = 0

  /// Sums up the events, and repeats the conflicts and rejections of items that are not sent.
  ///
  /// `unsent` are the items without events. Items that `order` doesn't have come last.
  init(
    _ events: [Event], resent: Set<ItemKey> = [], unsent: [Survey.Entry], order: [ItemKey: Int],
    title: (Item?) -> String?
  ) {
    earlier = resent
    for event in events { add(event, title: title(event.item)) }
    for entry in unsent { addUnsent(of: entry, title) }
    for (key, report) in merges.sorted(by: { $0.key < $1.key }) {
      // The server has the merged item already: there was nothing to send.
      guard successes[key] == nil else { continue }
      let item = events.last { $0.key == key }?.item
      let event = Event(key, .merged(report), item: item)
      if let outcome = Outcome(pulled: event, title: title(item)) {
        entries.append((.other, outcome))
      }
    }
    let ranked = entries.enumerated().map { (order[$0.element.outcome.key] ?? .max, $0.offset) }
    entries = ranked.sorted { $0 < $1 }.map { entries[$0.1] }
  }

  private mutating func add(_ event: Event, title: String?) {
    let key = event.key
    switch event.what {
    case .pushed(let kind): succeed(kind, key, title, event.answer, isThere: false)
    case .alreadyThere(let kind): succeed(kind, key, title, event.answer, isThere: true)
    case .merged(let report):
      merges[key] = report
      if let index = successes[key] { addMergeNote(index, report) }
    case .rejected(let rejection):
      entries.append((.rejection, Outcome(rejected: rejection, key, title: title)))
    case .unknown: entries.append((.doubt, Outcome(verb: "unknown", key: key, title: title)))
    case .conflict, .added, .updated, .removed, .conflictOver, .held, .keptOverTombstone:
      guard let outcome = Outcome(pulled: event, title: title) else { return }
      if event.what == .held { return entries.append((.held, outcome)) }
      guard case .conflict = event.what else { return entries.append((.other, outcome)) }
      // If several rounds find the conflict, the last one counts.
      if let index = conflictPlaces[key] {
        entries[index].outcome = outcome
      } else {
        conflictPlaces[key] = entries.count
        entries.append((.conflict, outcome))
      }
    }
  }

  /// Repeats conflicts and rejections, which wait for a person.
  private mutating func addUnsent(of entry: Survey.Entry, _ title: (Item?) -> String?) {
    guard let key = entry.key else { return }
    switch entry.standing {
    case .conflict(let open):
      let item = entry.client.item ?? (open.server.deleted ? nil : open.server.item)
      var outcome = Outcome(verb: "conflict", key: key, title: title(item), fields: open.fields)
      outcome.members = JSONObject(["kind": open.kind.rawValue])
      entries.append((.conflict, outcome))
    case .rejected(let operation, let rejection):
      let item = operation.item ?? operation.base?.item
      entries.append((.rejection, Outcome(rejected: rejection, key, title: title(item))))
    case .pending, .waiting, .unknown, .invalid, .moved: return
    }
  }

  private mutating func succeed(
    _ kind: Operation.Kind, _ key: ItemKey, _ title: String?, _ answer: WriteAnswer, isThere: Bool
  ) {
    // A change with dropped fields counts as rejected.
    if !answer.dropped.isEmpty { dropped += 1 }
    // An undelete or a merge takes two writes; the first names the outcome. A delete is an outcome of
    // its own, and so is a write after one of an earlier push.
    if let index = successes[key], kind != .delete, earlier.remove(key) == nil {
      entries[index].outcome.title = title
      entries[index].outcome.add(answer)
      return
    }
    var outcome = Outcome(verb: kind.word, key: key, title: title)
    if kind == .undelete { earlier.remove(key) }
    if isThere {
      earlier.insert(key)
      outcome.remark = "already there"
      outcome.members.add(["alreadyThere": true])
    }
    outcome.add(answer)
    successes[key] = entries.count
    entries.append((.success, outcome))
    if let report = merges[key] { addMergeNote(entries.count - 1, report) }
  }

  /// Adds the merged fields to a success.
  private mutating func addMergeNote(_ index: Int, _ report: MergeReport) {
    var shown = report
    shown.fields.removeAll { $0.source == .client && !$0.overrules }
    guard report.fields.isEmpty || !shown.fields.isEmpty else { return }
    let words = "merged \(shown.words)"
    entries[index].outcome.remark = entries[index].outcome.remark.map { "\(words), \($0)" } ?? words
    entries[index].outcome.addMerged(report.fields)
  }
}

extension PushOutcomes {
  var outcomes: [Outcome] { entries.map(\.outcome) }
  var pushed: Int { entries.count { $0.kind == .success } }
  var conflicts: Int { entries.count { $0.kind == .conflict } }
  /// Rejected changes, and changes with dropped fields.
  var rejected: Int { dropped + entries.count { $0.kind == .rejection } }
  /// Rows that wait for their items.
  var held: Int { entries.count { $0.kind == .held } }
  var unknown: Int { entries.count { $0.kind == .doubt } }
}

extension Outcome {
  /// Adds the server's id, and the fields that the server changed or dropped.
  fileprivate mutating func add(_ answer: WriteAnswer) {
    newID = answer.id ?? newID
    for (fact, names) in [("changed", answer.changed), ("dropped", answer.dropped)]
    where !names.isEmpty {
      let words = "the server \(fact): \(names.map(\.string).joined(separator: ", "))"
      remark = remark.map { "\($0), \(words)" } ?? words
      members.add([Text(fact): names])
    }
  }

  /// Describes a rejected change, with the server's message instead of the title.
  init(rejected rejection: Rejection, _ key: ItemKey, title: String?) {
    let refusal = rejection.refusal
    self.init(verb: "rejected", key: key, title: title, words: rejection.sentence)
    members = JSONObject(["answer": refusal.status, "message": refusal.words])
  }
}

extension Operation.Kind {
  var word: String {
    switch self {
    case .insert: "created"
    case .update: "updated"
    case .delete: "deleted"
    case .undelete: "undeleted"
    }
  }
}
