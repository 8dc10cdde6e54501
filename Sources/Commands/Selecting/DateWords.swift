import Glibc
import SyncModel

/// Dates as people type them: words, days counted from today, and the usual forms; tsync-filter(7).
struct DateWords {
  /// The time, in seconds since 1970.
  let now: Int64
  /// How far the time zone is east of UTC at a time; both in seconds.
  var offset: (Int64) -> Int64 = { time in
    var (moment, parts) = (time_t(time), tm())
    localtime_r(&moment, &parts)
    return Int64(parts.tm_gmtoff)
  }

  private static let weekdays = [
    "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday",
  ]

  /// Returns the day or the time that a text means; `nil` if it is no date.
  func span(_ text: Text) -> DateSpan? {
    if let time = Timestamp(text) {
      return DateSpan(time, in: day(at: time.ticks / Timestamp.perSecond))
    }
    return day(text).map { day in
      DateSpan(
        day, from: start(of: day) * Timestamp.perSecond,
        to: start(of: Self.date(day, plus: 1)) * Timestamp.perSecond)
    }
  }

  /// Returns the day that a word such as `friday` or `+7d` means; `nil` if it is none.
  func relative(_ text: Text) -> CivilDate? {
    let today = day(at: now)
    let word = text.string.lowercased()
    if let days = ["yesterday": -1, "today": 0, "tomorrow": 1][word] {
      return Self.date(today, plus: Int64(days))
    }
    if let weekday = Self.weekdays.firstIndex(of: word) {
      // 1970-01-01 was a Thursday.
      let days = (Int64(weekday) - 3 - today.daysSince1970) % 7
      return Self.date(today, plus: (days + 7) % 7)
    }
    guard let unit = word.last, "+-".contains(word.first ?? " "), text.bytes.count <= 6,
      let count = Int64(word.dropLast())
    else { return nil }
    switch unit {
    case "d": return Self.date(today, plus: count)
    case "w": return Self.date(today, plus: count * 7)
    case "m": return Self.date(today, plusMonths: count)
    case "y": return Self.date(today, plusMonths: count * 12)
    default: return nil
    }
  }

  /// Whether a query has a day that is another one tomorrow.
  func areRelative(in query: Query) -> Bool {
    query.groups.contains { $0.contains { $0.values.contains { relative($0) != nil } } }
  }

  private func day(_ text: Text) -> CivilDate? {
    if let day = relative(text) { return day }
    let parts = text.string.utf8.split(omittingEmptySubsequences: false) { ".-".utf8.contains($0) }
    let numbers = parts.filter { $0.allSatisfy { (0x30...0x39).contains($0) } }
      .compactMap { Int64(String(Substring($0))) }
    guard parts.count == 3, numbers.count == 3 else { return nil }
    let isISO = parts[0].count == 4 && text.bytes.contains(UInt8(ascii: "-"))
    guard isISO != text.bytes.contains(UInt8(ascii: ".")), parts[isISO ? 0 : 2].count == 4 else {
      return nil
    }
    let (year, day) = isISO ? (numbers[0], numbers[2]) : (numbers[2], numbers[0])
    return CivilDate(checking: year, numbers[1], day)
  }

  private static func date(_ day: CivilDate, plus days: Int64) -> CivilDate {
    CivilDate(daysSince1970: day.daysSince1970 + days)
  }

  /// Of a month that has no such day, it is the last one.
  private static func date(_ day: CivilDate, plusMonths count: Int64) -> CivilDate {
    let month = day.year * 12 + day.month - 1 + count
    let year = month >= 0 ? month / 12 : (month - 11) / 12
    return (0..<3).lazy.compactMap {
      CivilDate(checking: year, month - year * 12 + 1, day.day - $0)
    }.first
      ?? CivilDate(year: year, month: month - year * 12 + 1, day: 28)
  }

  private func day(at time: Int64) -> CivilDate {
    let local = time + offset(time)
    return CivilDate(daysSince1970: local >= 0 ? local / 86_400 : (local - 86_399) / 86_400)
  }

  /// The first second of a day; where midnight is passed over by a clock change, the first one after it.
  private func start(of day: CivilDate) -> Int64 {
    let midnight = day.daysSince1970 * 86_400
    let guess = midnight - offset(midnight - offset(midnight))
    return self.day(at: guess) == day ? guess : guess + 3_600
  }
}

/// A field all of whose texts are dates.
struct DateField {
  /// The first item that has one.
  let key: ItemKey
  /// The date in it.
  let text: Text

  /// Looks through the values of a field; `nil` if none is a date, or one has another text.
  init?(_ values: some Sequence<ItemFilters.Value>) {
    let texts = values.lazy.filter { $0.value != "" }.map { ($0.key, $0.value.text) }
    guard texts.allSatisfy({ $1.map(DateSpan.isDate) ?? false }),
      case (let key, let text?)? = texts.first(where: { _ in true })
    else { return nil }
    (self.key, self.text) = (key, text)
  }

  /// Returns a date as the field has it in an item, or else in the first one.
  ///
  /// - Throws: ``Problem`` for what is no date.
  func text(
    of typed: Text, _ field: Text, like own: Text, _ words: DateWords
  ) throws(Problem) -> Text {
    guard let span = words.span(typed) else { throw problem(field, typed, words) }
    guard span.isDay else { return typed }
    return CivilDate(DateSpan.isDate(own) ? own : text) == nil
      ? Timestamp(ticks: span.start).text : span.day.text
  }

  /// Says that a text is no date.
  func problem(_ field: Text, _ typed: Text, _ words: DateWords) -> Problem {
    let today = words.relative("today")?.text ?? "2026-03-01"
    return .usage("\(field) must be a date (as in \(key)): \(today), today, +7d; not '\(typed)'")
  }
}
