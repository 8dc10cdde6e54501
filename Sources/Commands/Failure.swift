import SyncModel

/// Why a command failed: the fact, what to do about it, and the exit status.
struct Failure: Error, Equatable {
  /// What the process ends with.
  var status: ExitStatus
  /// The fact: lower case, no period; `nil` where there is nothing to say.
  var message: String?
  /// What to do about it, a line each.
  var hints: [Hint]

  /// A line that helps, and what to type, which stands in the column for hints.
  struct Hint: Equatable, ExpressibleByStringInterpolation {
    let text: String
    let way: String?

    /// Makes a hint.
    init(_ text: String, way: String? = nil) {
      self.text = text
      self.way = way
    }

    init(stringLiteral value: String) {
      self.init(value)
    }
  }

  /// Makes a failure.
  init(_ status: ExitStatus, _ message: String?, hints: [Hint] = []) {
    self.status = status
    self.message = message
    self.hints = hints
  }

  /// The command line is wrong; nothing was done.
  static func usage(_ message: String, hints: [Hint] = []) -> Failure {
    Failure(.usage, message, hints: hints)
  }

  /// A signal asked the command to end, which it did with an error; what the error advises stays.
  static func signal(_ number: Int32, during error: (any Error)? = nil) -> Failure {
    let advice = (error as? Failure)?.hints ?? []
    return Failure(.signal(number), "interrupted", hints: advice)
  }

  /// Returns the lines that are printed: `tsync: COMMAND: fact`, then `tsync: hint`.
  func lines(command: String, quiet: Bool) -> [Line] {
    guard let message else { return [] }
    let name = command.utf8.isEmpty ? "" : "\(command): "
    return [Line("tsync: \(name)\(message)")]
      + (quiet ? [] : hints.map { Line("tsync: \($0.text)").hinting($0.way) })
  }

  /// Returns the failure as a member of a JSON document.
  func json(command: String) -> JSON {
    [
      "command": .string(command), "status": .integer(Int(status.number)),
      "message": .string(message ?? ""),
      "hints": .array(
        hints.map { hint in .string(hint.way.map { "\(hint.text): \($0)" } ?? hint.text) }),
    ]
  }
}

/// An error that knows its own failure; how other parts of the program join ``Failure/init(_:)``.
protocol FailureDescribing: Error {
  /// The failure.
  var failure: Failure { get }
}
