import ArgumentParser
import SyncEngine
import SyncModel
import Workspace

struct PullCommand: TsyncCommand {
  static let configuration = CommandConfiguration(
    commandName: "pull", abstract: "Receive changes from the server.")

  @OptionGroup var options: GlobalOptions
  @OptionGroup var exchange: ExchangeOptions

  @Flag(name: .long, help: "Read all rows again.")
  var full = false

  func run(in context: Context) throws {
    try context.open(for: .exchanging(isDryRun: exchange.dryRun)) { session in
      if !exchange.dryRun, session.configuration.pullPushes,
        try !Survey(of: session.tables, on: session.workspace).pending().isEmpty
      {
        try session.push()
      }
      try session.pull(
        isFull: full, maxDelete: exchange.maxDelete, isRehearsal: exchange.dryRun)
    }
  }
}
