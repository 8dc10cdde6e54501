import SyncEngine
import SyncModel
import Workspace

/// The options of a pull.
struct PullManner {
  /// Whether all rows are read again.
  var isFull = false
  /// How many items of a table the server may delete; `nil` keeps the guard.
  var maxDelete: Int?
  /// Whether nothing is written.
  var isRehearsal = false
}

extension Session {
  /// Pulls the tables and prints the arrivals, also those before a `Stop`.
  mutating func pull(_ manner: PullManner) throws -> PullTelling {
    var settings = settings
    settings.maxDelete = manner.maxDelete
    settings.isRehearsal = manner.isRehearsal
    var telling = PullTelling(
      context, tables, configuration.titleField, isForetold: manner.isRehearsal)
    do {
      foreseen = try exchange(manner, settings, &telling)
    } catch is UnknownDialect {
      context.output.summary(Line(UnknownDialect.fact))
    }
    told = telling.conflictKeys
    return telling
  }

  /// Applies the rows of a pull; a rehearsal returns the state that it would leave.
  private mutating func exchange(
    _ manner: PullManner, _ settings: Settings, _ telling: inout PullTelling
  ) throws -> Foresight? {
    let (context, tables, laid) = (context, tables, recovered.conflicts)
    let isProof = tables == configuration.tables
    return try exchange { workspace, connection -> Foresight? in
      let exchange = PullExchange(context: context, manner: manner, settings: settings, laid: laid)
      guard !manner.isRehearsal else {
        var rehearsal = Rehearsal(on: workspace)
        _ = try exchange.run(tables, on: &rehearsal, &connection, &telling) { _, _ in }
        return try Foresight(of: Push(settings: settings), tables, on: rehearsal)
      }
      let keeper = workspace
      let isWhole = try exchange.run(tables, on: &workspace, &connection, &telling) {
        _ = try keeper.quarantine($1, of: $0)
      }
      if isWhole {
        try Self.keep(context.now, \.pulled, workspace, connection, isProof: isProof)
      }
      return nil
    }
  }

  /// Records the start of a complete exchange, and the server if the exchange proves it.
  ///
  /// Only a pull of all tables proves that the server is the workspace's.
  static func keep(
    _ began: Int64, _ field: WritableKeyPath<WorkspaceState, Timestamp?>, _ workspace: Workspace,
    _ connection: Connection, isProof: Bool = false
  ) throws {
    var state = try workspace.state()
    state[keyPath: field] = Timestamp(ticks: began * Timestamp.perSecond)
    if isProof { connection.enter(&state) }
    try workspace.write(state)
  }
}

/// The exchange of a pull, on the workspace or a rehearsal.
private struct PullExchange {
  let context: Context
  let manner: PullManner
  let settings: Settings
  /// The conflicts of an interrupted pull, which are printed with this pull's.
  let laid: [Event]

  /// Pulls the tables; returns whether the server has all of them.
  ///
  /// - Throws: `Stop`; a rehearsal throws it after all tables.
  func run(
    _ tables: [TableName], on disk: inout some Disk, _ connection: inout Connection,
    _ telling: inout PullTelling, quarantine: @escaping (TableName, RefusedRow) throws -> Void
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
      let isFull = manner.isFull || connection.isUnproven
      let start = context.invocation.clock()
      // Only `--json` and `-v` list every item.
      let isBrief = !context.options.verbose && !context.options.json
      var report = PullReport(table: table, isBrief: isBrief)
      let result = Result {
        try pull.run(
          table, full: isFull, on: &disk, from: &connection.backend, report: &report)
      }
      let nanoseconds = context.invocation.clock() - start
      let told = Set(report.events.map(\.key))
      let open = disk.journal.conflicts
      let before = laid.filter {
        $0.key.table == table && !told.contains($0.key) && open[$0.key] != nil
      }
      report.events = before + report.events
      try telling.tell(report, isWhole: result.isSuccess, nanoseconds, on: disk)
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
