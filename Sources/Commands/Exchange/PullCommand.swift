import ArgumentParser
import SyncEngine
import SyncModel
import Workspace

struct PullCommand: TsyncCommand {
  static let configuration = CommandConfiguration(
    commandName: "pull", abstract: "Receive changes from the server.")

  @OptionGroup var options: GlobalOptions

  @Flag(
    name: [.customShort("n"), .customLong("dry-run")],
    help: "Print the changes that a pull would make, and write nothing.")
  var dryRun = false

  @Flag(name: .long, help: "Read all rows again.")
  var full = false

  @Option(
    name: .customLong("max-delete"),
    help: ArgumentHelp("Let the server delete up to N items of a table.", valueName: "n"))
  var maxDelete: Int?

  func validate() throws {
    guard maxDelete ?? 0 >= 0 else { throw ValidationError("--max-delete must be 0 or more") }
  }

  func run(in context: Context) throws {
    try context.open(for: .exchanging(isDryRun: dryRun)) { session in
      if !dryRun, session.configuration.pullPushes,
        try !Survey(of: session.tables, on: session.workspace).pending().isEmpty
      {
        try session.push()
      }
      try session.pull(PullOptions(isFull: full, maxDelete: maxDelete, isRehearsal: dryRun))
    }
  }
}
