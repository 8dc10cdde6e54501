/// What the process ends with (decisions.md 27).
struct ExitStatus: Hashable, Sendable {
  /// The number that the process ends with.
  let number: Int32

  /// Takes a number.
  init(_ number: Int32) {
    self.number = number
  }

  /// All done.
  static let done = ExitStatus(0)
  /// Conflicts were found or left; with `--exit-code`: there are differences.
  static let conflicts = ExitStatus(1)
  /// The command line, or the one file it names, is wrong; nothing was done.
  static let usage = ExitStatus(2)
  /// Some items were rejected, quarantined or are invalid.
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

  /// Returns the status of a process that a signal ended.
  static func signal(_ number: Int32) -> ExitStatus { ExitStatus(128 + number) }

  /// Whether it is the status of a process that a signal ended.
  var isSignal: Bool { number > 128 }

  /// Returns the one of two that is told: signals first, then the first of 8, 6, 4, 7, 5, 3, 2, 1.
  func or(_ other: ExitStatus) -> ExitStatus { rank <= other.rank ? self : other }

  private var rank: Int {
    isSignal ? -1 : [8, 6, 4, 7, 5, 3, 2, 1, 0].firstIndex(of: number) ?? 0
  }
}
