import ArgumentParser
import SyncModel

struct InitCommand: TsyncCommand {
  static let configuration = CommandConfiguration(
    commandName: "init", abstract: "Make a workspace.")

  @OptionGroup var options: GlobalOptions

  @Option(name: .long, help: ArgumentHelp("Set the server's address.", valueName: "url"))
  var remote: String?

  @Argument(help: "The directory; by default, the current one.")
  var dir: String?

  func run(in context: Context) throws {
    let new = try NewWorkspace(at: dir ?? ".", in: context)
    try new.make(remote: remote, context.output)
    context.output.set("directory", new.path)
    context.output.set("tables", new.tables)
    context.output.set("remote", remote)
  }
}
