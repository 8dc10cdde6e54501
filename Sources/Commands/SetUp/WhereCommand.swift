import ArgumentParser
import SyncModel

struct WhereCommand: TsyncCommand {
  static let configuration = CommandConfiguration(
    commandName: "where", abstract: "Print the workspace's directory.")

  @OptionGroup var options: GlobalOptions

  func run(in context: Context) throws {
    let path = try context.findWorkspace()
    context.printer.set("directory", path)
    context.printer.result(Line(path))
  }
}
