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
  ///   ``Context/runInteractive(_:)``.
  func open(_ path: String, in context: Context) throws {
    let ending = try context.runInteractive(.shell(command, [path], in: context.invocation))
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
  /// - Throws: `Errno`; ``Failure``, with the signal's status, where the keyboard's has ended the program:
  ///   it was for this command, too.
  func runInteractive(_ program: Program) throws -> Ending {
    output.flush()
    let ending = try invocation.run(program)
    if let number = ending.keyboardSignal { throw Failure.signal(number) }
    return ending
  }
}
