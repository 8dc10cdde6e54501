import SyncModel
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
  /// - Throws: ``Failure``, where the editor can't be run or says that it failed.
  func open(_ path: String, in context: Context) throws {
    context.output.flush()
    let ending = try context.invocation.run(
      .shell(command, [path], in: context.invocation))
    if ending.status != 0 {
      throw Failure.usage("the editor ended with status \(ending.status): \(command)")
    }
  }
}
