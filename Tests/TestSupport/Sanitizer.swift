import Glibc

/// The sanitizer that the tests run under, where there is one.
package enum Sanitizer {
  /// The environment's variables that tell it what the tests were told, for the programs that these start.
  ///
  /// A program ends at its first report, which would stand unread in its log: the test that needs it fails.
  package static let variables: [(name: String, value: String)] =
    ["ASAN_OPTIONS", "TSAN_OPTIONS"].compactMap { name in
      getenv(name).map { (name, "\(String(cString: $0)) halt_on_error=1") }
    }
}
