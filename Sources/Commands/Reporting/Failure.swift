import SyncEngine
import SyncModel

/// Why a command failed: the fact, what to do about it, and the exit status.
struct Failure: Error, Equatable {
  /// What the process ends with.
  var status: ExitStatus
  /// The fact: lower case, no period; `nil` where there is nothing to say.
  var message: String?
  /// What to do about it, a line each.
  var hints: [Hint]

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
  func lines(command: String, quiet: Bool, _ text: HintText) -> [Line] {
    guard let message else { return [] }
    let name = command.utf8.isEmpty ? "" : "\(command): "
    return [Line("tsync: \(name)\(message)")]
      + (quiet ? [] : hints.map(text.parts).map { Line("tsync: \($0.text)").hinting($0.aside) })
  }

  /// Returns the failure as a member of a JSON document.
  func json(command: String, _ text: HintText) -> JSON {
    [
      "command": .string(command), "status": .integer(Int(status.number)),
      "message": .string(message ?? ""),
      "hints": .array(hints.map { .string(Text(text.text(of: $0))) }),
    ]
  }
}

/// An error that knows its own failure; how other parts of the program join ``Failure/init(_:)``.
protocol FailureDescribing: Error {
  /// The failure.
  var failure: Failure { get }
}
