package import SyncModel

/// A pull: it applies the server's changes of a table to its items.
///
/// ```
///   page → arrivals and token, one durable write → … → items, safe on disk → arrivals are bases
/// ```
///
/// A token stands behind the rows that it covers. What removes items is applied by a pull that has reached
/// its end, all of a table together. The newest rows that are known, the anchors, must come again, or newer
/// states of them: a server that lacks one has lost data, and nothing later is taken from it.
package struct Pull {
  /// What the user has settled.
  package var settings: Settings
  /// Told after each page: rows so far, and in all where that is known.
  package var progress: (_ feed: Feed, _ rows: Int, _ total: Int?) -> Void
  /// Says to which of the feeds, by its place, an item belongs that has left.
  package var home: (Event) -> Int = { _ in 0 }
  /// How many items may leave because a query's dates mean another day.
  package var mayLeave = 0
  /// Tells whether the disk can name the files of an item.
  package var fits: (ItemKey) -> Bool = { _ in true }
  /// Told of what can't be a row; keeps it.
  package var quarantine: (TableName, RefusedRow) throws -> Void

  /// After so many bytes of rows these are brought to their items.
  static let checkpoint = 16 << 20

  package init(
    settings: Settings, progress: @escaping (Feed, Int, Int?) -> Void = { _, _, _ in },
    quarantine: @escaping (TableName, RefusedRow) throws -> Void = { _, _ in }
  ) {
    self.settings = settings
    self.progress = progress
    self.quarantine = quarantine
  }

  /// Pulls feeds of one table: the table, or its queries.
  ///
  /// With `full`, everything is read again, and rows that are gone are found; with `anchored` it is known
  /// whether the server has lost rows, else that is the user's wish. Where the feeds are but a
  /// part of the table's queries, or one of them is at fault, what has left them isn't looked for. What is read in
  /// full is taken whole or not at all. The reports, one for each feed, take what happened also where the pull
  /// ends with an error.
  ///
  /// - Throws: ``QueryFault`` of what is read in full; ``Stop``, after which what was told is in effect and the
  ///   next pull goes on.
  package func run(
    _ feeds: [Feed], isPart: Bool = false, full: Bool = false, anchored: Bool? = nil,
    on disk: inout some Disk,
    from backend: inout some Backend, reports: inout [PullReport]
  ) throws {
    let table = feeds[0].table
    try disk.endTokens(in: table, but: feeds, isPart: isPart)
    var isPart = isPart
    var run = try PullRun(
      full: full, inOrder: backend.commitsInOrder, settings: settings, reports: reports,
      home: home, on: &disk)
    defer { reports = run.reports }
    let isQueried = feeds[0].query != nil
    let findsLeft = isQueried && !isPart
    let findsGone = full && !isQueried
    var found: [Row] = []
    var leaving: [Fact] = []
    var whole: Set<Feed> = []
    do {
      let ids = try findsLeft ? changes(in: table, full: full, disk, &backend) : nil
      if let ids { try run.expect(ids.ids, on: disk) }
      if findsGone { try run.expectAll(on: disk) }
      if anchored ?? !full, !isQueried { run.anchors.expect() }
      let known = run.unseen.count
      for (index, feed) in feeds.enumerated() {
        run.current = index
        var (token, isHeld): (DeltaToken?, Bool)
        do {
          repeat {
            isHeld = false
            token = try full ? nil : disk.state(of: feed.table).tokens[feed]
            try backend.pages(of: feed, from: token) { page in
              isHeld = !run.anchors.mayTake(page)
              guard !isHeld else { return false }
              let page = page.refusing { !fits(ItemKey(table, $0)) }
              for row in page.refused { try quarantine(table, row) }
              try run.take(page, to: &disk)
              progress(feed, run.rows, page.total)
              return true
            }
            if isHeld {
              let isLate = try run.anchors.find(
                in: table, now: settings.now, on: disk, from: &backend)
              // A full pull finds it by itself.
              run.reports[0].isLate = isLate && !full
            }
          } while isHeld
        } catch let fault as QueryFault {
          run.reports[index].fault = fault
          guard !full else { throw fault }
          (isPart, run.unseen) = (true, [])
          continue
        }
        // The ids' token is from before: what such a feed has not brought isn't in it.
        if token == nil, run.hasToken { whole.insert(feed) }
      }
      let allowed = try max(settings.maxDelete ?? 0, disk.state(of: table).mayLeave)
      if full { try recognise(table, run.unseen.count, of: known, allowed) }
      if let ids, !isPart {
        for (index, feed) in feeds.enumerated()
        where !run.unseen.isEmpty && !whole.contains(feed) {
          run.current = index
          // What changes between the questions is decided by this one.
          let page = try backend.rows(run.unseen.sorted(), of: feed)
          for row in page.refused { try quarantine(table, row) }
          try run.take(page, to: &disk)
        }
        leaving = try left(run.unseen.subtracting(ids.deleted), ids.token, of: table, disk)
        found = try gone(run.unseen.intersection(ids.deleted), in: run, disk, &backend)
      }
      let older = run.reports[0].isLate ? [] : run.older
      found += try newer(older, in: run, full: full, disk, &backend)
      if findsGone { found += try gone(run.unseen, in: run, disk, &backend) }
      found += run.anchors.absent.map { .gone($0) }
    } catch {
      // What was laid down is in effect.
      try run.bring(to: &disk)
      throw error
    }
    try run.end(found, leaving: leaving, mayLeave: mayLeave, isWhole: !isPart, to: &disk) {
      try backend.rows($0, of: Feed(table)).rows
    }
  }

  /// Reads which rows have changed; `ids` is `nil` where that isn't known, so that any may have.
  private func changes(
    in table: TableName, full: Bool, _ disk: some Disk, _ backend: inout some Backend
  ) throws -> (ids: Set<ItemID>?, deleted: Set<ItemID>, token: DeltaToken?) {
    let feed = Feed.ids(of: table)
    let start = try full ? nil : disk.state(of: feed.table).tokens[feed]
    var (ids, deleted, token) = (Set<ItemID>(), Set<ItemID>(), start)
    try backend.pages(of: feed, from: start) { page in
      for row in page.rows {
        ids.insert(row.id)
        if row.deleted { deleted.insert(row.id) } else { deleted.remove(row.id) }
      }
      token = page.token ?? token
      return true
    }
    return (start == nil ? nil : ids, deleted, token)
  }

  /// Returns what is to be recorded of rows that no query returns, with the token of the ids behind it.
  private func left(
    _ ids: Set<ItemID>, _ token: DeltaToken?, of table: TableName, _ disk: some Disk
  ) throws -> [Fact] {
    let feed = Feed.ids(of: table)
    let known = try disk.state(of: feed.table).tokens[feed]
    let new = try ids.subtracting(disk.state(of: table).left).sorted()
    // A file that its user has removed is a change, which doesn't leave: it is asked for again.
    let here = try new.filter { id in
      let key = ItemKey(table, id)
      return try disk.client(key) != .absent || disk.base(of: key).item == nil
    }
    let next = here.count == new.count ? token : known
    return here.isEmpty && next == known ? [] : here.map(Fact.left) + [.token(feed, next)]
  }

  /// Makes sure that a server that is read anew has at least half of the rows that are known: else it
  /// holds other data.
  private func recognise(
    _ table: TableName, _ missing: Int, of known: Int, _ allowed: Int
  ) throws {
    if known >= Guards.recognisable, missing * 2 > known, missing > allowed {
      throw Stop.unsafe(.otherData(known - missing, of: known, in: table))
    }
  }

  /// Reads the rows that came older than one that is known, and returns those that are newer, and in a full
  /// pull those from before that somebody has said may come.
  ///
  /// - Throws: ``Stop/unsafe(_:)`` where many are newer by their version and much older by their
  ///   time, and in a full pull where one is in a state from before the known one.
  private func newer(
    _ older: Set<ItemID>, in run: PullRun, full: Bool, _ disk: some Disk,
    _ backend: inout some Backend
  ) throws -> [Row] {
    var (rows, past, strange, renumbered): ([Row], [Row], Int, Int) = ([], [], 0, 0)
    for id in older.sorted() {
      let key = ItemKey(run.table, id)
      guard case .row(let now) = try backend.read(key) else { continue }
      switch try disk.standing(of: now, key, inOrder: run.inOrder) {
      case .same: continue
      case .newer: rows.append(now)
      case .strange:
        strange += 1
        rows.append(now)
      case .renumbered:
        renumbered += 1
        past.append(now)
      case .older:
        if try full && run.anchors.mayBeLate(key, on: disk, now: settings.now) { throw Guards.late }
        past.append(now)
      }
    }
    let allowed = full ? settings.maxDelete ?? 0 : 0
    let isBack = full ? past.count > allowed : past.contains { $0.version == nil } || renumbered > 0
    guard try !isBack && strange <= max(disk.mostStrange(in: run.table), allowed) else {
      let count = try full ? past.count + strange + run.deletes(on: disk) : nil
      throw Stop.unsafe(
        renumbered > 0 ? .renumbered(accepting: count) : .wentBack(accepting: count))
    }
    return full ? rows + past : rows
  }

  /// Returns the rows that are deleted although no page has said so, with what their tombstones hold, or
  /// without one.
  private func gone(
    _ unseen: Set<ItemID>, in run: PullRun, _ disk: some Disk, _ backend: inout some Backend
  ) throws -> [Row] {
    try unseen.sorted().compactMap { id in
      let key = ItemKey(run.table, id)
      switch try backend.read(key) {
      case .absent:
        if try run.anchors.mayBeLate(key, on: disk, now: settings.now) { throw Guards.late }
        return .gone(id)
      case .row(let row):
        let standing = try disk.standing(of: row, key, inOrder: run.inOrder)
        return row.deleted && standing != .older ? row : nil
      case .refused: return nil
      }
    }
  }
}
