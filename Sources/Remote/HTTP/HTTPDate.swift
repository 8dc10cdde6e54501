import SyncModel

/// A date of HTTP, in the three forms that RFC 9110 §5.6.7 has readers accept.
struct HTTPDate: Hashable {
  /// Seconds since 1970-01-01T00:00:00Z.
  let seconds: Int64

  private static let months = [
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
  ]

  /// Reads a date; `nil` where the text is none.
  init?(_ text: Text) {
    let blanks = Set(" ,".utf8)
    var words = text.bytes.split { blanks.contains($0) }
    // `Sunday, 06-Nov-94 08:49:37 GMT`
    if words.count == 4 {
      words.replaceSubrange(1..<2, with: words[1].split(separator: UInt8(ascii: "-")))
    }
    let day, month, year, time: ArraySlice<UInt8>
    if words.count == 6, words[5].isWord("GMT") {  // `Sun, 06 Nov 1994 08:49:37 GMT`
      (day, month, year, time) = (words[1], words[2], words[3], words[4])
    } else if words.count == 5 {  // `Sun Nov  6 08:49:37 1994`
      (day, month, year, time) = (words[2], words[1], words[4], words[3])
    } else {
      return nil
    }
    guard let dayNumber = day.decimal,
      let monthIndex = Self.months.firstIndex(where: { month.isWord($0) }),
      let yearNumber = Self.year(year), let secondOfDay = Self.secondOfDay(time)
    else { return nil }
    let date = CivilDate(
      year: yearNumber, month: Int64(monthIndex) + 1, day: Int64(dayNumber))
    guard CivilDate(daysSince1970: date.daysSince1970) == date else { return nil }
    seconds = date.daysSince1970 * 86_400 + secondOfDay
  }

  /// Reads a year of four digits, or of two: those from 70 on lie in the last century.
  private static func year(_ digits: ArraySlice<UInt8>) -> Int64? {
    guard let number = digits.decimal else { return nil }
    switch digits.count {
    case 4: return Int64(number)
    case 2: return Int64(number < 70 ? 2_000 + number : 1_900 + number)
    default: return nil
    }
  }

  private static func secondOfDay(_ time: ArraySlice<UInt8>) -> Int64? {
    let parts = time.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
    guard parts.count == 3, parts.allSatisfy({ $0.count == 2 }), let hour = parts[0].decimal,
      let minute = parts[1].decimal, let second = parts[2].decimal, hour < 24, minute < 60,
      second < 61
    else { return nil }
    return Int64(hour * 3_600 + minute * 60 + second)
  }
}
