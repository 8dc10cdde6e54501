import SyncEngine
import SyncModel

/// How far one pull has come, and what it asks for next.
///
/// Pages follow one another by time: the next begins at the time of the last row, so that a row that
/// moves while the pull is under way is met again, never skipped. Where a whole page has one time,
/// the rows of that time are drained by id:
///
/// ```
///   all ──► since T ──► since T' ──► … ──► end
///    │        │  ▲ all of one time
///    │        ▼  │ none left
///    │      within [T, T + 1 ms), id > …
///    ▼
///   untimed, id > … ──► since the beginning
/// ```
///
/// The cursor decides and asks nobody: ``range`` is what to ask for, what it brought is taken, and so
/// on until there is no range.
struct PullCursor {
  /// What to ask for next; `nil` when everything is there.
  var range: RowRange?
  /// How many rows the pull has in all, where the server says so.
  var total: Int?

  /// Whether the server promises commit order, whole pages, and order by id within a time.
  let inOrder: Bool
  /// How many seconds before this pull's beginning the next one is to begin.
  let overlap: Int64
  /// How many rows a page is asked for.
  private(set) var top: Int
  /// How many rows a page is asked for where none of them makes the server fail.
  private var size: Int
  /// Whether the pull brings everything.
  let isWhole: Bool

  /// The highest time of a row that was met by time: up to there nothing is missing.
  var reached: Timestamp?
  /// The server's time when the pull began, in seconds since 1970.
  var began: Int64?
  /// How many requests were answered.
  var requests = 0
  /// The most entries that a page had: a smaller one was not cut off.
  var largest = 0
  /// The ids that were met, by their hashes.
  private(set) var ids: Set<Int> = []
  /// The id of the last entry that was met.
  private var last: Text?
  /// Whether a row is passed over, and no answer shows yet that what follows it can be read.
  private var isPassing = false
  /// How many requests in a row brought nothing new and moved nothing.
  var barren = 0
  /// How many pages in a row were empty although more is said to follow: a server may filter rows
  /// after it has cut out a page.
  var emptied = 0
  /// How many rows of ``range`` to pass over: those that such pages were cut out of.
  var skip = 0
  /// How fine the server's times are, in units of 100 ns: a millisecond, or a second where it shows
  /// less of a time than it compares.
  var width: Int64 = 10_000
  /// What was handed out and may come again, with its time, `max` where it has none.
  var known: [Handed: Int64] = [:]
  /// The ids after which the present time was drained.
  var passed: Set<Text> = []
  /// The end of the last time that was drained.
  var drained: Int64 = .min
  /// Whether the rows without a time are there.
  var untimedAreDone = false
  /// Where to go on after the rows without a time.
  var resumesAt: Timestamp?

  /// Begins a pull at a time; at none it brings everything.
  init(from start: Timestamp?, top: Int, overlap: Int, inOrder: Bool) {
    range = start.map(RowRange.since) ?? .all
    isWhole = start == nil
    (self.top, size) = (top, top)
    self.overlap = Int64(overlap)
    self.inOrder = inOrder
  }

  /// Begins a pull of a table without times: everything, by ids, which may be numbers.
  init(byNumbers isNumber: Bool, top: Int) {
    self.init(from: nil, top: top, overlap: 0, inOrder: false)
    range = .byID(after: nil, isNumber: isNumber)
  }

  /// Halves the pages to come; one that is smaller than those before proves nothing then.
  ///
  /// - Parameter forGood: Whether the pages stay so small, rather than until a row is passed over.
  /// - Returns: Whether they can be smaller.
  mutating func halve(forGood: Bool = true) -> Bool {
    guard top > 1 else { return false }
    (top, largest) = (top / 2, 0)
    if forGood { size = top }
    return true
  }

  /// Passes over the first row of the next page, which makes the server fail, if what follows it can be
  /// read.
  ///
  /// - Returns: Whether that is to be tried; not of two rows on end.
  mutating func passOver() -> Bool {
    guard !isPassing else { return false }
    isPassing = true
    skip += 1
    return true
  }

  /// That a pull of everything has met fewer rows than the server counts; `nil` where it hasn't.
  var shortfall: String? {
    guard isWhole, !inOrder, let total, ids.count < total else { return nil }
    return "the server counts \(total) rows and sent \(ids.count)"
  }

  /// How far the pages so far bring the table; `nil` where no row tells it.
  ///
  /// Of everything only the end tells it: what a server without an order by commits has left out so far
  /// may be older than what it has sent.
  var token: DeltaToken? {
    guard let reached, !isWhole || inOrder || range == nil else { return nil }
    guard overlap > 0 else { return DeltaToken(reached.text) }
    // Without a Date the newest row stands for the server's clock.
    let now = began.map { $0 * Timestamp.perSecond } ?? reached.ticks
    let bound = Timestamp(ticks: now - overlap * Timestamp.perSecond)
    return DeltaToken(min(reached, bound).text)
  }

  /// Takes what the request for ``range`` brought, and decides what comes next.
  ///
  /// - Returns: What of it is new.
  /// - Throws: ``Stop/notSpeaking(_:)`` where the pull would never end, or the server doesn't sort.
  mutating func take(_ page: ListPage) throws(Stop) -> Page {
    if requests == 0 {
      total = page.total
      began = page.date
    }
    requests += 1
    guard requests <= PullLimits.pages else { throw Self.endless }
    let place = last.map { "the row after \($0)" } ?? "the first row"
    let faults = isPassing ? ["the server answered 500 for \(place)"] : []
    if page.entries.isEmpty, page.hasLink, !inOrder {
      emptied += 1
      guard emptied <= PullLimits.emptyPages else { throw Self.endless }
      guard let next = page.nextSkip, next > skip else { throw Self.hidden }
      skip = next
      return handOut([])
    }
    (emptied, skip) = (0, 0)
    let fresh = page.entries.filter { known[Handed($0)] == nil }
    for entry in fresh { ids.insert(entry.id?.hashValue ?? Handed(entry).hashValue) }
    switch range {
    case .all: try takeByTime(page, from: nil, fresh)
    case .since(let start): try takeByTime(page, from: start, fresh)
    case .within(let start, let end, _):
      let isForeign = !page.entries.contains { isNear($0, start, end) }
      // The server passes over the condition, and would for every time to come.
      guard !isForeign || page.entries.isEmpty || !fresh.isEmpty else { throw Self.endless }
      try takeByID(
        page, isForeign ? [] : fresh, mayMove: !isForeign,
        next: { .within(start: start, end: end, after: $0) }
      ) {
        $0.drained = end.ticks
        $0.range = .since(end)
      }
    case .untimed:
      try takeByID(page, fresh, next: { .untimed(after: $0) }) {
        $0.untimedAreDone = true
        $0.range = $0.resumesAt.map(RowRange.since)
      }
    case .byID(_, let isNumber):
      try takeByID(page, fresh, next: { .byID(after: $0, isNumber: isNumber) }) { $0.range = nil }
    case .only, .these, .newest, nil: range = nil
    }
    largest = max(largest, page.entries.count)
    last = page.entries.last?.id ?? last
    if isPassing { (isPassing, top, largest) = (false, size, 0) }
    for fault in faults { ids.insert(fault.hashValue) }  // the row counts as met
    return handOut(fresh, faults)
  }

  /// Whether an entry lies in a span of time, as finely as the server shows times.
  private func isNear(_ entry: ListEntry, _ start: Timestamp, _ end: Timestamp) -> Bool {
    guard let time = entry.time?.ticks else { return false }
    return time >= start.ticks - width && time < end.ticks + width
  }

  private func handOut(_ entries: [ListEntry], _ faults: [String] = []) -> Page {
    var page = Page(rows: [], token: token, total: total)
    page.faults = faults
    entries.forEach { page.add($0) }
    return page
  }

  static let hidden = Stop.notSpeaking(
    "the server sent an empty page and no link to the next one")

  static let unsorted = Stop.notSpeaking("the server does not sort by updatedAt")

  static let endless = Stop.notSpeaking(
    "the pull makes no progress: the server keeps sending the same rows")
}

extension PullCursor {
  /// What tells an entry from a newer state of it.
  struct Handed: Hashable {
    private var id: Text?
    private var version: Version?
    private var text: [UInt8]?

    init(_ entry: ListEntry) {
      switch entry {
      case .row(let row):
        id = row.id.text
        version = row.version
        if version == nil { text = row.text }
      case .refused(let row, _): text = row.text
      }
    }
  }
}
