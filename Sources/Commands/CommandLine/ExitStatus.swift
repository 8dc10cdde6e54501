/// The exit status of the process (tsync(1)).
struct ExitStatus: Hashable, Sendable {
  let number: Int32

  init(_ number: Int32) { self.number = number }

  static let done = ExitStatus(0)
  /// Conflicts were found or left; with `--exit-code`: there are differences.
  static let conflicts = ExitStatus(1)
  /// The command line, or the one file it names, is wrong; nothing was done.
  static let usage = ExitStatus(2)
  /// Some items were rejected or quarantined, or are invalid.
  static let rejected = ExitStatus(3)
  /// Not authenticated, or not permitted.
  static let unauthorized = ExitStatus(4)
  /// The server can't be reached or doesn't speak the protocol.
  static let unreachable = ExitStatus(5)
  /// A safety stop.
  static let unsafe = ExitStatus(6)
  /// Another tsync holds the workspace.
  static let locked = ExitStatus(7)
  /// The workspace is damaged, or a file can't be read or written.
  static let damaged = ExitStatus(8)

  static func signal(_ number: Int32) -> ExitStatus { ExitStatus(128 + number) }

  var isSignal: Bool { number > 128 }

  /// Returns the more urgent of the two: a signal, then 8, 6, 4, 7, 5, 3, 2, 1.
  func or(_ other: ExitStatus) -> ExitStatus { rank <= other.rank ? self : other }

  private var rank: Int {
    isSignal ? -1 : [8, 6, 4, 7, 5, 3, 2, 1, 0].firstIndex(of: number) ?? 0
  }
}
