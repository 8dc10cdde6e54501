import ArgumentParser
import SyncModel

struct SyncCommand: TsyncCommand {
  static let configuration = CommandConfiguration(
    commandName: "sync", abstract: "Pull, then push.")

  @OptionGroup var options: GlobalOptions
  @OptionGroup var exchange: ExchangeOptions

  @Flag(name: .long, help: "Ask about conflicts before the push, and during it.")
  var resolve = false

  func run(in context: Context) throws {
    let maxDelete = exchange.maxDelete
    try context.open(for: .exchanging(isDryRun: exchange.dryRun)) { session in
      session.recorded = "pull"
      try session.pull(maxDelete: maxDelete, isLast: false)
      try session.record(as: context.recordedPush)
      if resolve, !exchange.dryRun {
        try session.pushUntilAccepted(nil, by: Decider(), maxDelete: maxDelete)
      } else {
        try session.push(maxDelete: maxDelete)
      }
    }
  }
}
