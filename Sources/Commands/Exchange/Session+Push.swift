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
    _ = try address()
    var survey = try Survey(of: tables, on: rehearsed, settings: settings)
    // If the only given item is invalid, nothing is done.
    if selection?.count == 1,
      let invalid = survey.entries(of: selection).first?.invalid
    {
      throw invalid
    }
    warnOfUnsent(survey, selection)
    var push = push(of: selection, maxDelete: maxDelete)
    guard try isDryRun || survey.hasWork(selection, workspace) else {
      try push.note(survey, on: &workspace)
      return try show(PushReport(), of: survey, selection, isWhole: true)
    }
    push.insertsAgain = insertsAgain
    do {
      try askAboutUnmeant(&push, &survey)
      // So many wait if the server can't be reached.
      pushed.unsent = survey.unsent()
      if isDryRun { return try send(push, survey, to: nil) }
      let printer = context.printer
      push.progress = { printer.progress("\($0) of \($1) sent") }
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

  /// Sends the changes, in a dry run to no server, and prints the results, even if it fails.
  private mutating func send(_ push: Push, _ survey: Survey, to server: Server?) throws {
    var report = PushReport()
    var failure: (any Error)?
    do {
      if let server {
        try push.run(
          tables, known: survey, on: &workspace, to: &server.backend, report: &report)
      } else if var disk = rehearsal {
        var backend = try AgreeingBackend(self)
        defer { rehearsal = disk }
        try push.run(tables, known: survey, on: &disk, to: &backend, report: &report)
      }
      if report.stop == nil, context.invocation.signal() != nil {
        // Without a request under way, the engine hasn't seen the signal.
        report.unsent = try Survey(of: tables, on: rehearsed).unsent()
        if report.unsent > 0 { report.stop = StoppableBackend.stop }
      }
    } catch {
      failure = error
    }
    failure = failure ?? report.stop.map { server?.failure($0) ?? $0 }
    try show(report, of: survey, push.selection, isWhole: failure == nil)
    if let failure { throw failure }
    if let server, report.missing.isEmpty, server.hasAnswered { try keepTime(\.pushed, server) }
  }

  /// The workspace as this command has left it, or as its dry run would.
  var rehearsed: any Disk { if let rehearsal { rehearsal } else { workspace } }

  /// Adds the number of waiting changes to the failure of a push that ended early.
  private func problem(_ stop: Stop, unsent: Int) -> Problem {
    if case .unsafe(let danger) = stop {
      return Problem(
        danger, pushing: context.command == "push" ? context.selection : context.sameTables([]))
    }
    var problem = Problem(stop)
    let words = unsent == 1 ? "1 change waits" : "\(unsent) changes wait"
    // The conflicts that it named are resolved.
    let again = context.command == "resolve" ? ["push"] : context.again
    problem.hints.append("nothing is lost: \(words)\(.column)try again: \(typed: again)")
    return problem
  }
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
