package import SyncModel

/// Brings a table's changes from the server to its items.
///
/// ```
///   page → rows durable → items → … → settle → commit: rows are base, token moves
/// ```
///
/// Whatever a crash cuts off is taken from the rows, or fetched again (safety.md §3.5).
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
    run.report.events += try disk.takeIncoming(in: table, settings: settings)
    if full { run.unseen = try Set(disk.liveIDs(in: table)) }
    do {
      if full { try recognise(table, run.unseen, &backend) }
      let token = full ? nil : try disk.token(of: table)
      try backend.pages(of: table, from: token) { page in
        for row in page.refused {
          try quarantine(table, row)
          run.report.refused.append(row)
        }
        try run.apply(page, to: &disk)
        progress(run.rows, page.total)
        if run.bytes >= Self.checkpoint { try run.commit(to: &disk) }
        return true
      }
      try lookAgain(&run, &disk, &backend)
      if full { try findGone(&run, &disk, &backend) }
      try run.takeRemovals(to: &disk)
    } catch {
      // What was applied stays, and so do few deletes; the token stays before what is still to do.
      if !Guards.stopped(error) { try? run.takeRemovals(to: &disk) }
      try run.commit(to: &disk)
      throw error
    }
    try run.commit(to: &disk)
  }

  /// Makes sure that a server that is read anew has the rows that are known: one that has less than
  /// half of them holds other data (safety.md S16).
  ///
  /// Nothing is applied before that is sure, so the pages are read twice, as far as needed.
  private func recognise(
    _ table: TableName, _ known: Set<ItemID>, _ backend: inout some Backend
  ) throws {
    guard known.count >= Guards.recognisable else { return }
    var missing = known
    var isKnown: Bool { missing.count * 2 <= known.count }
    try backend.pages(of: table, from: nil) { page in
      for row in page.rows { missing.remove(row.id) }
      for row in page.refused {
        if let id = row.id.flatMap({ try? ItemID($0) }) { missing.remove(id) }
      }
      return !isKnown
    }
    guard !isKnown, missing.count > settings.maxDelete ?? 0 else { return }
    throw Guards.otherData(known.count - missing.count, of: known.count, in: table)
  }

  /// Reads the rows again that came older than their base: a replica may lag behind, but a server
  /// that went back in time must not be followed (decisions.md 28).
  private func lookAgain(
    _ run: inout PullRun, _ disk: inout some Disk, _ backend: inout some Backend
  ) throws {
    for row in run.older {
      let key = ItemKey(run.table, row.id)
      let base = try disk.base(of: key).row
      guard case .row(let now) = try backend.read(key), now != base else { continue }
      if let base, now.isOlder(than: base) { throw Guards.wentBack(key) }
      try run.apply([now], to: &disk)
    }
    run.passOlder()
  }

  /// Finds the rows that were deleted without a tombstone: no page brought them, and no reading does.
  private func findGone(
    _ run: inout PullRun, _ disk: inout some Disk, _ backend: inout some Backend
  ) throws {
    var gone: [Row] = []
    for id in run.unseen.sorted() {
      switch try backend.read(ItemKey(run.table, id)) {
      case .absent: gone.append(.gone(id))
      case .row(let row): if row.deleted { gone.append(row) }
      }
    }
    try run.apply(gone, to: &disk)
  }
}

/// One pull of one table under way.
struct PullRun {
  let table: TableName
  let settings: Settings
  var report: PullReport
  /// How far the pages have come.
  private var reached: DeltaToken?
  /// How far they had come before what is still to be done: who passes an older row, or one that
  /// removes an item, never sees it again.
  private var token: DeltaToken?
  /// The rows since the last commit that have to wait.
  private var held: Set<ItemID> = []
  private var uncommitted = 0
  /// The bytes of rows since the last commit.
  private(set) var bytes = 0
  /// The rows that pages have brought.
  private(set) var rows = 0
  /// The rows that remove items, kept back until all pages have come: how many there are decides
  /// whether any is taken.
  private var removals: [ItemID: Row] = [:]
  /// The rows that came older than their base.
  private(set) var older: [Row] = []
  /// In a full pull, the live rows that no page has brought yet.
  var unseen: Set<ItemID> = []

  init(table: TableName, settings: Settings, report: PullReport) {
    self.table = table
    self.settings = settings
    self.report = report
  }

  mutating func apply(_ page: Page, to disk: inout some Disk) throws {
    try apply(news(of: page, disk), to: &disk)
    reached = page.token ?? reached
    advance()
    rows += page.rows.count
  }

  /// Moves the token to where the pages have come, unless something before that is still to be done.
  private mutating func advance() {
    if older.isEmpty, removals.isEmpty { token = reached }
  }

  /// Appends rows and brings them to their items; those that remove one are kept back.
  mutating func apply(_ rows: [Row], to disk: inout some Disk) throws {
    var news: [Row] = []
    for row in rows {
      removals[row.id] = nil
      if row.deleted, case .row = try disk.base(of: ItemKey(table, row.id)) {
        removals[row.id] = row
      } else {
        news.append(row)
      }
    }
    try append(news, to: &disk)
    try bring(news, to: &disk)
  }

  /// Takes the rows that remove items, or none of them.
  ///
  /// - Throws: ``Stop/unsafe(_:ways:)`` where they are too many.
  mutating func takeRemovals(to disk: inout some Disk) throws {
    if !removals.isEmpty {
      let live = try disk.liveIDs(in: table).count
      guard removals.count <= settings.maxDelete ?? Guards.deletions(of: live) else {
        throw Guards.pullWouldDelete(removals.count, of: live, in: table)
      }
    }
    let rows = removals.values.sorted { $0.id < $1.id }
    try append(rows, to: &disk)
    removals = [:]
    try bring(rows, to: &disk)
    advance()
  }

  private mutating func append(_ news: [Row], to disk: inout some Disk) throws {
    guard !news.isEmpty else { return }
    try disk.append(news, to: table)
    uncommitted += news.count
    bytes += news.reduce(0) { $0 + $1.text.count }
  }

  private mutating func bring(_ news: [Row], to disk: inout some Disk) throws {
    for (index, row) in news.enumerated() {
      do {
        try apply(row, to: &disk)
      } catch {
        // What was not brought to its item must not become its base: it waits.
        held.formUnion(news[index...].map(\.id))
        throw error
      }
    }
  }

  /// Takes note that the rows that came older than their base are known for what they are.
  mutating func passOlder() {
    older = []
    advance()
  }

  private mutating func apply(_ row: Row, to disk: inout some Disk) throws {
    let key = ItemKey(table, row.id)
    // The outcome of an open write will bring this row, or a newer one.
    guard disk.journal.intents[key] == nil else {
      held.insert(row.id)
      return
    }
    switch try disk.take(row, for: key, policy: settings.policy(of: table)) {
    case .taken(let event):
      held.remove(row.id)
      if let event { report.events.append(event) }
    case .conflict(let event):
      held.insert(row.id)
      report.events.append(event)
    case .held:
      held.insert(row.id)
      report.events.append(Event(key, .held, item: nil))
    }
  }

  /// Returns the rows of a page that are not known yet, the last one of each id.
  private mutating func news(of page: Page, _ disk: some Disk) throws -> [Row] {
    var seen: Set<ItemID> = []
    var news: [Row] = []
    for row in page.rows.reversed() {
      guard seen.insert(row.id).inserted else {
        report.twin = report.twin ?? row.id
        continue
      }
      unseen.remove(row.id)
      let key = ItemKey(table, row.id)
      let base = try disk.base(of: key).row
      // The server side of an open conflict has been told already, and may be newer than this row.
      let known = disk.journal.conflicts[key]?.server
      if row == base || known?.isAtLeastAsNew(as: row) == true { continue }
      if let base, row.isOlder(than: base) {
        older.append(row)
      } else {
        news.append(row)
      }
    }
    return news.reversed()
  }

  /// Makes the items durable, then brings the rows into effect and moves the token.
  mutating func commit(to disk: inout some Disk) throws {
    let moved = try token != nil && token != disk.token(of: table)
    guard uncommitted > 0 || moved else { return }
    if uncommitted > 0 { try disk.settle(afresh: true) }
    try disk.commit(table, token: token, held: held)
    (uncommitted, bytes, held) = (0, 0, [])
  }
}
