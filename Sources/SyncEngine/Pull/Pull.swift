package import SyncModel

/// A pull: it applies the server's changes of a feed to the items of its table.
///
/// ```
///   page → arrivals and token, one durable write → … → items → settle → arrivals are bases
/// ```
///
/// A token stands behind the rows that it covers. What removes items is applied by a pull that has reached
/// its end, all of a table together.
package struct Pull {
  /// What the user has settled.
  package var settings: Settings
  /// Told after each page: rows so far, and in all where that is known.
  package var progress: (_ rows: Int, _ total: Int?) -> Void
  /// Told of what can't be a row; keeps it.
  package var quarantine: (TableName, RefusedRow) throws -> Void

  /// After so many bytes of rows these are brought to their items.
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

  /// Pulls one feed.
  ///
  /// With `full`, everything is read again, and rows that are gone are found. The report takes what
  /// happened also where the pull ends with an error.
  ///
  /// - Throws: ``Stop``, after which what was told is in effect and the next pull goes on.
  package func run(
    _ feed: Feed, full: Bool = false, on disk: inout some Disk,
    from backend: inout some Backend, report: inout PullReport
  ) throws {
    let table = feed.table
    var run = try PullRun(feed, full: full, settings: settings, report: report, on: &disk)
    defer { report = run.report }
    var found: [Row] = []
    do {
      let known = run.unseen
      try backend.pages(of: feed, from: full ? nil : disk.token(of: feed)) { page in
        for row in page.refused { try quarantine(table, row) }
        try run.take(page, to: &disk)
        progress(run.rows, page.total)
        return true
      }
      if full { try recognise(table, run.unseen.count, of: known.count) }
      found = try newer(run.older, of: table, full: full, disk, &backend)
      if full { found += try gone(run.unseen, of: table, disk, &backend) }
    } catch {
      // What was laid down is in effect.
      try run.bring(to: &disk)
      throw error
    }
    try run.end(found, to: &disk)
  }

  /// Makes sure that a server that is read anew has at least half of the rows that are known: else it
  /// holds other data.
  private func recognise(_ table: TableName, _ missing: Int, of known: Int) throws {
    if known >= Guards.recognisable, missing * 2 > known, missing > settings.maxDelete ?? 0 {
      throw Guards.otherData(known - missing, of: known, in: table)
    }
  }

  /// Reads the rows that came older than one that is known, and returns those that are newer.
  ///
  /// - Throws: ``Stop/unsafe(_:ways:)`` where many are newer by their version and much older by their
  ///   time, and in a full pull where one is in a state from before the known one.
  private func newer(
    _ older: Set<ItemID>, of table: TableName, full: Bool, _ disk: some Disk,
    _ backend: inout some Backend
  ) throws -> [Row] {
    var rows: [Row] = []
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
      if !isPast { rows.append(now) }
    }
    return rows
  }

  /// Returns the rows that were deleted without a tombstone: no page brought them, and no reading does.
  private func gone(
    _ unseen: Set<ItemID>, of table: TableName, _ disk: some Disk, _ backend: inout some Backend
  ) throws -> [Row] {
    try unseen.sorted().compactMap { id in
      let key = ItemKey(table, id)
      switch try backend.read(key) {
      case .absent: return .gone(id)
      case .row(let row): return try row.deleted && !disk.isPast(row, of: key) ? row : nil
      case .refused: return nil
      }
    }
  }
}
