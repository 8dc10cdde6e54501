import Glibc

/// Times for people, in their time zone (`TZ`).
enum ClockTime {
  /// Returns `10:02` if less than 20 hours away, else `2026-03-01`; takes seconds since 1970.
  static func shown(_ seconds: Int64, now: Int64) -> String {
    var moment = time_t(seconds)
    var parts = tm()
    localtime_r(&moment, &parts)
    // Within 20 hours, a time of day can't be mistaken for another day's.
    if abs(now - seconds) < 20 * 3_600 {
      return "\(padded(parts.tm_hour)):\(padded(parts.tm_min))"
    }
    return "\(parts.tm_year + 1_900)-\(padded(parts.tm_mon + 1))-\(padded(parts.tm_mday))"
  }

  private static func padded(_ number: Int32) -> String {
    number < 10 ? "0\(number)" : "\(number)"
  }
}
