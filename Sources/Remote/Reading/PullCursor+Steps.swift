import SyncEngine
import SyncModel

extension PullCursor {
  // Before every time that a server can write.
  private static let beginning = Timestamp("0001-01-01T00:00:00.000Z")
  // What servers show at least, in units of 100 ns.
  private static let second = Timestamp.perSecond

  /// Takes a page in order by time.
  ///
  /// - Throws: `Stop.notSpeaking`, where it isn't in order, or the pull would never end.
  mutating func takeByTime(
    _ page: ListPage, from start: Timestamp?, _ fresh: [ListEntry]
  ) throws(Stop) {
    let rows = page.entries.compactMap { entry -> Row? in
      if case .row(let row) = entry { row } else { nil }
    }
    if let last = rows.compactMap(\.updatedAt).max() { reached = max(reached ?? last, last) }
    let times = page.entries.compactMap(\.time)
    guard zip(times, times.dropFirst()).allSatisfy({ $0 <= $1 }) else { throw Self.unsorted }
    let highest = times.last
    if page.entries.isEmpty || isLast(page) || isEnough(page) {
      finish()
    } else if start == nil, highest == nil || page.endsWithoutTime, !untimedAreDone {
      // Rows without a time can't be passed by time. They are first or last in the order.
      remember(page, from: .min)
      resumesAt = highest ?? Self.beginning
      passed = []
      range = .untimed(after: nil)
    } else if let highest, start.map({ highest > $0 }) ?? true {
      barren = 0
      let first = bucket(of: highest)
      known = known.filter { $0.value >= first }
      remember(page, from: first)
      range = .since(highest)
    } else if let start {
      try standStill(page, at: start, lowest: times.first, fresh)
    } else {
      throw Self.endless
    }
  }

  /// Goes on where a page by time could not move the time.
  private mutating func standStill(
    _ page: ListPage, at start: Timestamp, lowest: Timestamp?, _ fresh: [ListEntry]
  ) throws(Stop) {
    if fresh.isEmpty, page.entries.count < largest, !page.hasLink { return finish() }
    let isCoarse = lowest.map { $0 < start && width < Self.second } ?? false
    if isCoarse {
      width = Self.second
      drained = .min
    }
    let first = bucket(of: isCoarse ? lowest ?? start : start)
    guard first + width > drained else { throw Self.endless }
    remember(page, from: .min)
    passed = []
    range = .within(
      start: Timestamp(ticks: first), end: Timestamp(ticks: first + width),
      // Where ids are known to be in order within a time, the page has brought the first of them.
      after: inOrder ? page.entries.last?.id : nil)
  }

  /// Takes a page in order by id.
  ///
  /// `mayMove` tells whether new ids count as progress, which those of rows that weren't asked for
  /// don't; `next` makes the range that follows an id; `done` is called when the range is exhausted, and
  /// says where to go on.
  ///
  /// - Throws: `Stop.notSpeaking`, where the pull would never end.
  mutating func takeByID(
    _ page: ListPage, _ fresh: [ListEntry], mayMove: Bool = true, next: (Text?) -> RowRange,
    done: (inout PullCursor) -> Void
  ) throws(Stop) {
    if isEnough(page), !page.entries.isEmpty {
      range = nil
      return
    }
    guard !page.entries.isEmpty, !isLast(page) else {
      barren = 0
      return done(&self)
    }
    remember(page, from: .min)
    let last = page.entries.last { $0.id != nil }?.id
    let hasMoved = last.map { passed.insert($0).inserted } ?? false
    if fresh.isEmpty && !(mayMove && hasMoved) {
      barren += 1
      guard barren < PullLimits.barrenRequests else { throw Self.endless }
    } else {
      barren = 0
    }
    if let last { range = next(last) }
  }

  /// Ends the pull, or looks for rows without a time where some may not have come yet: a whole pull
  /// meets them only where the server puts them first.
  private mutating func finish() {
    let hasAll = inOrder || requests == 1 || (total.map { ids.count >= $0 } ?? false)
    if isWhole, !untimedAreDone, !hasAll {
      passed = []
      resumesAt = nil
      range = .untimed(after: nil)
    } else {
      range = nil
    }
  }

  /// Whether a server that gives whole pages says that this is the last one: tsync-server ends a page
  /// early where it becomes too large, and has a link then.
  private func isLast(_ page: ListPage) -> Bool {
    inOrder && page.entries.count < top && !page.hasLink
  }

  /// Whether as many rows came as the server said there are; one more may have been made meanwhile, so
  /// that a page that more could follow isn't the last.
  private func isEnough(_ page: ListPage) -> Bool {
    guard let total, ids.count >= total else { return false }
    return requests == 1 || page.entries.count < largest
  }

  private mutating func remember(_ page: ListPage, from first: Int64) {
    for entry in page.entries {
      let time = entry.time?.ticks ?? .max
      if time >= first { known[Handed(entry)] = time }
    }
  }

  /// Returns the beginning of the span of time that a server may show as one.
  private func bucket(of time: Timestamp) -> Int64 {
    let rest = time.ticks % width
    return time.ticks - (rest < 0 ? rest + width : rest)
  }
}

extension ListPage {
  /// Whether the last entry is a row without a time.
  fileprivate var endsWithoutTime: Bool {
    guard case .row(let row) = entries.last else { return false }
    return row.updatedAt == nil
  }
}
