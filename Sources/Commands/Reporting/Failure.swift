import SyncEngine
import SyncModel

/// The failure of a command: the fact, the hints and the exit status.
struct Failure: Error, Equatable {
  var status: ExitStatus
  /// The fact: lower case, no period; `nil` if there is nothing to print.
  var message: String?
  var hints: [Hint]

  init(_ status: ExitStatus, _ message: String?, hints: [Hint] = []) {
    self.status = status
    self.message = message
    self.hints = hints
  }

  /// The command line is wrong; nothing was done.
  static func usage(_ message: String, hints: [Hint] = []) -> Failure {
    Failure(.usage, message, hints: hints)
  }

  /// Another program changed an item since it was read.
  static func changedMeanwhile(_ key: ItemKey) -> Failure {
    Failure(.rejected, "another program changed \(key)", hints: ["try again"])
  }

  /// A signal ended the command; the hints of the error that followed stay.
  static func signal(_ number: Int32, during error: (any Error)? = nil) -> Failure {
    let advice = (error as? Failure)?.hints ?? []
    return Failure(.signal(number), "interrupted", hints: advice)
  }

  /// Returns `tsync: COMMAND: fact`, then `tsync: hint` lines.
  func lines(command: String, quiet: Bool, _ text: HintText) -> [Line] {
    guard let message else { return [] }
    let name = command.utf8.isEmpty ? "" : "\(command): "
    return [Line("tsync: \(name)\(message)")]
      + (quiet ? [] : hints.map(text.parts).map { Line("tsync: \($0.text)").hinting($0.aside) })
  }

  func json(command: String, _ text: HintText) -> JSON {
    [
      "command": .string(command), "status": .integer(Int(status.number)),
      "message": .string(message ?? ""),
      "hints": .array(hints.map { .string(Text(text.text(of: $0))) }),
    ]
  }
}
