import Remote
import SyncModel
import TestSupport

/// A table of a server in memory, which answers lists as one of the family would.
final class TableTwin {
  struct Entry {
    var id: String
    /// The time as the server compares it, in units of 100 ns; `nil` where it has none.
    var ticks: Int64?
    var version = 1
    var deleted = false
  }

  var entries: [Entry] = []
  let dialect: Dialect
  /// The most rows that a page has.
  var cap = 1_000
  /// The most rows that may be asked for.
  var maxTop = Int.max
  /// The order of a list by time.
  enum Order: CaseIterable { case oldestFirst, newestFirst, byID, asStored }
  var order = Order.oldestFirst
  /// The rows that make a page fail.
  var failing: Set<String> = []
  /// How many rows more than there are the server counts.
  var surplus = 0
  /// Whether the number of rows is told.
  var counts = true
  /// What a tsync-server would call its data set; `nil` for another server.
  var dataset: String?
  /// Whether rows of one time come in a new order each time.
  var shufflesTies = false
  /// Whether rows without a time come last.
  var untimedLast = false
  /// The unit to which a shown time is cut off, in units of 100 ns.
  var shownUnit: Int64 = 10_000
  /// The time in the `Date` field, in seconds since 1970; `nil` for none.
  var date: Int64? = 1_900_000_000
  /// Done before each request is answered, with its number from 1.
  var before: (Int) -> Void = { _ in }
  private(set) var requests: [String] = []
  private var random: SplitMix64

  init(_ dialect: Dialect, seed: UInt64 = 1) {
    self.dialect = dialect
    random = SplitMix64(seed: seed)
  }

  // 2026-03-01T10:00:00Z
  static let epoch: Int64 = 17_723_592_000_000_000

  /// Adds entries at the same time, so many milliseconds after 10:00.
  func add(_ ids: some Sequence<String>, at milliseconds: Int64) {
    for id in ids { entries.append(Entry(id: id, ticks: Self.epoch + milliseconds * 10_000)) }
  }

  /// Whether a page that more follows has a link: not in the answers of 2014.
  var hasLinks: Bool { dialect != .mobileServices }

  var transport: ScriptedTransport { ScriptedTransport { .success(self.answer($0)) } }

  func answer(_ request: HTTPRequest) -> HTTPAnswer {
    let query = request.url.drop { $0 != "?" }.dropFirst()
    requests.append(QueryText.decoded(query))
    before(requests.count)
    var options: [String: String] = [:]
    for option in query.split(separator: "&") {
      let parts = option.split(separator: "=", maxSplits: 1)
      options[QueryText.decoded(parts[0])] = QueryText.decoded(parts[1])
    }
    let top = options["$top"].flatMap { Int($0) } ?? 50
    guard top <= maxTop else { return .json(400, #"{"error":"too many records"}"#) }
    let conditions = options["$filter"].map(Self.conditions)?.map(condition) ?? []
    var rows = entries.filter { entry in conditions.allSatisfy { $0(entry) } }
    let total = rows.count + surplus
    sort(&rows, byTime: options["$orderby"] != "id")
    let skip = options["$skip"].flatMap { Int($0) } ?? 0
    let rest = rows.dropFirst(skip)
    rows = Array(rest.prefix(min(top, cap)))
    guard failing.isDisjoint(with: rows.map(\.id)) else {
      return .json(500, #"{"error":"it broke"}"#)
    }
    let wantsCount = options["$count"] == "true" || options["$inlinecount"] == "allpages"
    return list(rows, total: counts && wantsCount ? total : nil, hasMore: rows.count < rest.count)
  }

  private func list(_ rows: [Entry], total: Int?, hasMore: Bool) -> HTTPAnswer {
    let array = "[\(rows.map(text).joined(separator: ","))]"
    var answer: HTTPAnswer
    if [.mobileApps, .mobileServices].contains(dialect) {
      answer = .json(200, total.map { #"{"results":\#(array),"count":\#($0)}"# } ?? array)
    } else {
      let count = total.map(String.init) ?? "null"
      let link = hasMore ? #""http://evil.test/x""# : "null"
      answer = .json(200, #"{"items":\#(array),"count":\#(count),"nextLink":\#(link)}"#)
    }
    if hasMore, hasLinks {
      answer.headers.append(HTTPField("Link", "http://evil.test/x; rel=next"))
    }
    if let dataset { answer.headers.append(HTTPField("X-Tsync-Dataset", dataset)) }
    if let date { answer.headers.append(HTTPField("Date", Self.httpDate(date))) }
    return answer
  }

  private func text(_ entry: Entry) -> String {
    let time = entry.ticks.map { Timestamp(ticks: $0 - $0 % shownUnit).text.string }
    return #"{"id":"\#(entry.id)","\#(prefix)updatedAt":"#
      + (time.map { "\"\($0)\"" } ?? "null")
      + #","\#(prefix)version":"v\#(entry.version)","\#(prefix)deleted":\#(entry.deleted)}"#
  }

  private var prefix: String { dialect == .mobileServices ? "__" : "" }

  private func sort(_ rows: inout [Entry], byTime: Bool) {
    guard !byTime || order != .asStored else { return }
    rows.sort { $0.id < $1.id }
    guard byTime, order != .byID else { return }
    defer { if order == .newestFirst { rows.reverse() } }
    if shufflesTies { rows.shuffle(using: &random) }
    let untimed: Int64 = untimedLast ? .max : .min
    let ranks = rows.enumerated().sorted {
      ($0.element.ticks ?? untimed, $0.offset) < ($1.element.ticks ?? untimed, $1.offset)
    }
    rows = ranks.map(\.element)
  }

  /// Reads one condition of a filter.
  private func condition(_ text: String) -> (Entry) -> Bool {
    let words = text.split(separator: " ", maxSplits: 2).map(String.init)
    switch (words[0], words[1]) {
    case ("\(prefix)updatedAt", "eq") where words[2] == "null": return { $0.ticks == nil }
    case ("\(prefix)updatedAt", "ge"):
      let time = time(words[2])
      return { $0.ticks.map { $0 >= time } ?? false }
    case ("\(prefix)updatedAt", "lt"):
      let time = time(words[2])
      return { $0.ticks.map { $0 < time } ?? false }
    case ("id", "gt"):
      let id = String(words[2].dropFirst().dropLast())
      return { $0.id > id }
    default: fatalError("not a condition: \(text)")
    }
  }

  private static func conditions(_ filter: String) -> [String] {
    guard filter.hasPrefix("(") else { return [filter] }
    var conditions: [String] = []
    var rest = filter[...]
    while let end = rest.range(of: ") and (") {
      conditions.append(String(rest[..<end.lowerBound].dropFirst(conditions.isEmpty ? 1 : 0)))
      rest = rest[end.upperBound...]
    }
    return conditions + [String(rest.dropFirst(conditions.isEmpty ? 1 : 0).dropLast())]
  }

  private func time(_ literal: String) -> Int64 {
    let (head, tail) =
      [.mobileApps, .mobileServices].contains(dialect)
      ? ("datetimeoffset'", "'") : ("cast(", ",Edm.DateTimeOffset)")
    guard literal.hasPrefix(head), literal.hasSuffix(tail),
      let time = Timestamp(Text(String(literal.dropFirst(head.count).dropLast(tail.count))))
    else { fatalError("not a time: \(literal)") }
    return time.ticks
  }

  private static func httpDate(_ seconds: Int64) -> String {
    let names = [
      "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
    let date = CivilDate(daysSince1970: seconds / 86_400)
    let time = seconds % 86_400
    let parts = [time / 3_600, time / 60 % 60, time % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }
    let day = date.day < 10 ? "0\(date.day)" : "\(date.day)"
    return
      "Sun, \(day) \(names[Int(date.month) - 1]) \(date.year) \(parts.joined(separator: ":")) GMT"
  }
}

extension Substring {
  /// Returns where a text first stands in this one.
  fileprivate func range(of text: String) -> Range<Index>? {
    var start = startIndex
    while start < endIndex {
      if self[start...].hasPrefix(text) { return start..<index(start, offsetBy: text.count) }
      start = index(after: start)
    }
    return nil
  }
}
