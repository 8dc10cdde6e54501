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
  /// A push that is not whole was stopped. A preview has the events of a push that succeeds.
  mutating func showItems(
    _ report: PushReport, of survey: Survey, _ selection: Set<ItemKey>?, isWhole: Bool,
    isPreview: Bool = false
  ) throws -> [PushSummary.Entry] {
    let keys = report.events.map(\.key)
    let sent = Set(keys)
    let selected = survey.entries(of: selection)
    let titles = try names(of: [])
    var events = Dictionary(grouping: report.events, by: \.key)
    var repeated: [ItemKey: PushSummary.Entry] = [:]
    for entry in selected {
      guard let key = entry.key, !sent.contains(key) else { continue }
      repeated[key] = PushSummary.Entry(repeating: entry, of: key, titles)
    }
    let order = survey.entries.compactMap(\.key) + keys
    let entries = order.compactMap { key in
      events.removeValue(forKey: key).map {
        PushSummary.Entry($0, titles, isPreview: isPreview)
      } ?? repeated.removeValue(forKey: key)
    }
    // The pull of a sync has printed its conflicts.
    let again = reported.subtracting(sent)
    let shown = entries.filter { entry in
      !again.contains(entry.outcome.key) && !(entry.isWell && context.options.quiet)
    }
    let names = try names(of: shown.isEmpty ? [] : keys + selected.compactMap(\.key))
    for entry in shown { context.printer.item(entry.outcome.line(names), isWell: entry.isWell) }
    pushed.entries += entries
    pushed.conflicts = entries.count(of: .conflict)
    pushed.unsent = report.unsent + entries.count(of: .unsent)
    for key in sent { pushed.pendingDeletes[key] = nil }
    if isWhole, report.missing.isEmpty {
      let pending = survey.following(selection).filter { !sent.contains($0.key) }
      pushed.pendingDeletes.merge(pending) { $1 }
    }
    // A push that was stopped before it sent anything has no document.
    if isWhole || !entries.isEmpty { context.printer.set(pushed.json, of: "push") }
    return entries
  }

  /// Prints the result of a push, even if it failed half way.
  mutating func show(
    _ report: PushReport, of survey: Survey, _ selection: Set<ItemKey>?, isWhole: Bool
  ) throws {
    let printer = context.printer
    let entries = try showItems(report, of: survey, selection, isWhole: isWhole)
    let invalid = try survey.invalidCount(of: selection) + warnOfMerged(report)
    warnOfDoubts(report)
    let (conflicts, rejected) = (entries.count(of: .conflict), entries.count(of: .rejected))
    let (unknown, held) = (entries.count(of: .unknown), entries.count(of: .held))
    let cut = entries.count(of: .cut)
    let unsent =
      (isWhole && report.missing.isEmpty ? report.unsent : 0) + entries.count(of: .unsent)
    if rejected + held + cut + unsent > 0 { printer.end(with: .rejected) }
    if unknown > 0 { printer.end(with: .unreachable) }
    let files =
      report.vanished == 0 ? "" : " (\(counted(report.vanished, "missing file")))"
    let counts = [
      (entries.count(of: .pushed), "pushed\(files)"),
      (entries.count(of: .found), "already there"),
      (conflicts, conflicts == 1 ? "conflict" : "conflicts"), (rejected, "rejected"),
      (cut, "cut"), (unknown, "unknown"), (held, "held"),
      (unsent, unsent == 1 ? "waits" : "wait"), (invalid, "not valid"),
    ].filter { $0.0 > 0 }
    var next: Hint?
    if conflicts > 0 {
      next = "\(typed: "resolve")"
    } else if rejected + held + cut + unsent + invalid > 0 {
      next = "\(typed: "status")"
    } else if unknown > 0, report.doubtful.isEmpty {
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
    if !counts.isEmpty {
      let words = counts.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
      printer.summary(Line(words), next: next)
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
    var count = 0
    for key in Set(merged).sorted() {
      guard case .invalid(let invalid) = try workspace.client(key) else { continue }
      count += 1
      context.printer.warn(invalid)
    }
    return count
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
