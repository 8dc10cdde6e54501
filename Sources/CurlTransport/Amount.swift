/// Sizes and times in words for people.
enum Amount {
  /// Returns a number of bytes in the largest unit that needs no fraction.
  static func bytes(_ count: Int) -> String {
    if count % (1 << 20) == 0 { return "\(count >> 20) MiB" }
    if count % (1 << 10) == 0 { return "\(count >> 10) KiB" }
    return "\(count) bytes"
  }

  /// Returns a number of milliseconds, in seconds when it needs no fraction.
  static func milliseconds(_ count: Int) -> String {
    count % 1000 == 0 ? "\(count / 1000) s" : "\(count) ms"
  }
}
