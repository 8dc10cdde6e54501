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

  @Option(
    name: .long,
    help: ArgumentHelp("Pull only this query; may be repeated.", valueName: "name"))
  var query: [String] = []

  func run(in context: Context) throws {
    try context.open(for: .exchanging(isDryRun: exchange.dryRun)) { session in
      let queries = try query.map { try session.query(named: $0).name }
      let isPushing =
        try session.configuration.pullPushes
        && !Survey(of: session.tables, on: session.rehearsed).pending().isEmpty
      if isPushing, exchange.dryRun {
        context.printer.warn(
          "the pull would push first; to see what: \(typed: context.sameTables(["push", "-n"]))"
            as Hint)
      } else if isPushing {
        try session.record(as: context.recordedPush)
        try session.push()
        try session.record(as: context.recorded)
      }
      try session.pull(isFull: full, queries: queries, maxDelete: exchange.maxDelete)
    }
  }
}
