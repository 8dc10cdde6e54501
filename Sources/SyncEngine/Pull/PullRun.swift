import SyncModel

/// One pull of a table's feeds under way.
struct PullRun {
  let table: TableName
  let settings: Settings
  /// Whether the server's times are in the order of its commits.
  let inOrder: Bool
  /// A report for each feed, in their order.
  var reports: [PullReport]
  /// Says to which feed an item belongs that has left.
  private let home: (Event) -> Int
  /// Which feed is read.
  var current = 0
  /// How many items deletes are measured by.
  ///
  /// They were there when the pull began, or one before it that didn't reach its end: what has come since
  /// must not make room for more.
  private let measure: Int
  /// How many may go without a question.
  private let most: Int
  /// How far the pages of each feed have come.
  private var reached: [Int: DeltaToken] = [:]
  /// What a full pull has brought, the newest state of each row: nothing is laid down before it is known
  /// to be of the same data.
  private var kept: [ItemID: Row]?
  /// The rows that were laid down, and the feed that brought each first.
  private var brought: [ItemID: Int] = [:]
  /// The bytes of rows that were not brought to their items yet.
  private var bytes = 0
  /// The rows that pages have brought.
  private(set) var rows = 0
  /// The rows that came in older or strange states: they are read by their ids.
  private(set) var older: Set<ItemID> = []
  /// The live rows that no page has brought yet, of those that may be gone or may have left.
  var unseen: Set<ItemID> = []
  /// The known rows of the whole table that must be met again.
  var anchors: Anchors
  private let isFull: Bool
  /// The items that had left their queries, and which of them a page has brought since the last write.
  private let left: Set<ItemID>
  private var back: Set<ItemID> = []
  /// The rows that were told to wait although their files are valid, whichever pull has brought them.
  private var held: Set<ItemID> = []
  /// Whether a row has come under the former id of an item that is still to be moved to its own: it is
  /// met again by a later pull.
  private var isBlocked = false
  /// Whether nothing was known of the table, and its first items are made beside the pages.
  private var isFilling = false

  /// Begins a pull; what has arrived before comes first.
  init(
    full: Bool, inOrder: Bool, settings: Settings, reports: [PullReport],
    home: @escaping (Event) -> Int, on disk: inout some Disk
  ) throws {
    let table = reports[0].feed.table
    (self.table, self.inOrder, self.settings, self.home) = (table, inOrder, settings, home)
    var reports = reports
    // What has gone already was cut off: should its row come back, that isn't a delete.
    let gone = try disk.leaving(in: table).filter {
      try disk.client(ItemKey(table, $0)) == .absent
    }
    for event in try disk.letGo(gone, of: table) { reports[home(event)].add(event) }
    self.reports = reports
    left = try disk.state(of: table).left
    anchors = try Anchors(of: table, inOrder: inOrder, on: disk)
    isFull = full
    let before = try disk.takeArrivals(in: table, settings: settings)
    let live = try disk.liveCount(in: table)
    measure = try min(live, disk.state(of: table).measure ?? .max)
    most = Guards.removals(of: measure, among: live)
    before.events.forEach { self.reports[0].add($0) }
    if full, live > 0 { kept = [:] }
    isFilling = try disk.isUnknown(table)
  }

  /// Expects the live rows.
  mutating func expectAll(on disk: some Disk) throws {
    unseen = try Set(disk.liveIDs(in: table)).subtracting(
      disk.arrivals(in: table).compactMap(\.was))
  }

  /// Expects of the rows that are known those that have changed; any may have where it is `nil`.
  mutating func expect(_ changed: Set<ItemID>?, on disk: some Disk) throws {
    let known = try disk.knownIDs(in: table)
    unseen = changed.map(known.intersection) ?? known
  }

  /// How many items a full pull may remove, as far as its pages tell.
  func deletes(on disk: some Disk) throws -> Int {
    try (kept ?? [:]).values.count {
      try $0.deleted && disk.base(of: ItemKey(table, $0.id)).item != nil
    } + unseen.count
  }

  /// Whether the feed that is read has told how far it has come.
  var hasToken: Bool { reached[current] != nil }

  /// Takes a page: what it brings is laid down, and the token that stands behind it.
  mutating func take(_ page: Page, to disk: inout some Disk) throws {
    for row in page.refused {
      reports[current].refused.append(row)
      if let id = row.id.flatMap({ try? ItemID($0) }) { unseen.remove(id) }
    }
    reports[current].faults += page.faults
    rows += page.rows.count
    anchors.note(page.rows)
    let news = try news(of: page, disk)
    reached[current] = page.token ?? reached[current]
    guard kept == nil else {
      kept?.merge(news.map { ($0.id, $0) }) { $1.isOlder(than: $0) ? $0 : $1 }
      return
    }
    // A row that is to be read by its id comes only once.
    try lay(news, token: older.isEmpty ? reached[current] : nil, to: &disk)
    if bytes >= Pull.checkpoint, !isFilling { try bring(to: &disk) }
  }

  /// Returns the rows of a page that are not known yet, the last one of each id.
  private mutating func news(of page: Page, _ disk: some Disk) throws -> [Row] {
    var seen: Set<ItemID> = []
    var news: [Row] = []
    for row in page.rows.reversed() {
      guard seen.insert(row.id).inserted else {
        reports[current].twin = reports[current].twin ?? row.id
        continue
      }
      unseen.remove(row.id)
      if left.contains(row.id) { back.insert(row.id) }
      let key = ItemKey(table, row.id)
      if let open = try disk.arrival(of: key), open.row.id != row.id {
        isBlocked = true
        reports[current].add(Event(key, .held, item: open.over))
        continue
      }
      let base = try disk.base(of: key)
      let known = try disk.newestRow(of: key, over: base)
      if row == known { continue }
      if row == base.row {
        // It was read as gone by its id, which is asked again; a full pull asks for whatever is newer here.
        if kept != nil || known?.isGone == true { older.insert(row.id) }
        continue
      }
      let standing = known.map { row.standing(beside: $0, inOrder: inOrder) } ?? .newer
      let isEarlier = known.map { row.isOlder(than: $0) } == true
      if [.same, .newer].contains(standing), !isEarlier {
        news.append(row)
      } else if standing != .same {
        older.insert(row.id)
      }
    }
    return news.reversed()
  }

  /// Lays rows down as arrivals, with the token behind them, in one write.
  private mutating func lay(
    _ news: [Row], token: DeltaToken?, to disk: inout some Disk
  ) throws {
    let feed = reports[current].feed
    let known = try disk.state(of: feed.table).tokens[feed]
    let token = isBlocked || reports[0].isLate ? known : token ?? known
    guard !news.isEmpty || !back.isEmpty || token != known else { return }
    brought.merge(news.map { ($0.id, current) }) { first, _ in first }
    bytes += news.reduce(0) { $0 + $1.text.count }
    anchors.note(news)
    // What a full pull brings may be older than the anchors that there are: they stay until its end.
    let head = try anchoring(disk, keepsAll: isFull) + back.sorted().map(Fact.back)
    back = []
    // First items take their places only once all of their rows are safe.
    try disk.append(
      head + news.map { .arrived(Arrival($0)) } + [.token(feed, token, of: measure)], to: table,
      durably: !isFilling)
    if isFilling { isFilling = try disk.fill(news, of: table) }
  }

  /// Returns what the next pull must meet again, if that isn't said yet.
  ///
  /// Where pulls go on it stands ahead of its rows: what of them a power loss takes back is older then, or not
  /// known.
  private func anchoring(_ disk: some Disk, keepsAll: Bool = false) throws -> [Fact] {
    guard reports[current].feed.query == nil, !reports[0].isLate else { return [] }
    let next = anchors.next(now: settings.now, keepsAll: keepsAll)
    return try next == disk.state(of: table).anchors ? [] : [.anchors(next)]
  }

  /// Ends the pages: what was read by its id follows, and all is brought to its items.
  ///
  /// - Throws: ``Stop/unsafe(_:)`` where too many items would be removed: these rows wait.
  mutating func end(
    _ found: [Row], leaving facts: [Fact], mayLeave free: Int, isWhole: Bool,
    to disk: inout some Disk,
    reading: ([ItemID]) throws -> [Row]
  ) throws {
    let news = (kept ?? [:]).values.sorted { $0.id < $1.id } + found
    kept = nil
    // Rows by the thousand, so that they are brought to their items by parts.
    for start in stride(from: 0, to: news.count, by: 4_096) {
      try lay(Array(news[start..<min(start + 4_096, news.count)]), token: nil, to: &disk)
      if bytes >= Pull.checkpoint { try bring(to: &disk) }
    }
    for index in reports.indices {
      current = index
      try lay([], token: reached[index], to: &disk)
    }
    let allowed = try disk.state(of: table).mayLeave
    if !facts.isEmpty { try disk.append(facts, to: table, durably: true) }
    let removals = try confirmed(bring(to: &disk), to: &disk, reading: reading)
    let leaves = isWhole ? try disk.leaving(in: table) : []
    // New deletes that are in conflict count, too: how many the server tells of is what is strange.
    let deletes =
      try removals.isEmpty
      ? 0
      : disk.arrivals(in: table).count {
        try removals.contains($0.id) || brought[$0.id] != nil && disk.isDelete($0, in: table)
      }
    let anchors = try anchoring(disk)
    if !anchors.isEmpty { try disk.append(anchors, to: table, durably: false) }
    let more = max(0, leaves.count - allowed - free)
    let count = deletes + more
    // What was allowed is a number: more than that was not meant.
    let isMore = allowed > 0 && more > 0
    if count > settings.maxDelete ?? (isMore ? 0 : most) {
      let stop = Stop.unsafe(
        .removals(
          deletes: deletes, leaving: leaves.count, of: max(measure, count), in: table,
          areShown: settings.isRehearsal))
      reports[0].stop = stop
      guard settings.isRehearsal else { throw stop }
    }
    if !removals.isEmpty {
      tell(try disk.takeArrivals(in: table, of: removals, removing: true, settings: settings))
    }
    try disk.letGo(leaves, of: table).forEach { reports[home($0)].add($0) }
    // While a delete waits, what comes makes no room for it; that all rows were read is so all the same.
    let state = try disk.state(of: table)
    let isOver = try !disk.arrivals(in: table).contains { try disk.removes($0, in: table) }
    let isNews = !state.isPulled || isOver && (state.measure != nil || allowed > 0)
    if isNews, isWhole || allowed == 0 {
      try disk.append([.pulled], to: table, durably: false)
    }
  }

  /// Returns the items that are to be removed, without those whose rows the server has again: deletes of an
  /// earlier pull are asked for once more.
  private mutating func confirmed(
    _ removals: Set<ItemID>, to disk: inout some Disk, reading: ([ItemID]) throws -> [Row]
  ) throws -> Set<ItemID> {
    let old = removals.filter { brought[$0] == nil }.sorted()
    let live = try old.isEmpty ? [] : reading(old).filter { !$0.deleted }
    guard !live.isEmpty else { return removals }
    // A row in a state from before its delete waits on.
    let news = try live.filter {
      try disk.standing(of: $0, ItemKey(table, $0.id), inOrder: inOrder) != .older
    }
    try lay(news, token: nil, to: &disk)
    try bring(to: &disk)
    return removals.subtracting(live.map(\.id))
  }

  /// Brings what has arrived to its items; returns the items that would be removed, which wait.
  @discardableResult
  mutating func bring(to disk: inout some Disk) throws -> Set<ItemID> {
    bytes = 0
    if isFilling {
      isFilling = false
      if try disk.endFill(of: table) {
        tell(try disk.takeFirst(in: table, isTold: reports.contains { !$0.isBrief }))
      }
    }
    let taken = try disk.takeArrivals(in: table, settings: settings)
    tell(taken)
    return taken.removals
  }

  private mutating func tell(_ taken: TakenArrivals) {
    for event in taken.events { reports[brought[event.key.id] ?? 0].add(event) }
    for event in taken.held {
      if event.hold != nil, held.insert(event.key.id).inserted {
        reports[brought[event.key.id] ?? 0].add(event)
      } else if event.hold == nil, let index = brought.removeValue(forKey: event.key.id) {
        reports[index].add(event)
      }
    }
  }
}
