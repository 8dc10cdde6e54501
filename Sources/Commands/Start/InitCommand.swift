import ArgumentParser
import Remote
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
    let address = try remote.map { try ServerAddress(Text($0)).description }
    let new = try NewWorkspace(at: dir ?? ".", in: context)
    try new.make(remote: address)
    new.announce(context.printer)
    context.printer.set("tables", new.tables)
    context.printer.set("remote", address)
  }
}
