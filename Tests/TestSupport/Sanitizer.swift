import Glibc

/// The sanitizer that the tests run under, where there is one: `TSYNC_SANITIZED` is `thread` or `address`.
package enum Sanitizer {
  private static let kind = getenv("TSYNC_SANITIZED").map { String(cString: $0) }
  /// Whether there is one: it needs more memory and files than a test may leave them.
  package static let isOn = kind != nil
  /// Whether it is the thread sanitizer, whose runtime writes before the program does, and dies where it
  /// can't.
  package static let isThread = kind == "thread"

  /// The environment's variables that tell it what the tests were told, for the programs that these start.
  ///
  /// A program ends at its first report, which would stand unread in its log: the test that needs it fails.
  package static let variables: [(name: String, value: String)] =
    ["ASAN_OPTIONS", "TSAN_OPTIONS"].compactMap { name in
      getenv(name).map { (name, "\(String(cString: $0)) halt_on_error=1") }
    }
}
