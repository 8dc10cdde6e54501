import Remote
import SyncEngine
import SyncModel
import Workspace

// A table's queries, and what is wrong with them.
extension Puller {
  /// Returns what a table is pulled by, its queries but for those at fault, or all its rows; and how many items
  /// may leave because it is another day.
  func feeds(
    of table: TableName, on disk: some Disk, from server: Server
  ) throws -> (feeds: [Feed], hasFault: Bool, outdated: Int) {
    let chosen = queries
    let queries = session.allQueries.filter {
      $0.table == table && (chosen.isEmpty || chosen.contains($0.name))
    }
    guard !queries.isEmpty else { return (chosen.isEmpty ? [Feed(table)] : [], false, 0) }
    let known = try disk.state(of: table).feeds
    var hasNewDay = false
    let feeds = try queries.compactMap { query -> Feed? in
      func value(_ field: Text) throws -> JSON? { try disk.value(of: field, in: table) }
      do {
        let feed = try server.backend.inner.feed(of: query, like: value)
        if !known.contains(feed) { try server.backend.inner.check(query, like: value) }
        if let former = known.first(where: { $0.query == query.name }), former != feed {
          // Another day, not another filter.
          if session.dates.areRelative(in: query) {
            hasNewDay = true
          } else {
            context.printer.warn(
              "the filter of \(query.name) has changed: reading all its rows again")
          }
        }
        return feed
      } catch let fault as QueryFault {
        try show(fault, of: query.name, server)
        return nil
      }
    }
    // On another day, other rows fit: nobody is asked about that.
    let outdated =
      try !hasNewDay
      ? 0
      : disk.liveIDs(in: table).count { id in
        let item = try disk.base(of: ItemKey(table, id)).item
        return !queries.contains { query in item.map { query.fits(id, $0) != false } ?? true }
      }
    return (feeds, feeds.count < queries.count, outdated)
  }

  /// Says that a table was left out.
  func tellOfNone(_ table: TableName) {
    context.printer.summary(
      Line("\(table) was not read: with --full all its queries must be right"))
  }

  /// Names a query that is wrong.
  ///
  /// - Throws: ``Problem`` where nothing is known yet of a server: the fault may be that it is another one.
  func show(_ fault: QueryFault, of query: Text, _ server: Server) throws {
    let way: Hint = "to change it: \(typed: "query", "set", query.string, "FILTER")"
    if server.isUnverified {
      throw Problem(
        .unsafe, "the server has a new address; query \(query): \(fault.words)", hints: [way])
    }
    context.printer.warn(Problem(.rejected, "query \(query): \(fault.words)", hints: [way]))
  }

  /// Warns of a new query that has brought nothing of a table with rows.
  func warnOfNothing(_ report: PullReport, on disk: some Disk) throws {
    let table = report.feed.table
    guard let name = report.feed.query, report.counts[.added] == nil,
      report.counts[.updated] == nil,
      let query = session.allQueries.first(where: { $0.name == name }),
      try session.fitting(query, on: disk)?.isEmpty ?? (disk.liveCount(in: table) == 0)
    else { return }
    // `a=b,c=d` may be meant as two filters.
    let double = query.filter.first { word in
      word.string.split(separator: ",").dropFirst().contains { Filter.isFilter(Text(String($0))) }
    }
    context.printer.warn(
      "the query \(name) fits no row of \(table)"
        + (double.map { "; '\($0)' is one filter, two are two words" } ?? ""))
  }
}
