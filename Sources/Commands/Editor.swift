import SyncEngine
import SyncModel
import SystemPackage
import Workspace

/// The editor that a person has chosen.
struct Editor {
  /// The command, for the shell.
  let command: String

  /// Finds the editor: `TSYNC_EDITOR`, the setting `editor`, `VISUAL`, `EDITOR`, or vi.
  init(_ environment: Environment, _ configuration: Configuration?) {
    command =
      environment.nonEmpty("TSYNC_EDITOR") ?? configuration?.text("editor")?.string
      ?? environment.nonEmpty("VISUAL") ?? environment.nonEmpty("EDITOR") ?? "vi"
  }

  /// Opens a file and waits until the editor ends; no lock may be held meanwhile.
  ///
  /// - Throws: ``Failure``, where the editor can't be run or says that it failed; as
  ///   ``Context/runLeaving(_:)``.
  func open(_ path: String, in context: Context) throws {
    let ending = try context.runLeaving(.shell(command, [path], in: context.invocation))
    if ending.status != 0 {
      // What has ended the editor may have asked this command to end, too.
      try context.checkSignal()
      throw Failure.usage("the editor ended with status \(ending.status): \(command)")
    }
  }
}

extension Context {
  /// Runs a program in which a person works, and waits for its end.
  ///
  /// - Throws: `Errno`; `.interrupted` where a signal asks this command to end, and the program is
  ///   left running. ``Failure``, with the signal's status, where the keyboard's has ended the program:
  ///   it was for this command, too.
  func runLeaving(_ program: Program) throws -> Ending {
    var program = program
    program.isLeft = true
    output.flush()
    let ending = try invocation.run(program)
    if let number = ending.keyboardSignal { throw Failure.signal(number) }
    return ending
  }

  /// Returns the failure of a command that has left a program running, and says where the text is that
  /// it works on; `nil` for another error.
  func left(_ error: any Error, _ place: String, _ fate: String) -> Failure? {
    guard case .interrupted? = error as? Errno else { return nil }
    var failure = failure(error)
    failure.hints.append("the editor was left as it is; its text is in \(place), \(fate)")
    return failure
  }
}
