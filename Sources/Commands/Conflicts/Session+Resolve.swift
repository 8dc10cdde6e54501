import SyncEngine
import SyncModel
import Workspace

/// The results of a round of resolving.
struct ResolveSummary {
  fileprivate(set) var resolved: [ItemKey] = []
  /// The new items that keep a second version.
  fileprivate var copies: Set<ItemKey> = []
  /// The items that a push has to send.
  var made: Set<ItemKey> { copies.union(resolved) }
  fileprivate(set) var left: [ItemKey] = []
  fileprivate(set) var outcomes: [Outcome] = []
  /// The types of fields; other items are read only if a typed value needs them.
  fileprivate var types: FieldTypes?

  /// The members of `tsync.resolve/1`.
  var json: JSONObject {
    JSONObject(["items": outcomes, "resolved": resolved.count, "left": left.count])
  }

  /// The summary, such as `2 resolved, 1 left`.
  fileprivate var words: String {
    let parts = [(resolved.count, "resolved"), (left.count, "left")].filter { $0.0 > 0 }
    return parts.isEmpty
      ? "nothing to resolve" : parts.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
  }
}

extension Session {
  func conflicts(of selection: Set<ItemKey>?) throws -> [ItemKey] {
    workspace.journal.conflicts.keys.filter { key in
      tables.contains(key.table) && selection?.contains(key) ?? true
    }.sorted()
  }

  /// Resolves conflicts one after another, and prints each result.
  ///
  /// A rehearsal changes nothing. `isLast` is false if a push follows in the same command.
  /// The conflicts that recovery has resolved (`settled`) are printed first.
  mutating func resolve(
    _ keys: [ItemKey], by decider: Decider, isRehearsal: Bool = false, isLast: Bool = true,
    settled: [ItemKey] = []
  ) throws -> ResolveSummary {
    let formers = keys.flatMap(workspace.journal.predecessors)
    let names = try ItemNames(
      for: settled + keys + formers, in: tables, on: workspace,
      titleField: configuration.titleField)
    var summary = ResolveSummary()
    for key in settled { try showSettled(key, names, &summary) }
    var isOver = false
    for (index, key) in keys.enumerated() {
      try context.checkSignal()
      place = keys.count > 1 ? "\(index + 1) of \(keys.count)" : nil
      do {
        if isOver {
          try leave(key, names, &summary)
        } else {
          isOver = try resolve(key, by: decider, names, isRehearsal: isRehearsal, &summary)
        }
      } catch Resolve.Failure.noConflict {
        try showOver(key)
      } catch let failure as Resolve.Failure {
        // One conflict must not stop the others.
        let failure = Failure(failure)
        context.output.warn(failure.message ?? "\(key) can't be read")
        for hint in failure.hints { context.output.warn(hint) }
        showLeft(key, nil, names, &summary)
      }
    }
    if !keys.isEmpty || isLast { try summarize(summary, isRehearsal: isRehearsal, isLast: isLast) }
    return summary
  }

  /// Prints that recovery resolved a conflict as an interrupted command had decided.
  private mutating func showSettled(
    _ key: ItemKey, _ names: ItemNames, _ summary: inout ResolveSummary
  ) throws {
    let item = try workspace.client(key).item ?? workspace.base(of: key).item
    var outcome = Outcome(verb: "resolved", key: key, title: names.title(of: item))
    outcome.remark = "as decided before"
    outcome.members = JSONObject(["how": "decided"])
    show(outcome, names, &summary)
    summary.resolved.append(key)
  }

  /// Warns that another command has resolved the conflict, and names the person's document.
  private mutating func showOver(_ key: ItemKey) throws {
    let places = try workspace.documentPlaces(of: key)
    let text = places.isEmpty ? "" : "; your text is in \(places.joined(separator: ", "))"
    context.output.warn("\(key) was resolved by another command; nothing was changed\(text)")
    context.output.end(with: .rejected)
  }

  /// How often a conflict is decided again because its sides have changed.
  private static let rounds = 5

  /// Resolves one conflict; returns whether all later ones are left.
  private mutating func resolve(
    _ key: ItemKey, by decider: Decider, _ names: ItemNames, isRehearsal: Bool,
    _ summary: inout ResolveSummary
  ) throws -> Bool {
    for _ in 0..<Self.rounds {
      let conflict = try self.conflict(key)
      let decision: Decider.Decision
      if decider.isInteractive {
        decision = isRehearsal ? .left : try decide(conflict, of: key, by: decider)
      } else {
        decision = try chosen(conflict, of: key, by: decider.choices, &summary.types)
      }
      guard case .settled(let resolution) = decision else {
        if decider.choices.keepsBoth, conflict.client == nil {
          context.output.warn(
            "\(key) is deleted here; --both needs two versions")
        }
        try leave(key, names, &summary)
        if case .quit = decision { return true }
        return false
      }
      guard let back = try isRehearsal ? [] : settle(key, conflict, by: resolution) else {
        context.output.warn("another program changed \(key); reading it again")
        continue
      }
      let item = resolution.item(of: conflict) ?? conflict.client ?? conflict.server
      var outcome = Outcome(
        verb: isRehearsal ? "would resolve" : "resolved", key: key, title: names.title(of: item))
      let isDeleted = resolution.item(of: conflict) == nil
      outcome.remark = resolution.how + (isDeleted ? ", which deletes it" : "")
      outcome.members = JSONObject(["how": resolution.how])
      if case .both(let id) = resolution.choice, !isRehearsal {
        let copy = ItemKey(key.table, id)
        summary.copies.insert(copy)
        let name = try self.names(of: [copy], inventory()).line(for: copy).text
        outcome.remark?.append(": new item \(name)")
        outcome.members.add(["newId": id.text])
      }
      show(outcome, names, &summary)
      summary.resolved.append(key)
      for (former, item) in back {
        show(Outcome(verb: "restored", key: former, title: names.title(of: item)), names, &summary)
      }
      return false
    }
    try leave(key, names, &summary)
    return false
  }

  private mutating func chosen(
    _ conflict: Conflict, of key: ItemKey, by choices: FieldChoices, _ types: inout FieldTypes?
  ) throws -> Decider.Decision {
    let id = try ItemID.random(context.invocation.random)
    let resolution = try choices.resolution(for: conflict, id: id) { assignment in
      var known = try types ?? FieldTypes(try inventory())
      defer { types = known }
      return try known.value(
        of: assignment, in: conflict.fields?.item ?? Item(JSONObject()), key, on: workspace)
    }
    return resolution.map { .settled($0) } ?? .left
  }

  /// Resolves a conflict if it is still the one that was decided.
  ///
  /// - Returns: The items that are back under their former ids; `nil` if the conflict has changed.
  private mutating func settle(
    _ key: ItemKey, _ conflict: Conflict, by resolution: Resolution
  ) throws -> [(key: ItemKey, item: Item)]? {
    guard try self.conflict(key) == conflict else { return nil }
    let formers = try workspace.journal.predecessors(of: key)
      .filter { try workspace.client($0) == .absent }
    do {
      try Resolve(settings: settings).settle(
        key, conflict, by: resolution.choice, on: &workspace, claims: &claims)
    } catch Resolve.Failure.changedMeanwhile {
      return nil
    }
    return try formers.compactMap { former in
      try workspace.client(former).item.map { (former, $0) }
    }
  }

  private mutating func leave(
    _ key: ItemKey, _ names: ItemNames, _ summary: inout ResolveSummary
  ) throws {
    let conflict = try self.conflict(key)
    showLeft(key, conflict, names, &summary)
  }

  /// Prints that a conflict is left; `conflict` is `nil` if it can't be read.
  private func showLeft(
    _ key: ItemKey, _ conflict: Conflict?, _ names: ItemNames, _ summary: inout ResolveSummary
  ) {
    let title = names.title(of: conflict?.client ?? conflict?.server)
    show(
      Outcome(verb: "left", key: key, title: title, fields: conflict?.names ?? []), names, &summary)
    summary.left.append(key)
  }

  private func show(_ outcome: Outcome, _ names: ItemNames, _ summary: inout ResolveSummary) {
    context.output.result(outcome.line(names))
    summary.outcomes.append(outcome)
  }

  private mutating func summarize(
    _ summary: ResolveSummary, isRehearsal: Bool, isLast: Bool
  ) throws {
    guard !isRehearsal else { return }
    var hint: Hint?
    if summary.resolved.isEmpty, !summary.left.isEmpty {
      hint = "SIDE is client, server or both: \(typed: "resolve", "--SIDE", "REF")"
    } else if isLast, !summary.resolved.isEmpty {
      let pending = try Survey(of: tables, on: workspace).pending(summary.made)
      if !pending.isEmpty { hint = "\(typed: "push")" }
    } else if summary.resolved.isEmpty {
      // An interrupted command may have resolved all of them, and sent nothing.
      if try Survey(of: tables, on: workspace).waiting > 0 {
        hint = "\(typed: "push")"
      }
    }
    context.output.summary(Line(summary.words), next: hint)
  }

  // MARK: Until the server accepts

  /// How often a push and the resolving of its conflicts alternate.
  private static let exchanges = 5

  /// Pushes, resolves conflicts and pushes again, until the server accepts all or some are left.
  ///
  /// No selection means all items. `asksFirst` resolves open conflicts before the first push.
  mutating func pushUntilAccepted(
    _ selection: Set<ItemKey>?, by decider: Decider, maxDelete: Int? = nil, asksFirst: Bool
  ) throws {
    var left: Set<ItemKey> = []
    if asksFirst {
      let open = try conflicts(of: selection)
      if !open.isEmpty { left = Set(try resolve(open, by: decider, isLast: false).left) }
    }
    try pushOnce(selection, maxDelete: maxDelete)
    for _ in 1..<Self.exchanges {
      let open = try conflicts(of: selection).filter { !left.contains($0) }
      guard !open.isEmpty else { break }
      let resolved = try resolve(open, by: decider, isLast: false)
      left.formUnion(resolved.left)
      guard !resolved.resolved.isEmpty else { break }
      try pushOnce(resolved.made, maxDelete: maxDelete)
    }
    try endPush(of: selection)
  }
}
