import SyncEngine
import SyncModel
import Workspace

extension Session {
  /// Returns the items of references or filters; `nil`, which means all, if there are none.
  ///
  /// Filters choose among all items, and removed ones by their last content.
  func selection(_ words: [String]) throws -> Set<ItemKey>? {
    guard !words.isEmpty else { return nil }
    let (inventory, chosen) = (try inventory(), try ItemSelection(words))
    guard chosen.isByFilter else { return Set(try lookup(inventory).items(words)) }
    context.printer.showInvalid(inventory)
    return Set(try chosen.fitting(inventory, self, areRemoved: nil).map(\.key))
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
    try showPendingDeletes()
    // A push of some items also sends the deletes that wait for them.
    let isInConflict = try pushed.conflicts > 0 || !conflicts(of: selection).isEmpty
    if isInConflict { context.printer.end(with: .conflicts) }
  }

  /// Pushes without the last warnings, because the command may push again.
  mutating func pushOnce(
    _ selection: Set<ItemKey>?, maxDelete: Int?, insertsAgain: Bool = false
  ) throws {
    guard configuration.remote != nil else { throw Self.noServer }
    var survey = try Survey(of: tables, on: workspace)
    // If the only given item is invalid, nothing is done.
    if selection?.count == 1,
      let invalid = survey.entries(of: selection).first?.invalid
    {
      throw invalid
    }
    warnOfUnsent(survey, selection)
    guard try survey.hasWork(selection, workspace) else {
      try push(of: selection, maxDelete: maxDelete).note(survey, on: &workspace)
      return try show(PushReport(), of: survey, selection, isWhole: true)
    }
    let printer = context.printer
    var push = push(of: selection, maxDelete: maxDelete)
    try askAboutUnmeant(&push, &survey)
    push.progress = { printer.progress("\($0) of \($1) sent") }
    push.insertsAgain = insertsAgain
    // So many wait if the server can't be reached.
    pushed.unsent = survey.unsent()
    do {
      try exchange { session, server in try session.send(push, survey, to: server) }
    } catch let stop as Stop {
      throw problem(stop, unsent: pushed.unsent)
    }
  }

  private func push(of selection: Set<ItemKey>?, maxDelete: Int?) -> Push {
    var settings = settings
    settings.maxDelete = maxDelete
    var push = Push(settings: settings, selection: selection)
    push.hasPulled = (try? workspace.state().pulled) != nil
    return push
  }

  /// Sends the changes and prints the results, even if it fails.
  private mutating func send(_ push: Push, _ survey: Survey, to server: Server) throws {
    var report = PushReport()
    var failure: (any Error)?
    do {
      try push.run(
        tables, known: survey, on: &workspace, to: &server.backend, report: &report)
      if report.stop == nil, context.invocation.signal() != nil {
        // Without a request under way, the engine hasn't seen the signal.
        report.unsent = try Survey(of: tables, on: workspace).unsent()
        if report.unsent > 0 { report.stop = StoppableBackend.stop }
      }
    } catch {
      failure = error
    }
    failure = failure ?? report.stop.map(server.failure)
    try show(report, of: survey, push.selection, isWhole: failure == nil)
    if let failure { throw failure }
    if report.missing.isEmpty, server.hasAnswered { try keepTime(\.pushed, server) }
  }

  /// The workspace as this command has left it, or as its rehearsed pull would.
  var rehearsed: any Disk { if let rehearsal { rehearsal } else { workspace } }

  /// Returns a rehearsal that begins as a push does: with the rows that wait.
  func begunRehearsal() throws -> Rehearsal<Workspace> {
    var rehearsal = Rehearsal(on: workspace)
    _ = try Recovery.run(tables, on: &rehearsal, settings: settings)
    return rehearsal
  }

  /// Prints the changes that a push would send, without a request or a record.
  ///
  /// - Throws: ``Problem`` if the push would be refused because it deletes too much. It would still
  ///   find out the outcome of earlier writes.
  mutating func previewPush(
    _ selection: Set<ItemKey>? = nil, maxDelete: Int? = nil
  ) throws {
    rehearsal = try rehearsal ?? begunRehearsal()
    let survey = try Survey(of: tables, on: rehearsed)
    let push = push(of: selection, maxDelete: maxDelete)
    let stop = try push.danger(in: survey, on: rehearsed).map { Stop.unsafe($0) }
    warnOfUnsent(survey, selection)
    var report = PushReport()
    report.events = try previewEvents(survey, selection, isStopped: stop != nil)
    let counts = try showItems(
      report, of: survey, selection, isWhole: stop == nil, isPreview: true)
    if let stop { throw problem(stop, unsent: survey.unsent()) }
    if pushed.unsent > 0 {
      context.printer.summary(
        Line("\(pushed.unsent) to push"), next: "\(typed: context.inEarnest)")
    } else if counts.isEmpty, survey.invalidCount(of: selection) == 0,
      pushed.pendingDeletes.isEmpty
    {
      context.printer.summary("nothing to push")
    }
    try showPendingDeletes()
    if pushed.conflicts > 0 { context.printer.end(with: .conflicts) }
  }

  /// Returns the events of a push that the server accepts.
  private func previewEvents(
    _ survey: Survey, _ selection: Set<ItemKey>?, isStopped: Bool
  ) throws -> [Event] {
    var events =
      try isStopped
      ? []
      : survey.pending(selection).map { operation in
        try rehearsed.arrival(of: operation.key) == nil
          ? operation.accepted : Event(operation.key, .held, item: operation.item)
      }
    let sent = Set(events.map(\.key))
    for entry in survey.entries {
      guard let key = entry.key else { continue }
      switch entry.standing {
      case .behind(let operation, let other) where sent.contains(other):
        events.append(operation.accepted)
      case .unknown(let attempt) where selection?.contains(key) ?? true:
        let kind = isStopped ? nil : attempt.next(entry.client)
        let item = try entry.client.item ?? attempt.item ?? workspace.base(of: key).row?.item
        events.append(Event(key, .pushed(kind ?? attempt.kind), item: item))
      default: continue
      }
    }
    return events
  }

  /// Adds the number of waiting changes to the failure of a push that ended early.
  private func problem(_ stop: Stop, unsent: Int) -> Problem {
    var problem = Problem(stop)
    if case .unsafe = stop { return problem }
    let words = unsent == 1 ? "1 change waits" : "\(unsent) changes wait"
    // The conflicts that it named are resolved.
    let again = context.command == "resolve" ? ["push"] : context.again
    problem.hints.append("nothing is lost: \(words)\(.column)try again: \(typed: again)")
    return problem
  }
}

extension Operation {
  /// The event of a push that the server accepts.
  fileprivate var accepted: Event { Event(key, .pushed(kind), item: item ?? base?.item) }
}

extension Survey {
  /// Whether a push has changes to send, outcomes to find out, or items to move to new ids.
  fileprivate func hasWork(_ selection: Set<ItemKey>?, _ disk: some RowDisk) throws -> Bool {
    try !pending(selection).isEmpty
      || tables.contains { table in
        try disk.attempts(in: table).contains { selection?.contains($0.key) ?? true }
          || disk.arrivals(in: table).contains {
            $0.was != nil && selection?.contains(ItemKey(table, $0.id)) ?? true
          }
      }
  }
}
