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
    try new.make(remote: remote, context.printer)
    context.printer.set("directory", new.path)
    context.printer.set("tables", new.tables)
    context.printer.set("remote", remote)
  }
}
