import SyncModel

/// One pull of one feed under way.
struct PullRun {
  let feed: Feed
  let settings: Settings
  var report: PullReport
  private var table: TableName { feed.table }
  /// How many items deletes are measured by.
  ///
  /// They were there when the pull began, or when the pull began that brought a delete which still waits:
  /// what has come since must not make room for more.
  private let measure: Int
  /// How far the pages have come.
  private var reached: DeltaToken?
  /// What a full pull has brought, the newest state of each row: nothing is laid down before it is known
  /// to be of the same data.
  private var kept: [ItemID: Row]?
  /// The rows that were laid down.
  private var brought: Set<ItemID> = []
  /// The bytes of rows that were not brought to their items yet.
  private var bytes = 0
  /// The rows that pages have brought.
  private(set) var rows = 0
  /// The rows that came older than one that is known: they are read by their ids.
  private(set) var older: Set<ItemID> = []
  /// In a full pull, the live rows that no page has brought yet.
  var unseen: Set<ItemID> = []
  /// Whether a row has come under the former id of an item that is still to be moved to its own: it is
  /// met again by a later pull.
  private var isBlocked = false

  /// Begins a pull; what has arrived before comes first.
  init(
    _ feed: Feed, full: Bool, settings: Settings, report: PullReport,
    on disk: inout some Disk
  ) throws {
    (self.feed, self.settings, self.report) = (feed, settings, report)
    let table = feed.table
    let before = try disk.takeArrivals(in: table, settings: settings)
    let ids = try disk.liveIDs(in: table)
    measure =
      try before.removals.isEmpty ? ids.count : min(ids.count, disk.measure(of: table) ?? .max)
    before.events.forEach { self.report.add($0) }
    guard full, !ids.isEmpty else { return }
    kept = [:]
    unseen = try Set(ids).subtracting(disk.arrivals(in: table).compactMap(\.was))
  }

  /// Takes a page: what it brings is laid down, and the token that stands behind it.
  mutating func take(_ page: Page, to disk: inout some Disk) throws {
    for row in page.refused {
      report.refused.append(row)
      if let id = row.id.flatMap({ try? ItemID($0) }) { unseen.remove(id) }
    }
    report.faults += page.faults
    rows += page.rows.count
    let news = try news(of: page, disk)
    reached = page.token ?? reached
    guard kept == nil else {
      kept?.merge(news.map { ($0.id, $0) }) { $1.isOlder(than: $0) ? $0 : $1 }
      return
    }
    // A row that is to be read by its id comes only once.
    try lay(news, token: older.isEmpty ? reached : nil, to: &disk)
    if bytes >= Pull.checkpoint { try bring(to: &disk) }
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
      if let open = try disk.arrival(of: key), open.row.id != row.id {
        isBlocked = true
        report.add(Event(key, .held, item: open.over))
        continue
      }
      let base = try disk.base(of: key)
      let known = try disk.newestRow(of: key, over: base)
      if row == known { continue }
      if row == base.row {
        // It was read as gone by its id, which is asked again.
        if known?.deleted == true, known?.version == nil { older.insert(row.id) }
        continue
      }
      if try disk.isOlder(row, than: known, of: key) {
        older.insert(row.id)
      } else {
        news.append(row)
      }
    }
    return news.reversed()
  }

  /// Lays rows down as arrivals, with the token behind them, in one write.
  private mutating func lay(
    _ news: [Row], token: DeltaToken?, to disk: inout some Disk
  ) throws {
    let known = try disk.token(of: feed)
    let token = isBlocked ? known : token ?? known
    guard !news.isEmpty || token != known else { return }
    brought.formUnion(news.map(\.id))
    bytes += news.reduce(0) { $0 + $1.text.count }
    try disk.append(
      news.map { .arrived(Arrival($0)) } + [.token(feed, token, of: measure)], to: table,
      durably: true)
  }

  /// Ends the pages: what was read by its id follows, and all is brought to its items.
  ///
  /// - Throws: ``Stop/unsafe(_:ways:items:)`` where too many items would be removed: these rows wait.
  mutating func end(_ found: [Row], to disk: inout some Disk) throws {
    let news = (kept ?? [:]).values.sorted { $0.id < $1.id } + found
    kept = nil
    // Rows by the thousand, so that they are brought to their items by parts.
    for start in stride(from: 0, to: news.count, by: 4_096) {
      try lay(Array(news[start..<min(start + 4_096, news.count)]), token: nil, to: &disk)
      if bytes >= Pull.checkpoint { try bring(to: &disk) }
    }
    try lay([], token: reached, to: &disk)
    let removals = try bring(to: &disk)
    if !removals.isEmpty {
      // Deletes that are in conflict count, too: how many the server tells of is what is strange.
      let count = try disk.arrivals(in: table).count { try disk.isDelete($0, in: table) }
      if count > settings.maxDelete ?? Guards.deletions(of: measure) {
        let stop = Guards.pullWouldDelete(
          count, of: max(measure, count), in: table, areShown: settings.isRehearsal)
        report.stop = stop
        guard settings.isRehearsal else { throw stop }
      }
      tell(try disk.takeArrivals(in: table, of: removals, removing: true, settings: settings))
    }
    if try !disk.isPulled(table) { try disk.append([.pulled], to: table, durably: false) }
  }

  /// Brings what has arrived to its items; returns the items that would be removed, which wait.
  @discardableResult
  mutating func bring(to disk: inout some Disk) throws -> Set<ItemID> {
    bytes = 0
    let taken = try disk.takeArrivals(in: table, settings: settings)
    tell(taken)
    return taken.removals
  }

  private mutating func tell(_ taken: TakenArrivals) {
    taken.events.forEach { report.add($0) }
    for event in taken.held where brought.remove(event.key.id) != nil { report.add(event) }
  }
}
