import Glibc
import SystemPackage

/// Times as people read and write them; all are in seconds since 1970.
enum Times {
  /// Returns `10:02` if less than 20 hours away, else `2026-03-01`, in the time zone of `TZ`.
  static func clock(_ seconds: Int64, now: Int64) -> String {
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

  /// Returns `5 min ago`.
  static func ago(_ time: Int64, now: Int64) -> String {
    let seconds = now - time
    switch seconds {
    case ..<60: return "just now"
    case ..<3_600: return "\(seconds / 60) min ago"
    case ..<86_400: return "\(seconds / 3_600) h ago"
    default: return "\(seconds / 86_400) d ago"
    }
  }

  /// Returns when a server asks to come back: `in 5 s`, or, if that is more than an hour, `after 10:02`.
  static func later(_ seconds: Int?) -> String {
    let now = Int64(time(nil))
    guard let seconds, seconds < 366 * 86_400 else { return "later" }
    return seconds <= 3_600 ? "in \(seconds) s" : "after \(clock(now + Int64(seconds), now: now))"
  }

  /// Parses an age such as `90s`, `5m`, `2h` or `1d` into seconds.
  static func age(_ text: String) -> Int64? {
    let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3_600, "d": 86_400]
    guard let unit = text.last.flatMap({ units[$0] }),
      text.utf8.dropLast().allSatisfy({ (0x30...0x39).contains($0) }),
      let number = Int64(String(text.dropLast())), number <= Int64.max / unit
    else { return nil }
    return number * unit
  }

  /// Parses a time in the past: an age before `now`, or a date such as `2026-03-01` in the time zone of
  /// `TZ`, where its day begins.
  static func past(_ text: String, now: Int64) -> Int64? {
    if let age = age(text) { return now - age }
    let numbers = text.split(separator: "-").compactMap { Int32($0) }
    var day = tm()
    guard text.utf8.count == 10, numbers.count == 3 else { return nil }
    (day.tm_year, day.tm_mon, day.tm_mday) = (numbers[0] - 1_900, numbers[1] - 1, numbers[2])
    day.tm_isdst = -1
    let time = mktime(&day)
    // A day that no month has becomes one of the next, a month that no year has as well.
    return day.tm_mday == numbers[2] && day.tm_mon + 1 == numbers[1] ? Int64(time) : nil
  }

  /// Returns the time of a file's last change; `nil` if there is no file.
  static func ofFile(_ path: String) throws -> Int64? {
    var status = stat()
    guard lstat(path, &status) == 0 else {
      guard errno == ENOENT else { throw Errno(rawValue: errno) }
      return nil
    }
    return Int64(status.st_mtim.tv_sec)
  }
}
