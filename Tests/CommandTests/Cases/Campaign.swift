import Glibc

/// How much of what could be tried is tried: a sample every day, all of it with `TSYNC_CAMPAIGN=1`.
enum Campaign {
  /// Whether everything is tried.
  static let isWhole = getenv("TSYNC_CAMPAIGN") != nil
  /// Whether the programs are under a sanitizer, as `TSYNC_SANITIZED=1` says: it needs more memory and
  /// files than a test may leave them.
  static let isSanitized = getenv("TSYNC_SANITIZED") != nil
}
