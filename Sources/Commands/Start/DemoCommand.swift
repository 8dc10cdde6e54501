import ArgumentParser
import Glibc
import SyncEngine
import SyncModel
import SystemPackage
import Workspace

struct DemoCommand: TsyncCommand {
  static let configuration = CommandConfiguration(
    commandName: "demo", abstract: "Run a demonstration with a server of its own.")

  @OptionGroup var options: GlobalOptions

  @Argument(help: "The directory to make.")
  var dir: String?

  func run(in context: Context) throws {
    let program = try context.invocation.sibling("tsync-server")
    let shown = dir ?? "tsync-demo"
    let directory = context.path(shown)
    guard mkdir(directory, 0o700) == 0 else {
      let error = Errno(rawValue: errno)
      throw error == .fileExists
        ? Problem.usage(
          "\(shown) already exists", hints: ["to make another: \(typed: "demo", "\(shown)-2")"])
        : WorkspaceError.file(place: directory, error)
    }
    let environment = Self.environment(context.invocation, directory)
    // With `--json`, standard output has only the document.
    let stream = context.options.json ? "exec >&2\n" : ""
    let script = Program(
      "sh", ["-euc", stream + DemoScript.text], directory: directory,
      environment: environment.setting([("SERVER", Text(program))]), input: .bytes([]))
    let ending = try context.invocation.run(script)
    try context.checkSignal()
    guard ending.status != DemoScript.noServer else {
      throw Problem(.damaged, "the server did not start: see \(file: "\(directory)/server.log")")
    }
    guard ending.status == 0 else { throw Problem(.conflicts, "the demonstration failed") }
    context.printer.summary(
      Line("The demonstration succeeded. Its workspaces are \(shown)/anna and \(shown)/ben."))
  }

  /// Returns an environment without the user's settings and tokens; `tsync` is this program.
  private static func environment(_ invocation: Invocation, _ directory: String) -> Environment {
    let own = invocation.environment.variables.filter {
      !$0.name.string.utf8.starts(with: "TSYNC_".utf8)
    }
    let programs = PathName.split(invocation.executable ?? "").directory
    let path = invocation.environment["PATH"] ?? "/usr/bin:/bin"
    // The search for a workspace ends at home: one around the directory is not the demonstration's.
    return Environment(own).setting([
      ("PATH", Text("\(programs):\(path)")), ("XDG_CONFIG_HOME", Text("\(directory)/config")),
      ("HOME", Text(directory)), ("LC_ALL", "C"),
    ])
  }
}
