import Remote
import SyncEngine
import SyncModel
import Workspace

/// Pulls tables one after another, and prints what each has brought.
struct Puller {
  /// The session as it was before the pull.
  let session: Session
  let settings: Settings
  /// Whether all rows are read again.
  let isFull: Bool
  /// The queries to pull; none for all.
  let queries: [Text]
  /// The queries that were pulled.
  private(set) var pulled: [Text] = []
  private(set) var conflictKeys: Set<ItemKey> = []
  private(set) var summaries: [JSON] = []
  private(set) var items: [JSON] = []
  /// The files that keep rows from being applied.
  private(set) var obstacles: [InvalidItem] = []

  var context: Context { session.context }

  /// Pulls the tables; returns whether the server has all of them.
  ///
  /// - Throws: `Stop`; that the server deletes too much of a table after all tables.
  mutating func run(on disk: inout some Disk, from server: Server) throws -> Bool {
    let options = context.options
    var isWhole = true
    var stop: Stop?
    if !queries.isEmpty, server.isUnverified {
      throw Problem(
        .unsafe, "the server has a new address; a pull of all queries comes first",
        hints: ["to pull them: \(typed: "pull")"])
    }
    for table in session.tables {
      let (feeds, hasFault, outdated) = try feeds(of: table, on: disk, from: server)
      if hasFault { isWhole = false }
      // What is read in full is taken whole or not at all.
      let isFull = isFull || server.isUnverified
      if isFull, hasFault { tellOfNone(table) }
      guard !feeds.isEmpty, !isFull || !hasFault else { continue }
      let known = try disk.state(of: table).feeds
      let isNew = try !disk.state(of: table).isPulled && disk.liveCount(in: table) == 0
      let start = context.invocation.clock()
      // Only `--json` and `-v` list every item.
      var reports = feeds.map { PullReport($0, isBrief: !options.verbose && !options.json) }
      var times: [Feed: Int64] = [:]
      var pull = pull(of: feeds)
      pull.mayLeave = outdated
      let (printer, clock) = (context.printer, context.invocation.clock)
      pull.progress = { feed, rows, total in
        printer.progress("\(feed): \(rows)\(total.map { " of \($0)" } ?? "")")
        times[feed] = clock()
      }
      var failure: (any Error)?
      do {
        try pull.run(
          feeds, isPart: hasFault || !queries.isEmpty, full: isFull,
          anchored: !self.isFull, on: &disk, from: &server.backend, reports: &reports)
      } catch {
        failure = error
      }
      try addRecovered(to: &reports[0], disk)
      var time = start
      times[feeds[feeds.count - 1]] = context.invocation.clock()
      for report in reports {
        if let fault = report.fault { try show(fault, of: report.feed.query ?? "", server) }
        let end = times[report.feed] ?? time
        try show(report, isWhole: failure == nil, end - time, on: disk)
        time = end
        if isNew, report.counts[.conflict] != nil, !settings.isRehearsal {
          warnOfUnrecorded(report)
        }
        if stop != nil, let new = report.stop { context.printer.warn(Problem(new)) }
        stop = stop ?? report.stop
      }
      let hasRows = try disk.state(of: table).tokens[Feed.ids(of: table)]?.timestamp != nil
      for report in reports
      where failure == nil && report.fault == nil && hasRows
        && !known.contains(where: { $0.query == report.feed.query })
      {
        try warnOfNothing(report, on: disk)
      }
      if case .noTable(let table)? = failure as? Stop {
        // The server may have the other tables.
        context.printer.warn(.noTable(table, of: session.tables))
        isWhole = false
      } else if failure is QueryFault {
        tellOfNone(table)
        isWhole = false
      } else if let failure {
        // What the server has deleted of one table waits; the other tables have rows of their own.
        guard let own = reports[0].stop, failure as? Stop == own else {
          if let stop { context.printer.warn(Problem(stop)) }
          throw failure
        }
        isWhole = false
      }
      if reports.contains(where: { $0.fault != nil }) { isWhole = false }
      pulled += reports.filter { $0.fault == nil }.compactMap(\.feed.query)
      try context.checkSignal()
    }
    if let stop { throw stop }
    return isWhole
  }

  private func pull(of feeds: [Feed]) -> Pull {
    var pull = Pull(settings: settings)
    let workspace = session.workspace
    pull.fits = { workspace.fits($0) }
    if !settings.isRehearsal {
      pull.quarantine = { _ = try workspace.quarantine($1, of: $0) }
    }
    let queries = session.allQueries
    pull.home = { event in
      feeds.firstIndex { feed in
        queries.first { $0.name == feed.query }?.fits(
          event.key.id, event.item ?? Item(JSONObject())) == true
      } ?? 0
    }
    return pull
  }

  /// Adds the conflicts of an interrupted pull, unless this one has settled or found them.
  private func addRecovered(to report: inout PullReport, _ disk: some Disk) throws {
    let found = Set(report.events.map(\.key))
    let recovered = try session.recovery.conflicts.filter {
      try $0.key.table == report.feed.table && !found.contains($0.key) && disk.isInConflict($0.key)
    }
    for event in recovered.reversed() { report.add(event, at: 0) }
  }

  /// Prints the result of pulling a table, even if it failed half way.
  private mutating func show(
    _ report: PullReport, isWhole: Bool, _ nanoseconds: Int64, on disk: some Disk
  ) throws {
    let printer = context.printer
    for row in try disk.arrivals(in: report.feed.table).map(\.row) {
      let obstacle = try disk.obstacle(to: ItemKey(report.feed.table, row.id))
      if let obstacle { obstacles.append(obstacle) }
    }
    if let twin = report.twin {
      printer.warn(
        "the server listed \(ItemKey(report.feed.table, twin)) twice; used the later row")
    }
    if report.isLate {
      printer.warn("\(report.feed): a replica may be late: pull again in 2 minutes")
    }
    guard isWhole && report.fault == nil || !report.isEmpty else { return }
    printer.summary(heading(report), next: "\(Self.seconds(nanoseconds))")
    let names = try session.names(of: report.events.map(\.key), on: disk)
    for event in report.events {
      let outcome = Outcome(event, names, isPreview: settings.isRehearsal)
      if context.options.json { items.append(outcome.json) }
      // That the server's row was taken over as it is needs no line.
      if context.options.verbose || ![.added, .updated].contains(event.what) {
        printer.item(outcome.line(names), isWell: outcome.isWell)
      }
      if let hold = event.hold {
        printer.warn(Problem(hold, at: try session.place(of: event.key)))
      }
    }
    if report.untold > 0, !context.options.quiet {
      printer.result(Line("… and \(report.untold) more"))
    }
    for row in report.refused { show(row, of: report.feed.table) }
    for fault in report.faults {
      printer.warn(
        Problem(
          .rejected, "\(report.feed): \(fault)",
          hints: ["to read all rows again: \(typed: context.sameTables(["pull", "--full"]))"]))
    }
    summaries.append(report.json)
    conflictKeys.formUnion(report.events.filter { $0.kind == .conflict }.map(\.key))
  }

  /// Warns of items that differ from rows which this workspace has never had.
  private func warnOfUnrecorded(_ report: PullReport) {
    let count = report.counts[.conflict, default: 0]
    let fact: Hint =
      count == 1
      ? "1 item differs from the server, and this workspace has no record of it"
      : "\(count) items differ from the server, and this workspace has no record of them"
    let table = session.tables.count == 1 ? [] : ["-t", "\(report.feed.table)"]
    let way = ["resolve", "--server", "-a"] + table
    context.printer.warn(
      Problem(.conflicts, fact, hints: ["to take the server's rows: \(typed: way)"]))
  }

  private func heading(_ report: PullReport) -> Line {
    let queries = session.allQueries
    let names = session.tables.flatMap { table in
      let names = queries.filter { $0.table == table }.map(\.name.string)
      return names.isEmpty ? [table.description] : names
    }
    let width = names.map(\.utf8.count).max() ?? 0
    var line = Line("\(report.feed)")
    line.pad(to: width + 2)
    let parts = report.counts.parts([.added, .updated, .removed, .left, .conflict])
    line.append(parts.isEmpty ? "nothing new" : parts.joined(separator: ", "))
    return line
  }

  private mutating func show(_ row: RefusedRow, of table: TableName) {
    let verb = settings.isRehearsal ? "would quarantine" : "quarantined"
    var line = Line("\(verb) ")
    line.append(row.id?.string ?? "(no id)", .cyan)
    line.append("  \(row.reason)")
    context.printer.result(line)
    context.printer.end(with: .rejected)
    let members = JSONObject([
      "table": table, "id": row.id, "title": JSON.null, "did": verb, "message": row.reason,
    ])
    items.append(members.json)
  }

  /// Prints the work that is left for a person: files in the way of rows, and conflicts.
  func end() {
    for invalid in obstacles { context.printer.warn(invalid) }
    guard !conflictKeys.isEmpty else { return }
    context.printer.end(with: .conflicts)
    context.printer.summary(
      Line(counted(conflictKeys.count, "conflict")),
      next: settings.isRehearsal ? "\(typed: context.inEarnest)" : "\(typed: "resolve")")
  }

  /// The members of `tsync.pull/1`.
  var json: JSONObject { JSONObject(["tables": summaries, "items": items]) }

  private static func seconds(_ nanoseconds: Int64) -> String {
    let tenths = (max(0, nanoseconds) + 50_000_000) / 100_000_000
    return "\(tenths / 10).\(tenths % 10) s"
  }
}

extension PullReport {
  fileprivate var json: JSON {
    var object = JSONObject([
      "table": feed.table, "new": counts[.added, default: 0],
      "changed": counts[.updated, default: 0], "deleted": counts[.removed, default: 0],
      "conflicts": counts[.conflict, default: 0],
    ])
    object.add(ifAny: [
      "query": feed.query, "left": feed.query == nil ? nil : counts[.left, default: 0],
    ])
    return object.json
  }
}
