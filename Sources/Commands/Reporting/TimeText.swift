enum TimeText {
  /// Returns `5 min ago`; both times are in seconds since 1970.
  static func ago(_ time: Int64, now: Int64) -> String {
    let seconds = now - time
    switch seconds {
    case ..<60: return "just now"
    case ..<3_600: return "\(seconds / 60) min ago"
    case ..<86_400: return "\(seconds / 3_600) h ago"
    default: return "\(seconds / 86_400) d ago"
    }
  }

  /// Parses an age such as `90s`, `5m`, `2h` or `1d` into seconds.
  static func age(_ text: String) -> Int64? {
    let units: [UInt8: Int64] = [
      UInt8(ascii: "s"): 1, UInt8(ascii: "m"): 60, UInt8(ascii: "h"): 3_600,
      UInt8(ascii: "d"): 86_400,
    ]
    guard let unit = text.utf8.last.flatMap({ units[$0] }),
      text.utf8.dropLast().allSatisfy({ (0x30...0x39).contains($0) }),
      let number = Int64(String(decoding: text.utf8.dropLast(), as: UTF8.self)),
      number <= Int64.max / unit
    else { return nil }
    return number * unit
  }
}
