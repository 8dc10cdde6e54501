import Glibc

/// How much of what could be tried is tried: a sample every day, all of it with `TSYNC_CAMPAIGN=1`.
enum Campaign {
  /// Whether everything is tried.
  static let isWhole = getenv("TSYNC_CAMPAIGN") != nil
}
