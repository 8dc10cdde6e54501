import SyncEngine
import SyncModel
import Workspace

extension Session {
  /// Returns the items of the references; `nil`, which means all, if there are none.
  func selection(_ words: [String]) throws -> Set<ItemKey>? {
    try words.isEmpty ? nil : Set(lookup(inventory()).items(words))
  }

  /// Pushes pending changes and prints the results, also before it throws.
  ///
  /// `maxDelete` is the limit of vanished files per table; `nil` keeps the guard.
  /// `insertsAgain` repeats inserts that may make second rows.
  mutating func push(
    _ selection: Set<ItemKey>? = nil, maxDelete: Int? = nil, insertsAgain: Bool = false
  ) throws {
    try pushOnce(selection, maxDelete: maxDelete, insertsAgain: insertsAgain)
    try endPush(of: selection)
  }

  /// Prints the last warnings, and sets the exit status for conflicts that stay open.
  func endPush(of selection: Set<ItemKey>?) throws {
    pushed?.showPendingDeletes()
    // A push of some items also sends the deletes that wait for them.
    let isInConflict =
      try pushed.map { $0.conflicts > 0 } ?? false || !conflicts(of: selection).isEmpty
    if isInConflict { context.output.end(with: .conflicts) }
  }

  /// Adds a push to the JSON document, with the earlier ones of the command.
  private mutating func record(_ push: PushSummary) {
    var push = push
    if let pushed { push.add(pushed) }
    pushed = push
    context.output.set(push.json, of: "push")
  }

  /// Pushes without the last warnings, because the command may push again.
  mutating func pushOnce(
    _ selection: Set<ItemKey>?, maxDelete: Int?, insertsAgain: Bool = false
  ) throws {
    guard configuration.remote != nil else { throw Self.noServer }
    var settings = settings
    settings.maxDelete = maxDelete
    let survey = try Survey(of: tables, on: workspace)
    // If the only given item is invalid, nothing is done (decisions.md 27).
    if let selection, selection.count == 1,
      let named = survey.entries.first(where: {
        $0.key.map(selection.contains) ?? false
      }), case .invalid(let invalid) = named.standing
    {
      throw invalid
    }
    var summary = PushSummary(context, survey, selection, configuration.titleField, reported)
    summary.warn()
    if selection == nil { warnOfOtherTables() }
    guard survey.hasWork(selection, workspace.journal) else {
      let closings = survey.closings(of: workspace.journal)
      if !closings.isEmpty { try workspace.append(closings, durably: false) }
      try summary.show(PushReport(), isWhole: true, on: workspace)
      return record(summary)
    }
    do {
      try send(survey, selection, settings, &summary, insertsAgain: insertsAgain)
      record(summary)
    } catch {
      // The server has what was sent before the failure.
      if !summary.isEmpty { record(summary) }
      throw (error as? Stop).map { Self.failure($0, waiting: survey.waiting) } ?? error
    }
  }

  private mutating func send(
    _ survey: Survey, _ selection: Set<ItemKey>?, _ settings: Settings,
    _ summary: inout PushSummary, insertsAgain: Bool
  ) throws {
    try exchange { session, server in
      let (context, tables) = (session.context, session.tables)
      var report = PushReport()
      var push = Push(
        settings: settings, selection: selection,
        progress: { context.output.progress("\($0) of \($1) sent") })
      push.insertsAgain = insertsAgain
      push.takesNewFieldsTogether = server.isServerOfOurs
      let result = Result {
        try push.run(
          tables, known: survey, on: &session.workspace, to: &server.backend, report: &report)
      }
      if case .failure(let stop as Stop) = result { report.stop = stop }
      if case .success = result, report.stop == nil, context.invocation.signal() != nil {
        // Without a request under way, the engine hasn't seen the signal.
        report.waiting = try Survey(of: tables, on: session.workspace).waiting
        if report.waiting > 0 { report.stop = StoppableBackend.stop }
      }
      try summary.show(report, isWhole: result.isSuccess, on: session.workspace)
      if case .failure(let error) = result { throw error }
      if let stop = report.stop {
        let explained = server.failure(stop)
        throw (explained as? Stop).map { Self.failure($0, waiting: report.waiting) } ?? explained
      }
      if report.missing.isEmpty {
        try Self.keep(settings.now, \.pushed, session.workspace, server)
      }
    }
  }

  /// Prints the changes that a push would send, without a request or a record.
  ///
  /// - Throws: ``Failure`` if the push would be refused because it deletes too much.
  mutating func previewPush(
    _ selection: Set<ItemKey>? = nil, maxDelete: Int? = nil
  ) throws {
    var settings = settings
    settings.maxDelete = maxDelete
    let push = Push(settings: settings, selection: selection)
    let preview = try preview ?? PushPreview(of: push, tables, on: workspace)
    var summary = PushSummary(
      context, preview.survey, selection, configuration.titleField, reported)
    summary.warn()
    if selection == nil { warnOfOtherTables() }
    try summary.preview(on: workspace, isStopped: preview.stop != nil)
    if let stop = preview.stop { throw Self.failure(stop, waiting: preview.survey.waiting) }
    record(summary)
    summary.showPendingDeletes()
    if summary.conflicts > 0 { context.output.end(with: .conflicts) }
  }

  /// Adds the number of waiting changes to the failure of a push that ended early.
  private static func failure(_ stop: Stop, waiting: Int) -> Failure {
    var failure = Failure(stop)
    if case .unsafe = stop { return failure }
    let words = waiting == 1 ? "1 change waits" : "\(waiting) changes wait"
    failure.hints.append("nothing is lost: \(words)\(.column)try again: \(typed: "push")")
    return failure
  }

  /// Warns of changes in tables that left the settings, because no push sends them.
  private func warnOfOtherTables() {
    let open = [Array(workspace.journal.conflicts.keys), Array(workspace.journal.intents.keys)]
    let known = open.joined().map(\.table) + ((try? workspace.directories().tables) ?? [])
    for table in Set(known).subtracting(configuration.tables).sorted() {
      // A table that can't be read must not stop the others.
      guard let survey = try? Survey(of: [table], on: workspace), !survey.entries.isEmpty else {
        continue
      }
      let changes = survey.entries.count == 1 ? "1 change" : "\(survey.entries.count) changes"
      context.output.warn("\(table) has \(changes) and is not in 'tables'")
    }
  }
}

extension Survey {
  /// Whether a push has changes to send or outcomes to find out.
  fileprivate func hasWork(_ selection: Set<ItemKey>?, _ journal: JournalState) -> Bool {
    !pending(selection).isEmpty
      || journal.intents.keys.contains {
        tables.contains($0.table) && selection?.contains($0) ?? true
      }
  }
}
