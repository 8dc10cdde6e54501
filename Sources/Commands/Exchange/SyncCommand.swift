import ArgumentParser
import SyncModel

struct SyncCommand: TsyncCommand {
  static let configuration = CommandConfiguration(
    commandName: "sync", abstract: "Pull, then push.")

  @OptionGroup var options: GlobalOptions

  @Flag(
    name: [.customShort("n"), .customLong("dry-run")],
    help: "Print the changes that both would make, and change nothing.")
  var dryRun = false

  @Flag(name: .long, help: "Ask about conflicts before the push, and during it.")
  var resolve = false

  @Option(
    name: .customLong("max-delete"),
    help: ArgumentHelp("Delete up to N items of a table, here and on the server.", valueName: "n"))
  var maxDelete: Int?

  func validate() throws {
    guard maxDelete ?? 0 >= 0 else { throw ValidationError("--max-delete must be 0 or more") }
  }

  func run(in context: Context) throws {
    try context.open(for: .exchanging(isDryRun: dryRun)) { session in
      try session.pull(
        PullOptions(maxDelete: maxDelete, isRehearsal: dryRun), isLast: false)
      if dryRun {
        try session.previewPush(maxDelete: maxDelete)
      } else if resolve {
        try session.pushUntilAccepted(nil, by: Decider(), maxDelete: maxDelete)
      } else {
        try session.push(maxDelete: maxDelete)
      }
    }
  }
}
