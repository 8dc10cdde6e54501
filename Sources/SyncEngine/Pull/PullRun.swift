import SyncModel

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
  /// The arrivals that have to wait.
  private var held: Set<ItemID> = []
  /// The rows since the last commit.
  private var brought: Set<ItemID> = []
  /// The bytes of rows since the last commit.
  private(set) var bytes = 0
  /// The rows that pages have brought.
  private(set) var rows = 0
  /// The rows that remove items, kept back until all pages have come: how many there are decides
  /// whether any is taken.
  private var removals: [ItemID: Row] = [:]
  /// How many items were known when the pull began, once that is asked for.
  private var known: Int?
  /// Whether there were too many removals.
  private var areTooMany = false
  /// The earliest time of a known row that a newer one with an older time has replaced: was the reading
  /// a replica's that lags, the next pull must meet the known one again.
  private var latest: Timestamp?
  /// The rows that came older than one that is known.
  private(set) var older: Set<ItemID> = []
  /// In a full pull, the live rows that no page has brought yet.
  var unseen: Set<ItemID> = []

  init(table: TableName, settings: Settings, report: PullReport) {
    self.table = table
    self.settings = settings
    self.report = report
  }

  /// Whether a row has come under the former id of an item that is still to be moved to its own: it is
  /// met again by a later pull.
  private var isBlocked = false

  /// Notes the arrivals that waited before the pull.
  mutating func holdArrivals(on disk: some Disk) throws {
    held = try Set(disk.arrivals(in: table).map(\.id))
  }

  mutating func apply(_ page: Page, to disk: inout some Disk) throws {
    try makeBases(of: page.rows, on: &disk)
    try add(news(of: page, disk), to: &disk)
    reached = page.token ?? reached
    advance()
    rows += page.rows.count
  }

  /// Moves the token to where the pages have come, unless something before that is still to be done.
  private mutating func advance() {
    guard older.isEmpty, removals.isEmpty, !isBlocked else { return }
    token = reached
    if let latest, let time = reached?.timestamp, time > latest { token = DeltaToken(latest.text) }
  }

  /// Makes what was brought the base of items that are met again with another row: one that moves
  /// while it is pulled comes twice, and against the base from before the pull what the first row
  /// has written would look like its user's edit.
  private mutating func makeBases(of rows: [Row], on disk: inout some Disk) throws {
    let isMetAgain = try rows.contains { row in
      try brought.contains(row.id) && disk.arrival(of: ItemKey(table, row.id))?.row != row
    }
    if isMetAgain { try commitMidway(to: &disk) }
  }

  /// Takes rows that were read one by one, as those of a page.
  mutating func apply(_ rows: [Row], to disk: inout some Disk) throws {
    try makeBases(of: rows, on: &disk)
    try add(rows.map { ($0, try disk.base(of: ItemKey(table, $0.id))) }, to: &disk)
  }

  /// Takes a row that is newer than the known one although its time may be older.
  mutating func apply(_ row: Row, over known: Row?, to disk: inout some Disk) throws {
    if let known, row.isOlder(than: known) {
      latest = [latest, known.updatedAt].compactMap { $0 }.min()
    }
    try apply([row], to: &disk)
  }

  /// Appends rows and brings them to their items; those that remove one are kept back.
  private mutating func add(_ rows: [(Row, Base)], to disk: inout some Disk) throws {
    var news: [(Row, Base)] = []
    for (row, base) in rows {
      removals[row.id] = nil
      if row.deleted, base.item != nil {
        try keepBack(row, disk)
      } else {
        news.append((row, base))
      }
    }
    try append(news.map(\.0), to: &disk)
    for (row, base) in news { try apply(row, over: base, to: &disk) }
  }

  /// Keeps a row back that removes an item; where they are too many to be taken, the id alone.
  private mutating func keepBack(_ row: Row, _ disk: some Disk) throws {
    let most = try settings.maxDelete ?? Guards.deletions(of: knownItems(on: disk))
    areTooMany = areTooMany || removals.count >= most
    removals[row.id] = areTooMany && !settings.isRehearsal ? .gone(row.id) : row
  }

  /// Returns how many items were known when the pull began.
  ///
  /// Deletes are measured by them: what the pull has brought itself, or one before it that was
  /// stopped, must not make room for more.
  private mutating func knownItems(on disk: some Disk) throws -> Int {
    if let known { return known }
    let live = try disk.liveIDs(in: table).count
    let count = min(live, disk.journal.stops[table] ?? live)
    known = count
    return count
  }

  /// Takes the rows that remove items, or none of them; a rehearsal takes them all.
  ///
  /// - Throws: ``Stop/unsafe(_:ways:items:)`` where they are too many.
  mutating func takeRemovals(to disk: inout some Disk) throws {
    if areTooMany {
      let known = try knownItems(on: disk)
      let stop = Guards.pullWouldDelete(
        removals.count, of: max(known, removals.count), in: table, areShown: settings.isRehearsal)
      report.stop = stop
      guard settings.isRehearsal else {
        try disk.append([.stopped(table, known: known)], durably: false)
        throw stop
      }
    }
    let rows = removals.values.sorted { $0.id < $1.id }
    try append(rows, to: &disk)
    removals = [:]
    for row in rows { try apply(row, over: disk.base(of: ItemKey(table, row.id)), to: &disk) }
    advance()
  }

  private mutating func append(_ news: [Row], to disk: inout some Disk) throws {
    guard !news.isEmpty else { return }
    // What was not brought to its item must not become its base: it waits.
    held.formUnion(news.map(\.id))
    brought.formUnion(news.map(\.id))
    try disk.append(news.map { .arrived(Arrival($0)) }, to: table, durably: true)
    bytes += news.reduce(0) { $0 + $1.text.count }
  }

  /// Takes note that the rows that came older than one that is known are known for what they are.
  mutating func passOlder() {
    older = []
    advance()
  }

  private mutating func apply(_ row: Row, over base: Base, to disk: inout some Disk) throws {
    let key = ItemKey(table, row.id)
    // What has arrived of the row before may tell what is measured against what, or that its item is still
    // to be moved to its id.
    guard let arrival = try disk.arrival(of: key) else { return }
    let known = try disk.known(arrival, of: key, over: base)
    switch try disk.apply(known, to: key, policy: settings.policy(of: table)) {
    case .taken(let event):
      held.remove(row.id)
      if let event { report.add(event) }
    case .conflict(let event): report.add(event)
    case .waiting(.inFlight): break
    case .waiting(.invalid): report.add(Event(key, .held, item: known.base.item))
    }
  }

  /// Returns the rows of a page that are not known yet, the last one of each id, over their bases.
  private mutating func news(of page: Page, _ disk: some Disk) throws -> [(Row, Base)] {
    var seen: Set<ItemID> = []
    var news: [(Row, Base)] = []
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
      if row == known || row == base.row { continue }
      if try disk.isOlder(row, than: known, of: key) {
        older.insert(row.id)
      } else {
        news.append((row, base))
      }
    }
    return news.reversed()
  }

  /// Commits while pages are still to come: what is known is counted before that grows.
  mutating func commitMidway(to disk: inout some Disk) throws {
    _ = try knownItems(on: disk)
    try commit(to: &disk)
  }

  /// Makes the items durable, then brings the rows into effect and moves the token.
  mutating func commit(to disk: inout some Disk) throws {
    let moved = try token == disk.token(of: table) ? nil : token
    guard !brought.isEmpty || moved != nil else { return }
    if !brought.isEmpty { try disk.settle(afresh: true) }
    let taken: [Fact] = brought.isEmpty ? [] : [.taken(but: held)]
    try disk.append(taken + (moved.map { [.token($0)] } ?? []), to: table, durably: true)
    (brought, bytes) = ([], 0)
  }
}
