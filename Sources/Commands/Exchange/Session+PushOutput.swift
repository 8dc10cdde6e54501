import SyncEngine
import SyncModel
import Workspace

/// The output of a push.
extension Session {
  /// Warns of what no push sends: invalid and renamed files, deletes that wait, and tables that left the settings.
  func warnOfUnsent(_ survey: Survey, _ selection: Set<ItemKey>?) {
    for entry in survey.entries(of: selection) {
      switch entry.standing {
      case .invalid(let invalid): context.printer.warn(invalid)
      case .moved(let place):
        guard let key = entry.key else { continue }
        context.printer.warn(
          Problem(.rejected, "\(key) was renamed to \(place: place) by hand; not pushed"))
      default: continue
      }
    }
    warnOfWaitingDeletes(survey, selection, .rejected)
    guard selection == nil else { return }
    let known =
      ((try? workspace.knownTables()) ?? []) + ((try? workspace.directories().tables) ?? [])
    for table in Set(known).subtracting(configuration.tables).sorted() {
      // A table that can't be read must not stop the others.
      let count = (try? Survey(of: [table], on: workspace))?.entries.count ?? 0
      guard count > 0 else { continue }
      context.printer.warn("\(table) has \(counted(count, "change")) and is not in 'tables'")
    }
  }

  /// Prints the line of each item, and adds it to the document.
  ///
  /// A push that is not whole was stopped.
  private mutating func showItems(
    _ report: PushReport, of survey: Survey, _ selection: Set<ItemKey>?, isWhole: Bool
  ) throws -> [Event.Kind: Int] {
    let keys = report.events.map(\.key)
    let sent = Set(keys)
    let selected = survey.entries(of: selection)
    let repeated = selected.compactMap(\.event).filter { !sent.contains($0.key) }
    let titles = try names(of: [])
    var events = Dictionary(grouping: report.events + repeated, by: \.key)
    let foretold = try repeated.filter {
      try $0.kind == .conflict && !workspace.isInConflict($0.key)
    }
    let previewed = isDryRun ? sent.union(foretold.map(\.key)) : []
    let outcomes = (survey.entries.compactMap(\.key) + keys).compactMap { key in
      events.removeValue(forKey: key).map {
        Outcome($0, titles, isPreview: previewed.contains(key))
      }
    }
    // The pull of a sync has printed its conflicts.
    let again = reported.subtracting(sent)
    let shown = outcomes.filter { outcome in
      !again.contains(outcome.key) && !(outcome.isWell && context.options.quiet)
    }
    let names = try names(of: shown.isEmpty ? [] : keys + selected.compactMap(\.key))
    for outcome in shown { context.printer.item(outcome.line(names), isWell: outcome.isWell) }
    let counts = [Event.Kind: Int](outcomes)
    pushed.outcomes += outcomes
    pushed.conflicts = counts[.conflict, default: 0]
    pushed.unsent = report.unsent + counts[.waits, default: 0]
    for key in sent { pushed.pendingDeletes[key] = nil }
    if isWhole, report.missing.isEmpty {
      let pending = survey.following(selection).filter { !sent.contains($0.key) }
      pushed.pendingDeletes.merge(pending) { $1 }
    }
    // A push that was stopped before it sent anything has no document.
    if isWhole || !outcomes.isEmpty { context.printer.set(pushed.json, of: "push") }
    return counts
  }

  /// Prints the result of a push, even if it failed half way.
  mutating func show(
    _ report: PushReport, of survey: Survey, _ selection: Set<ItemKey>?, isWhole: Bool
  ) throws {
    let printer = context.printer
    var counts = try showItems(report, of: survey, selection, isWhole: isWhole)
    let wouldPush = isDryRun ? counts.removeValue(forKey: .waits) : nil
    let invalid = try survey.invalidCount(of: selection) + warnOfMerged(report)
    warnOfDoubts(report)
    if isWhole, report.missing.isEmpty, report.unsent > 0 {
      counts[.waits, default: 0] += report.unsent
    }
    let isLeft = [.rejected, .held, .cut, .waits].contains { counts[$0] != nil }
    if isLeft { printer.end(with: .rejected) }
    if counts[.unknown] != nil { printer.end(with: .unreachable) }
    var parts = counts.parts([
      .pushed, .found, .conflict, .rejected, .cut, .unknown, .held, .waits,
    ])
    if let wouldPush { parts.insert("\(wouldPush) to push", at: 0) }
    if report.vanished > 0, (counts[.pushed] ?? wouldPush) != nil {
      parts[0] += " (\(counted(report.vanished, "missing file")))"
    }
    if invalid > 0 { parts.append("\(invalid) not valid") }
    var next: Hint?
    if isDryRun, !report.events.isEmpty || !reported.isEmpty {
      next = "\(typed: context.inEarnest)"
    } else if counts[.conflict] != nil {
      next = "\(typed: "resolve")"
    } else if isLeft || invalid > 0 {
      next = "\(typed: "status")"
    } else if counts[.unknown] != nil, report.doubtful.isEmpty {
      next = "\(typed: "push")"
    } else if report.events.contains(where: { $0.what == .pushed(.delete) }),
      let number = workspace.recordedNumber
    {
      // What takes this push back: the newest command that can be taken back may be another one.
      let undone =
        try Undo.last(self)?.effects.filter { $0.did == .removed }.map(\.key) ?? []
      let isOfUndo = report.events.allSatisfy { undone.contains($0.key) }
      next = isOfUndo ? "\(typed: "redo")" : "\(typed: "undo", "\(number)")"
    }
    if !parts.isEmpty {
      printer.summary(Line(parts.joined(separator: ", ")), next: next)
    } else if isWhole, report.missing.isEmpty, pushed.pendingDeletes.isEmpty {
      // If the push ended early, the failure says the rest.
      printer.summary("nothing to push")
    }
  }

  /// Warns of merged items that are invalid, such as those that became too large; returns how many.
  private func warnOfMerged(_ report: PushReport) throws -> Int {
    let merged = report.events.compactMap { event in
      if case .merged = event.what { event.key } else { nil }
    }
    let invalids = try Set(merged).sorted().compactMap { key in
      if case .invalid(let invalid) = try rehearsed.client(key) { invalid } else { nil }
    }
    invalids.forEach(context.printer.warn)
    return invalids.count
  }

  /// Warns of missing tables, and of inserts that the server may have made under other ids.
  private func warnOfDoubts(_ report: PushReport) {
    for table in report.missing.sorted() {
      context.printer.warn(.noTable(table, of: tables))
    }
    if report.doubtful.isEmpty { return }
    let keys = report.doubtful.sorted().map { "\($0)" }
    let word = keys.count == 1 ? keys[0] : "REF"
    context.printer.warn(
      Problem(
        .unreachable,
        "no answer for \(keys.joined(separator: " ")): the server may have made the row under another id",
        hints: [
          "to look for the row: \(typed: "pull") && \(typed: "list")",
          "if the row is there, to remove this copy: \(typed: "rm", word)",
          "if it is not there, to send the item again: \(typed: "push", "--again", word)",
        ]))
  }

  /// Warns of items that the server keeps until it has what they have become.
  func showPendingDeletes() throws {
    guard !pushed.pendingDeletes.isEmpty else { return }
    for (key, other) in pushed.pendingDeletes.sorted(by: { $0.key < $1.key }) {
      context.printer.warn(
        Problem(
          pushed.conflicts == 0 ? .rejected : .done,
          "\(key) is deleted once the server has \(other) as it is here"))
    }
  }
}

extension Survey {
  /// Counts the invalid files of the selected items.
  func invalidCount(of selection: Set<ItemKey>?) -> Int {
    entries(of: selection).count { $0.invalid != nil }
  }
}
