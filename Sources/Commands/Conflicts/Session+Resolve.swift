import SyncEngine
import SyncModel
import Workspace

extension Session {
  func conflicts(of selection: Set<ItemKey>?) throws -> [ItemKey] {
    try included(tables.flatMap(rehearsed.conflicts), in: selection)
  }

  /// Returns the items that are in the command's tables and in a selection, sorted.
  func included(_ keys: some Sequence<ItemKey>, in selection: Set<ItemKey>?) -> [ItemKey] {
    keys.filter { tables.contains($0.table) && selection?.contains($0) ?? true }.sorted()
  }

  /// Resolves conflicts one after another, and prints each result.
  ///
  /// A rehearsal changes nothing. `isLast` is false if a push follows in the same command.
  /// The conflicts that recovery has resolved (`settled`) are printed first.
  mutating func resolve(
    _ keys: [ItemKey], by decider: Decider, isLast: Bool = true, settled: [ItemKey] = []
  ) throws -> ResolveSummary {
    let formers = try keys.flatMap(workspace.formers)
    let names = try names(of: settled + keys + formers)
    var summary = ResolveSummary(names, context.printer)
    for key in settled {
      let item = try rehearsed.client(key).item ?? rehearsed.base(of: key).item
      let verb = isDryRun ? "would resolve" : "resolved"
      var outcome = Outcome(verb: verb, key: key, title: names.title(of: item))
      outcome.remark = "its conflict had ended"
      outcome.members = JSONObject(["how": "decided"])
      summary.resolve(outcome, making: [key])
    }
    var decider = decider
    for (index, key) in keys.enumerated() {
      try context.checkSignal()
      place = keys.count > 1 ? "\(index + 1) of \(keys.count)" : nil
      do {
        try resolve(key, by: &decider, &summary)
      } catch Resolve.Failure.noConflict {
        try warnOfOther(key)
      } catch let failure as Resolve.Failure {
        // One conflict must not stop the others.
        var problem = Problem(failure)
        problem.status = .conflicts
        context.printer.warn(problem)
        summary.leave(key, nil)
      }
    }
    if workspace.isWriting, !keys.isEmpty || isLast { try show(summary, isLast: isLast) }
    return summary
  }

  /// Warns that another command has resolved the conflict, and names the person's document.
  private func warnOfOther(_ key: ItemKey) throws {
    let place = try workspace.documentPlace(of: key)
    let hints = place.map { place -> [Hint] in ["your text is in \(place: place)"] } ?? []
    context.printer.warn(
      Problem(
        .rejected, "\(key) was resolved by another command; nothing was changed", hints: hints))
  }

  /// How often a conflict is decided again because its sides have changed.
  private static let rounds = 5

  private mutating func resolve(
    _ key: ItemKey, by decider: inout Decider, _ summary: inout ResolveSummary
  ) throws {
    for _ in 0..<Self.rounds {
      let conflict = try self.conflict(key)
      do {
        guard let resolution = try decide(conflict, of: key, by: &decider) else { break }
        return try settle(key, conflict, by: resolution, &summary)
      } catch Resolve.Failure.changedMeanwhile {
        context.printer.warn("another program changed \(key); reading it again")
        // A person must see the new versions.
        decider.sides[conflict.words] = nil
      }
    }
    // It may have changed while a person was asked.
    summary.leave(key, try self.conflict(key))
  }

  /// Resolves a conflict if it is still the one that was decided; a rehearsal only prints that.
  private mutating func settle(
    _ key: ItemKey, _ conflict: Conflict, by resolution: Resolution,
    _ summary: inout ResolveSummary
  ) throws {
    let formers = try workspace.formers(of: key)
      .filter { try workspace.client($0) == .absent }
    if workspace.isWriting {
      guard try self.conflict(key) == conflict else {
        throw Resolve.Failure.changedMeanwhile(key)
      }
      try Resolve(settings: settings).settle(
        key, conflict, by: resolution, on: &workspace)
    }
    let title = summary.names.title(of: resolution.item ?? conflict.shown)
    var outcome = Outcome(
      verb: workspace.isWriting ? "resolved" : "would resolve", key: key, title: title)
    outcome.remark = resolution.how + (resolution.item == nil ? ", which deletes it" : "")
    outcome.members = JSONObject(["how": resolution.how])
    var made: Set = [key]
    if let id = resolution.copy, workspace.isWriting {
      let copy = ItemKey(key.table, id)
      made.insert(copy)
      let name = try names(of: [copy], inventory()).line(for: copy).text
      outcome.remark?.append(": new item \(name)")
      outcome.members.add(["newId": id])
    }
    summary.resolve(outcome, making: made)
    for former in formers {
      guard let item = try workspace.client(former).item else { continue }
      let title = summary.names.title(of: item)
      summary.add(Outcome(verb: "restored", key: former, title: title))
    }
  }

  /// Prints the numbers, and the next step.
  private func show(_ summary: ResolveSummary, isLast: Bool) throws {
    var hint: Hint?
    if summary.resolved == 0, let key = summary.left.min() {
      hint = "to keep your version (or --server): \(typed: "resolve", "--client", "\(key)")"
    } else if isLast {
      let survey = try Survey(of: tables, on: workspace)
      // An interrupted command may have resolved all of them, and sent nothing.
      let isPending =
        summary.resolved == 0 ? survey.unsent() > 0 : !survey.pending(summary.made).isEmpty
      if isPending { hint = "\(typed: "push")" }
    }
    context.printer.summary(Line(summary.words), next: hint)
  }

  // MARK: Until the server accepts

  /// How often the resolving of conflicts and a push alternate.
  private static let exchanges = 5

  /// Resolves conflicts and pushes, until the server accepts all or some are left.
  ///
  /// No selection means all items.
  mutating func pushUntilAccepted(
    _ selection: Set<ItemKey>?, by decider: Decider, maxDelete: Int? = nil
  ) throws {
    var left: Set<ItemKey> = []
    for exchange in 1...Self.exchanges {
      let open = try conflicts(of: selection).filter { !left.contains($0) }
      var made: Set<ItemKey> = []
      if !open.isEmpty {
        try record(as: "resolve")
        let summary = try resolve(open, by: decider, isLast: false)
        left.formUnion(summary.left)
        made = summary.made
      }
      // The first push sends all, later ones what was resolved since.
      guard exchange == 1 || !made.isEmpty else { break }
      let words = context.command == "push" ? context.recorded : context.recordedPush
      let chosen = exchange == 1 ? selection : made
      let names = exchange == 1 && context.command == "push" ? [] : chosen ?? []
      try record(
        as: Text(([words.string] + names.sorted().map(\.description)).joined(separator: " ")))
      try pushOnce(chosen, maxDelete: maxDelete)
    }
    try endPush(of: selection)
  }
}
