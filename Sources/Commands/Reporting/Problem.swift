import SyncEngine
import SyncModel

/// Why something was not done: the fact, the hints and the exit status.
///
/// Thrown, it ends the command; printed, the command goes on, and ends with the status.
struct Problem: Error, Equatable {
  var status: ExitStatus
  /// Lower case, no period.
  let fact: Hint
  var hints: [Hint]

  init(_ status: ExitStatus, _ fact: Hint, hints: [Hint] = []) {
    self.status = status
    self.fact = fact
    self.hints = hints
  }

  init(_ status: ExitStatus, _ fact: String, hints: [Hint] = []) {
    self.init(status, "\(fact)" as Hint, hints: hints)
  }

  /// The command line is wrong; nothing was done.
  static func usage(_ fact: String, hints: [Hint] = []) -> Problem {
    Problem(.usage, fact, hints: hints)
  }

  /// Another program changed an item, or the file at a place, since it was read.
  static func changedMeanwhile(_ what: some CustomStringConvertible) -> Problem {
    Problem(.rejected, "another program changed \(what)", hints: ["try again"])
  }

  /// A signal ended the command; the hints of the error that followed stay.
  static func signal(_ number: Int32, during error: (any Error)? = nil) -> Problem {
    let advice = (error as? Problem)?.hints ?? []
    return Problem(.signal(number), "interrupted", hints: advice)
  }

  /// Returns `tsync: COMMAND: fact`, then `tsync: hint` lines.
  func lines(command: String, _ text: HintText) -> [Line] {
    let name = command.utf8.isEmpty ? "" : "\(command): "
    return [Line("tsync: \(name)\(text.text(of: fact))")]
      + hints.map(text.parts).map { Line("tsync: \($0.text)").hinting($0.aside) }
  }

  func json(command: String, _ text: HintText) -> JSON {
    [
      "command": .string(command), "status": .integer(Int(status.number)),
      "message": .string(Text(text.text(of: fact))),
      "hints": .array(hints.map { .string(Text(text.text(of: $0))) }),
    ]
  }
}
