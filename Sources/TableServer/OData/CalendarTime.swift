import SyncModel

/// A moment as the Gregorian calendar and a clock in UTC show it.
package struct CalendarTime: Hashable, Sendable {
  /// The year, 1 to 9999 for what the server accepts.
  package var year: Int
  /// The month, 1 to 12.
  package var month: Int
  /// The day of the month, 1 to 31.
  package var day: Int
  /// The hour, 0 to 23.
  package var hour: Int
  /// The minute, 0 to 59.
  package var minute: Int
  /// The second, 0 to 59.
  package var second: Int
  /// The millisecond, 0 to 999.
  package var millisecond: Int
  /// The day of the week, 0 for Sunday.
  package var weekday: Int

  /// Reads a moment.
  package init(_ moment: Moment) {
    let (seconds, millisecond) = Moment.floor(moment.milliseconds, 1_000)
    let (days, secondOfDay) = Moment.floor(seconds, 86_400)
    let date = CivilDate(daysSince1970: days)
    year = Int(date.year)
    month = Int(date.month)
    day = Int(date.day)
    hour = Int(secondOfDay / 3_600)
    minute = Int(secondOfDay / 60 % 60)
    second = Int(secondOfDay % 60)
    self.millisecond = Int(millisecond)
    weekday = Int(Moment.floor(days + 4, 7).remainder)
  }

  /// Returns the days from 1970-01-01 to a date; `nil` where there is no such date.
  static func days(year: Int, month: Int, day: Int) -> Int64? {
    guard (1...9_999).contains(year), (1...12).contains(month), (1...31).contains(day) else {
      return nil
    }
    let date = CivilDate(year: Int64(year), month: Int64(month), day: Int64(day))
    // A 30 February would come back as a day of March.
    return CivilDate(daysSince1970: date.daysSince1970) == date ? date.daysSince1970 : nil
  }
}
