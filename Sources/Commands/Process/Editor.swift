import SyncEngine
import SyncModel
import SystemPackage
import Workspace

struct Editor {
  /// A command of the shell.
  let command: String

  init(_ environment: Environment, _ configuration: Configuration?) {
    command =
      environment.nonEmpty("TSYNC_EDITOR") ?? configuration?.text("editor")?.string
      ?? environment.nonEmpty("VISUAL") ?? environment.nonEmpty("EDITOR") ?? "vi"
  }

  /// Opens a file and waits until the editor ends; the caller must not hold a lock.
  func open(_ path: String, in context: Context) throws {
    let ending = try context.runInteractive(.shell(command, [path], in: context.invocation))
    guard ending.status == 0 else {
      throw Problem.usage("the editor ended with status \(ending.status): \(command)")
    }
  }
}

extension Context {
  /// Runs a program that a person works in, and waits for its end.
  ///
  /// - Throws: `Errno`; ``Problem`` if a signal ended it that was for this command, too.
  func runInteractive(_ program: Program) throws -> Ending {
    printer.flush()
    let ending = try invocation.run(program)
    // Without a terminal, a captured program may end so for reasons of its own.
    if let number = ending.keyboardSignal, canAsk || !program.isCaptured {
      throw Problem.signal(number)
    }
    if ending.status != 0 { try checkSignal() }
    return ending
  }
}
