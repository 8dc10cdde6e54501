import SyncEngine
import SyncModel
import Workspace

/// The output of a push, item by item.
struct PushSummary {
  private let context: Context
  private let survey: Survey
  private let selection: Set<ItemKey>?
  private let titleField: Text?
  private let reportedBefore: Set<ItemKey>
  /// The results of each push of the command.
  private var rounds: [PushOutcomes] = []
  private var previewed: [Outcome] = []
  private var waiting = 0
  /// The items that the last push has printed.
  private var reported: Set<ItemKey> = []
  /// The items that the server keeps until it has their successors.
  private var pendingDeletes: [ItemKey: ItemKey] = [:]
  private var invalidCount = 0
  /// Whether a person has to find out if an insert has arrived.
  private var isDoubtful = false

  /// `reported` are the conflicts that the command has printed before.
  init(
    _ context: Context, _ survey: Survey, _ selection: Set<ItemKey>?, _ titleField: Text?,
    _ reported: Set<ItemKey>
  ) {
    reportedBefore = reported
    self.context = context
    self.survey = survey
    self.selection = selection
    self.titleField = titleField
  }

  private func isSelected(_ key: ItemKey?) -> Bool {
    guard let selection else { return true }
    return key.map(selection.contains) ?? false
  }

  /// Warns of files that are not sent because they are invalid or were moved.
  mutating func warn() {
    for entry in survey.entries where isSelected(entry.key) {
      switch entry.standing {
      case .invalid(let invalid):
        invalidCount += 1
        context.output.show(invalid)
      case .moved(let place):
        guard let key = entry.key else { continue }
        context.output.warn("\(key) was renamed to \(place) by hand; not pushed")
      default: continue
      }
      context.output.end(with: .rejected)
    }
  }

  /// Warns of items that the server keeps until it has their successors.
  func showPendingDeletes() {
    for (key, successor) in pendingDeletes.sorted(by: { $0.key < $1.key }) {
      // Without a change of the successor, nothing would ever send the delete.
      let isStuck = !survey.entries.contains { entry in
        if case .invalid(let file) = entry.standing, file.claims == successor.id { return true }
        return entry.key == successor
      }
      let fact = "\(key) is deleted on the server once \(successor) is there"
      context.output.warn(
        fact,
        hints: isStuck
          ? [
            "to bring it back: \(typed: "restore", "\(key)")",
            "to remove it: \(typed: "rm", "\(key)")",
          ] : [])
    }
    if !pendingDeletes.isEmpty, conflicts == 0 { context.output.end(with: .rejected) }
  }

  /// Prints the result of each item and the summary, even if the push failed half way.
  mutating func show(_ report: PushReport, isWhole: Bool, on disk: some Disk) throws {
    let reported = Set(report.events.map(\.key))
    let unsent = survey.entries.filter { entry in
      isSelected(entry.key) && entry.key.map { !reported.contains($0) } ?? false
    }
    var order: [ItemKey: Int] = [:]
    for (index, entry) in survey.entries.enumerated() {
      if let key = entry.key { order[key] = index }
    }
    let names = try ItemNames(
      for: report.events.map(\.key) + unsent.compactMap(\.key), in: survey.tables, on: disk,
      titleField: titleField)
    let outcomes = PushOutcomes(
      report.events, resent: report.resent, unsent: unsent, order: order, title: names.title)
    let again = reportedBefore.subtracting(reported)
    for outcome in outcomes.outcomes where !again.contains(outcome.key) {
      context.output.result(outcome.line(names))
    }
    try warnOfMerged(report, disk)
    warnOfDoubts(report)
    isDoubtful = !report.doubtful.isEmpty
    if outcomes.rejected > 0 || outcomes.held > 0 { context.output.end(with: .rejected) }
    if outcomes.unknown > 0 { context.output.end(with: .unreachable) }
    rounds.append(outcomes)
    waiting = report.waiting
    self.reported = reported
    pendingDeletes = survey.following(selection).filter { !reported.contains($0.key) }
    let isOver = isWhole && report.stop == nil && report.missing.isEmpty
    if !isOver { pendingDeletes = [:] }
    summarize(outcomes, isWhole: isOver && pendingDeletes.isEmpty)
  }

  /// Warns of missing tables, and of inserts that the server may have made under other ids.
  private func warnOfDoubts(_ report: PushReport) {
    for table in report.missing.sorted() {
      context.output.warn(.noTable(table, of: survey.tables))
      context.output.end(with: .unreachable)
    }
    if report.doubtful.isEmpty { return }
    let keys = report.doubtful.sorted().map { "\($0)" }
    let word = keys.count == 1 ? keys[0] : "REF"
    context.output.warn(
      Failure(
        .unreachable,
        "no answer for \(keys.joined(separator: " ")): the server may have made the row under another id",
        hints: [
          "to look for the row: \(typed: "pull") && \(typed: "list")",
          "if the row is there, to remove this copy: \(typed: "rm", word)",
          "if it is not there, to send the item again: \(typed: "push", "--again", word)",
        ]))
  }

  /// Warns of merged items that are invalid, such as those that became too large.
  private mutating func warnOfMerged(_ report: PushReport, _ disk: some Disk) throws {
    let merged = report.events.compactMap { event in
      if case .merged = event.what { event.key } else { nil }
    }
    for key in Set(merged).sorted() {
      guard case .invalid(let invalid) = try disk.client(key) else { continue }
      invalidCount += 1
      context.output.show(invalid)
      context.output.end(with: .rejected)
    }
  }

  /// Prints the changes that a push would send, and their number.
  ///
  /// A push that is stopped still finds out the outcome of earlier writes.
  mutating func preview(on disk: some Disk, isStopped: Bool) throws {
    let following = survey.following(selection)
    let entries = survey.entries.filter {
      isSelected($0.key) || $0.key.map { following[$0] != nil } ?? false
    }
    let names = try ItemNames(
      for: entries.compactMap(\.key), in: survey.tables, on: disk, titleField: titleField)
    let pending = Set(survey.pending(selection).map(\.key))
    var count = 0
    for entry in entries {
      guard let key = entry.key else { continue }
      let title = names.title(of: try entry.client.item ?? disk.base(of: key).row?.item)
      let writes: [(kind: Operation.Kind, title: String?)]
      switch entry.standing {
      case .rejected(let operation, _) where pending.contains(key), .pending(let operation):
        writes = isStopped ? [] : [(operation.kind, title)]
      case .waiting(_, let successor) where !pending.contains(successor):
        pendingDeletes[key] = successor
        continue
      case .waiting(let operation, _): writes = isStopped ? [] : [(operation.kind, title)]
      case .unknown(let intent):
        let next = isStopped ? nil : intent.next(entry.client)
        let sent = names.title(of: intent.item) ?? title
        writes = [(intent.kind, sent)] + (next.map { [($0, title)] } ?? [])
      case .conflict, .rejected, .invalid, .moved: continue
      }
      for write in writes {
        let outcome = Outcome(verb: write.kind.word, key: key, title: write.title).asPreview
        count += 1
        previewed.append(outcome)
        context.output.result(outcome.line(names))
      }
    }
    let rest = PushOutcomes([], unsent: entries, order: [:], title: names.title)
    for outcome in rest.outcomes
    where !pending.contains(outcome.key) && !reportedBefore.contains(outcome.key) {
      context.output.result(outcome.line(names))
    }
    rounds.append(rest)
    waiting = count
    if isStopped { return }
    if count > 0 {
      context.output.summary(Line("\(count) to push"), next: "\(typed: "push")")
    } else if rest.outcomes.isEmpty, invalidCount == 0, pendingDeletes.isEmpty {
      context.output.summary("nothing to push")
    }
  }

  private func summarize(_ outcomes: PushOutcomes, isWhole: Bool) {
    let parts = [
      (outcomes.pushed, "pushed", "pushed"), (outcomes.conflicts, "conflict", "conflicts"),
      (outcomes.rejected, "rejected", "rejected"), (outcomes.unknown, "unknown", "unknown"),
      (outcomes.held, "held", "held"), (invalidCount, "not valid", "not valid"),
    ].filter { $0.0 > 0 }.map { "\($0.0) \($0.0 == 1 ? $0.1 : $0.2)" }
    if parts.isEmpty {
      // If the push ended early, the failure says the rest.
      if isWhole { context.output.summary("nothing to push") }
    } else {
      context.output.summary(Line(parts.joined(separator: ", ")), next: next(outcomes))
    }
  }

  private func next(_ outcomes: PushOutcomes) -> Hint? {
    if outcomes.conflicts > 0 { return "\(typed: "resolve")" }
    if outcomes.rejected > 0 || outcomes.held > 0 || invalidCount > 0 {
      return "\(typed: "status")"
    }
    return outcomes.unknown > 0 && !isDoubtful ? "\(typed: "push")" : nil
  }

  /// The conflicts that the last push has found or repeated.
  var conflicts: Int { rounds.last?.conflicts ?? 0 }

  /// Adds an earlier push of the same command.
  mutating func add(_ earlier: PushSummary) {
    rounds = earlier.rounds + rounds
    pendingDeletes.merge(earlier.pendingDeletes.filter { !reported.contains($0.key) }) { now, _ in
      now
    }
  }

  var isEmpty: Bool { previewed.isEmpty && rounds.allSatisfy(\.outcomes.isEmpty) }

  /// The members of `tsync.push/1`.
  var json: JSONObject {
    let items = previewed + rounds.flatMap(\.outcomes)
    let sum = { (count: (PushOutcomes) -> Int) in rounds.reduce(0) { $0 + count($1) } }
    return JSONObject([
      "items": items, "pushed": sum(\.pushed), "conflicts": conflicts,
      "rejected": sum(\.rejected), "unknown": sum(\.unknown), "held": sum(\.held),
      "waiting": waiting,
    ])
  }
}
