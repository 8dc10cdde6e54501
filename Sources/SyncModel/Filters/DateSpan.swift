/// The day or the instant that a filter's value means, for values that are dates or times of ISO 8601.
package struct DateSpan: Equatable, Sendable {
  /// The day; of an instant, that in which it lies.
  package let day: CivilDate
  /// The first instant, in units of 100 ns since 1970-01-01T00:00:00Z.
  package let start: Int64
  /// The first instant that is no more in it, in the same units.
  package let end: Int64
  /// Whether it is a whole day.
  package let isDay: Bool

  /// Makes a day with its first instant and the next day's.
  package init(_ day: CivilDate, from start: Int64, to end: Int64) {
    (self.day, self.start, self.end, isDay) = (day, start, end, true)
  }

  /// Makes an instant, which lies in a day.
  package init(_ time: Timestamp, in day: CivilDate) {
    (self.day, start, end, isDay) = (day, time.ticks, time.ticks + 1, false)
  }

  /// Whether a text is a date or a time of ISO 8601.
  package static func isDate(_ text: Text) -> Bool {
    CivilDate(text) != nil || Timestamp(text) != nil
  }

  /// Returns less than, equal to or greater than 0, as a text lies before, in or after it; `nil` where that is no
  /// date.
  func order(_ text: Text) -> Int? {
    if let date = CivilDate(text) {
      let days = date.daysSince1970 - day.daysSince1970
      // A day alone is its start, which a moment in it comes after.
      return days == 0 && !isDay ? -1 : Int(days.signum())
    }
    return Timestamp(text).map { $0.ticks < start ? -1 : $0.ticks < end ? 0 : 1 }
  }
}
