import SyncEngine
import SyncModel
import Workspace

/// The options of a pull.
struct PullOptions {
  /// Whether all rows are read again.
  var isFull = false
  /// How many items of a table the server may delete; `nil` keeps the guard.
  var maxDelete: Int?
  /// Whether nothing is written.
  var isRehearsal = false
}

extension Session {
  /// Pulls the tables and prints the arrivals, also those before a `Stop`.
  ///
  /// `isLast` is false if a push follows, which prints conflicts and files in the way itself.
  mutating func pull(_ options: PullOptions, isLast: Bool = true) throws {
    var settings = settings
    settings.maxDelete = options.maxDelete
    settings.isRehearsal = options.isRehearsal
    var summary = PullSummary(
      context, tables, configuration.titleField, isPreview: options.isRehearsal)
    do {
      preview = try exchange(options, settings, &summary)
    } catch let failure as Failure where failure == Server.unknownDialect {
      context.output.summary(Line(failure.message ?? ""))
    } catch {
      // The workspace has what came before the failure.
      if !summary.isEmpty { context.output.set(summary.json, of: "pull") }
      throw error
    }
    context.output.set(summary.json, of: "pull")
    reported = summary.conflictKeys
    if isLast { summary.end() }
  }

  /// Applies the rows of a pull; a rehearsal returns the state that it would leave.
  private mutating func exchange(
    _ options: PullOptions, _ settings: Settings, _ summary: inout PullSummary
  ) throws -> PushPreview? {
    let verifiesServer = tables == configuration.tables
    return try exchange { session, server -> PushPreview? in
      let (context, tables) = (session.context, session.tables)
      let exchange = PullExchange(
        context: context, options: options, settings: settings,
        recoveredConflicts: session.recovery.conflicts)
      guard !options.isRehearsal else {
        var rehearsal = Rehearsal(on: session.workspace)
        _ = try exchange.run(tables, on: &rehearsal, server, &summary) { _, _ in }
        return try PushPreview(of: Push(settings: settings), tables, on: rehearsal)
      }
      let keeper = session.workspace
      let isWhole = try exchange.run(tables, on: &session.workspace, server, &summary) {
        _ = try keeper.quarantine($1, of: $0)
      }
      if isWhole {
        try Self.keep(
          context.now, \.pulled, session.workspace, server, verifiesServer: verifiesServer)
      }
      return nil
    }
  }

  /// Records the start of a complete exchange, and the server if the exchange proves it.
  ///
  /// Only a pull of all tables proves that the server is the workspace's.
  static func keep(
    _ began: Int64, _ field: WritableKeyPath<WorkspaceState, Timestamp?>, _ workspace: Workspace,
    _ server: Server, verifiesServer: Bool = false
  ) throws {
    var state = try workspace.state()
    state[keyPath: field] = Timestamp(ticks: began * Timestamp.perSecond)
    if verifiesServer { server.record(in: &state) }
    try workspace.write(state)
  }
}

/// The exchange of a pull, on the workspace or a rehearsal.
private struct PullExchange {
  let context: Context
  let options: PullOptions
  let settings: Settings
  /// The conflicts of an interrupted pull, which are printed with this pull's.
  let recoveredConflicts: [Event]

  /// Pulls the tables; returns whether the server has all of them.
  ///
  /// - Throws: `Stop`; a rehearsal throws it after all tables.
  func run(
    _ tables: [TableName], on disk: inout some Disk, _ server: Server,
    _ summary: inout PullSummary, quarantine: @escaping (TableName, RefusedRow) throws -> Void
  ) throws -> Bool {
    var isWhole = true
    var stop: Stop?
    for table in tables {
      let output = context.output
      let pull = Pull(
        settings: settings,
        progress: { rows, total in
          output.progress("\(table): \(rows)\(total.map { " of \($0)" } ?? "")")
        }, quarantine: quarantine)
      let isFull = options.isFull || server.isUnverified
      let start = context.invocation.clock()
      // Only `--json` and `-v` list every item.
      let isBrief = !context.options.verbose && !context.options.json
      var report = PullReport(table: table, isBrief: isBrief)
      let result = Result {
        try pull.run(
          table, full: isFull, on: &disk, from: &server.backend, report: &report)
      }
      let nanoseconds = context.invocation.clock() - start
      let reported = Set(report.events.map(\.key))
      let open = disk.journal.conflicts
      let before = recoveredConflicts.filter {
        $0.key.table == table && !reported.contains($0.key) && open[$0.key] != nil
      }
      report.events = before + report.events
      try summary.show(report, isWhole: result.isSuccess, nanoseconds, on: disk)
      do {
        try result.get()
      } catch Stop.noTable(let table) {
        // The server may have the other tables.
        output.warn(.noTable(table, of: tables))
        output.end(with: .unreachable)
        isWhole = false
      } catch {
        throw stop ?? error
      }
      stop = stop ?? report.stop
      try context.checkSignal()
    }
    if let stop { throw stop }
    return isWhole
  }
}

extension Result {
  var isSuccess: Bool {
    if case .success = self { true } else { false }
  }
}
