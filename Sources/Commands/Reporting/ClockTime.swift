import Glibc

/// Moments as people are shown them, in their own time zone (`TZ`).
enum ClockTime {
  /// Returns the time of day, `10:02`, of a moment within the last 20 hours, the date, `2026-03-01`,
  /// of another; moment and present are in seconds since 1970.
  static func shown(_ seconds: Int64, now: Int64) -> String {
    var moment = time_t(seconds)
    var parts = tm()
    localtime_r(&moment, &parts)
    // Within 20 hours a time of day can't be taken for that of another day.
    if abs(now - seconds) < 20 * 3_600 {
      return "\(padded(parts.tm_hour)):\(padded(parts.tm_min))"
    }
    return "\(parts.tm_year + 1_900)-\(padded(parts.tm_mon + 1))-\(padded(parts.tm_mday))"
  }

  private static func padded(_ number: Int32) -> String {
    number < 10 ? "0\(number)" : "\(number)"
  }
}
