/// A time in the form in which a server wrote it, with its value.
///
/// The text is kept, because it goes back to the server to the last digit; instants are compared in
/// units of 100 ns (0 to 7 fraction digits, `Z` or an offset).
package struct Timestamp: Sendable {
  /// The text as received.
  package let text: Text
  /// The instant in units of 100 ns since 1970-01-01T00:00:00Z.
  package let ticks: Int64

  /// The number of units in a second.
  package static let perSecond: Int64 = 10_000_000

  /// The instants that every server can write in UTC: the years 1 to 9999.
  private static let range: ClosedRange<Int64> = {
    let first = CivilDate(year: 1, month: 1, day: 1).daysSince1970
    let end = CivilDate(year: 10_000, month: 1, day: 1).daysSince1970
    return first * 86_400 * perSecond...(end * 86_400 * perSecond - 1)
  }()

  /// Reads an ISO 8601 date and time; `nil` where the text is none, or in UTC not of the years 1 to
  /// 9999.
  package init?(_ text: Text) {
    var reader = Reader(bytes: text.bytes)
    guard let ticks = reader.instant(), Self.range.contains(ticks) else { return nil }
    self.text = text
    self.ticks = ticks
  }

  /// Writes an instant in UTC with seven fraction digits, or three where that is exact; one beyond
  /// the years 1 to 9999 is the nearest in them, since no server reads another.
  package init(ticks: Int64) {
    self.ticks = min(max(ticks, Self.range.lowerBound), Self.range.upperBound)
    text = Text(Self.written(self.ticks))
  }

  private static func written(_ ticks: Int64) -> String {
    var (seconds, fraction) = ticks.quotientAndRemainder(dividingBy: perSecond)
    if fraction < 0 { (seconds, fraction) = (seconds - 1, fraction + perSecond) }
    var (day, time) = seconds.quotientAndRemainder(dividingBy: 86_400)
    if time < 0 { (day, time) = (day - 1, time + 86_400) }
    let date = CivilDate(daysSince1970: day)
    let exact = fraction % 10_000 == 0
    let digits = padded(exact ? fraction / 10_000 : fraction, to: exact ? 3 : 7)
    return padded(date.year, to: 4) + "-" + padded(date.month, to: 2) + "-"
      + padded(date.day, to: 2) + "T" + padded(time / 3_600, to: 2) + ":"
      + padded(time / 60 % 60, to: 2) + ":" + padded(time % 60, to: 2) + "." + digits + "Z"
  }

  private static func padded(_ number: Int64, to width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
  }
}

extension Timestamp: Comparable {
  package static func == (left: Timestamp, right: Timestamp) -> Bool { left.ticks == right.ticks }
  package static func < (left: Timestamp, right: Timestamp) -> Bool { left.ticks < right.ticks }
}

/// A day of the Gregorian calendar.
///
/// The arithmetic counts in eras of 400 years that begin on a 1 March (Howard Hinnant,
/// "chrono-Compatible Low-Level Date Algorithms").
package struct CivilDate: Equatable, Sendable {
  /// The year, the month from 1 and the day from 1.
  package var year, month, day: Int64

  /// Makes a date of its parts.
  package init(year: Int64, month: Int64, day: Int64) {
    (self.year, self.month, self.day) = (year, month, day)
  }

  /// Reads an ISO 8601 date such as `2026-03-01`; `nil` where the text is none.
  package init?(_ text: Text) {
    var reader = Reader(bytes: text.bytes)
    guard text.bytes.count == 10, let date = reader.date() else { return nil }
    self = date
  }

  /// Makes the date of numbers, if the calendar has it.
  package init?(checking year: Int64, _ month: Int64, _ day: Int64) {
    guard (1...9_999).contains(year), (1...12).contains(month), (1...31).contains(day) else {
      return nil
    }
    let date = CivilDate(year: year, month: month, day: day)
    guard CivilDate(daysSince1970: date.daysSince1970) == date else { return nil }
    self = date
  }

  /// The date in ISO 8601.
  package var text: Text {
    Text(
      String(Timestamp(ticks: daysSince1970 * 86_400 * Timestamp.perSecond).text.string.prefix(10)))
  }

  /// Makes the date that lies a number of days after 1970-01-01.
  package init(daysSince1970 days: Int64) {
    let shifted = days + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
    month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
  }

  /// The number of days since 1970-01-01.
  package var daysSince1970: Int64 {
    let shiftedYear = month <= 2 ? year - 1 : year
    let era = (shiftedYear >= 0 ? shiftedYear : shiftedYear - 399) / 400
    let yearOfEra = shiftedYear - era * 400
    let shiftedMonth = month > 2 ? month - 3 : month + 9
    let dayOfYear = (153 * shiftedMonth + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 719_468
  }
}

/// Reads the parts of a date and time, byte by byte.
private struct Reader {
  let bytes: [UInt8]
  var position = 0

  mutating func instant() -> Int64? {
    guard let date = date(), take("T") || take("t") || take(" "), let hour = number(2), take(":"),
      let minute = number(2), take(":"), let second = number(2), hour < 24, minute < 60,
      second < 61, let fraction = fraction(), let offset = offset(), position == bytes.count
    else { return nil }
    let seconds = date.daysSince1970 * 86_400 + hour * 3_600 + minute * 60 + second - offset
    return seconds * Timestamp.perSecond + fraction
  }

  mutating func date() -> CivilDate? {
    guard let year = number(4), take("-"), let month = number(2), take("-"), let day = number(2)
    else { return nil }
    return CivilDate(checking: year, month, day)
  }

  private mutating func number(_ digits: Int) -> Int64? {
    guard position + digits <= bytes.count else { return nil }
    var value: Int64 = 0
    for byte in bytes[position..<position + digits] {
      guard (0x30...0x39).contains(byte) else { return nil }
      value = value * 10 + Int64(byte - 0x30)
    }
    position += digits
    return value
  }

  private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
    guard position < bytes.count, bytes[position] == UInt8(ascii: scalar) else { return false }
    position += 1
    return true
  }

  /// Reads up to seven fraction digits; none is 0.
  private mutating func fraction() -> Int64? {
    guard take(".") else { return 0 }
    let digits = bytes[position...].prefix { (0x30...0x39).contains($0) }.count
    guard (1...7).contains(digits), let value = number(digits) else { return nil }
    return (digits..<7).reduce(value) { value, _ in value * 10 }
  }

  /// Reads `Z` or an offset, in seconds east of UTC.
  private mutating func offset() -> Int64? {
    if take("Z") || take("z") { return 0 }
    let sign: Int64
    if take("+") { sign = 1 } else if take("-") { sign = -1 } else { return nil }
    guard let hours = number(2), take(":"), let minutes = number(2), hours < 24, minutes < 60
    else { return nil }
    return sign * (hours * 3_600 + minutes * 60)
  }
}
