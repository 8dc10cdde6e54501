package import SyncModel

/// A pull: it applies the server's changes of a table to its items.
///
/// ```
///   page → arrivals durable → items → … → settle → arrivals are bases, token moves
/// ```
///
/// Whatever a crash cuts off is taken from the rows, or fetched again.
package struct Pull {
  /// What the user has settled.
  package var settings: Settings
  /// Told after each page: rows so far, and in all where that is known.
  package var progress: (_ rows: Int, _ total: Int?) -> Void
  /// Told of what can't be a row; keeps it.
  package var quarantine: (TableName, RefusedRow) throws -> Void

  /// After so many bytes of rows the items are made durable and the token moves.
  static let checkpoint = 16 << 20

  /// Makes a pull.
  package init(
    settings: Settings, progress: @escaping (Int, Int?) -> Void = { _, _ in },
    quarantine: @escaping (TableName, RefusedRow) throws -> Void = { _, _ in }
  ) {
    self.settings = settings
    self.progress = progress
    self.quarantine = quarantine
  }

  /// Pulls one table.
  ///
  /// With `full`, everything is read again, and rows that are gone are found. The report takes what
  /// happened also where the pull ends with an error.
  ///
  /// - Throws: ``Stop``, after which what was told is in effect and the next pull goes on.
  package func run(
    _ table: TableName, full: Bool = false, on disk: inout some Disk,
    from backend: inout some Backend, report: inout PullReport
  ) throws {
    var run = PullRun(table: table, settings: settings, report: report)
    defer { report = run.report }
    try disk.takeArrivals(in: table, settings: settings).forEach { run.report.add($0) }
    try run.holdArrivals(on: disk)
    if full {
      let moving = try disk.arrivals(in: table).compactMap(\.was)
      run.unseen = try Set(disk.liveIDs(in: table)).subtracting(moving)
    }
    do {
      if full { try recognise(table, run.unseen, disk, &backend) }
      let token = full ? nil : try disk.token(of: table)
      try backend.pages(of: table, from: token) { page in
        for row in page.refused {
          try quarantine(table, row)
          run.report.refused.append(row)
          if let id = row.id.flatMap({ try? ItemID($0) }) { run.unseen.remove(id) }
        }
        try run.apply(page, to: &disk)
        run.report.faults += page.faults
        progress(run.rows, page.total)
        if run.bytes >= Self.checkpoint { try run.commitMidway(to: &disk) }
        return true
      }
      for (row, known) in try newer(run.older, of: table, full: full, disk, &backend) {
        try run.apply(row, over: known, to: &disk)
      }
      run.passOlder()
      if full { try findGone(&run, &disk, &backend) }
      try run.takeRemovals(to: &disk)
    } catch {
      // What was applied stays; the token stays before what is still to do.
      try run.commit(to: &disk)
      throw error
    }
    try run.commit(to: &disk)
    if try !disk.isPulled(table) { try disk.append([.pulled], to: table, durably: false) }
    if disk.journal.stops[table] != nil {
      try disk.append([.closed(.stop(table))], durably: false)
    }
  }

  /// Makes sure that a server that is read anew has the rows that are known, in no older state: one that
  /// has less than half of them holds other data.
  ///
  /// Nothing is applied before that is sure, so the pages are read twice.
  private func recognise(
    _ table: TableName, _ known: Set<ItemID>, _ disk: some Disk, _ backend: inout some Backend
  ) throws {
    guard !known.isEmpty else { return }
    var missing = known
    var older: Set<ItemID> = []
    try backend.pages(of: table, from: nil) { page in
      for row in page.rows {
        missing.remove(row.id)
        let key = ItemKey(table, row.id)
        if try disk.isOlder(row, than: disk.newestRow(of: key), of: key) { older.insert(row.id) }
      }
      for row in page.refused {
        if let id = row.id.flatMap({ try? ItemID($0) }) { missing.remove(id) }
      }
      return true
    }
    if known.count >= Guards.recognisable, missing.count * 2 > known.count,
      missing.count > settings.maxDelete ?? 0
    {
      throw Guards.otherData(known.count - missing.count, of: known.count, in: table)
    }
    _ = try newer(older, of: table, full: true, disk, &backend)
  }

  /// Reads the rows that came older than one that is known, and returns those that are newer, each with
  /// the known one.
  ///
  /// - Throws: ``Stop/unsafe(_:ways:)`` where many are newer by their version and much older by their
  ///   time, and in a full pull where one is in a state from before the known one.
  private func newer(
    _ older: Set<ItemID>, of table: TableName, full: Bool, _ disk: some Disk,
    _ backend: inout some Backend
  ) throws -> [(row: Row, known: Row?)] {
    var rows: [(row: Row, known: Row?)] = []
    // More would be a server that was put back to before the versions that are known.
    var left = try max(3, disk.liveIDs(in: table).count / 100)
    for id in older.sorted() {
      let key = ItemKey(table, id)
      let known = try disk.newestRow(of: key)
      guard case .row(let now) = try backend.read(key), known?.isState(now) != true else {
        continue
      }
      // A full pull finds what was put back.
      let isPast = try !(full && known?.isRemovedHere == true) && disk.isPast(now, of: key)
      if !isPast, let known, now.isOlder(than: known, by: Guards.skew) { left -= 1 }
      guard left >= 0, !isPast || !full && now.version != nil else { throw Guards.wentBack(key) }
      if !isPast { rows.append((now, known)) }
    }
    return rows
  }

  /// Finds the rows that were deleted without a tombstone: no page brought them, and no reading does.
  private func findGone(
    _ run: inout PullRun, _ disk: inout some Disk, _ backend: inout some Backend
  ) throws {
    var gone: [Row] = []
    for id in run.unseen.sorted() {
      let key = ItemKey(run.table, id)
      switch try backend.read(key) {
      case .absent: gone.append(.gone(id))
      case .row(let row): if row.deleted, try !disk.isPast(row, of: key) { gone.append(row) }
      case .refused: break
      }
    }
    try run.apply(gone, to: &disk)
  }
}
