import ArgumentParser

struct PushCommand: TsyncCommand {
  static let configuration = CommandConfiguration(
    commandName: "push", abstract: "Send what changed here.")

  @OptionGroup var options: GlobalOptions

  @Flag(
    name: [.customShort("n"), .customLong("dry-run")],
    help: "Say what would be sent, without asking the server.")
  var dryRun = false

  @Flag(name: .long, help: "Ask about each conflict, and send what was decided.")
  var resolve = false

  @Option(
    name: [.customShort("j"), .customLong("jobs")],
    help: ArgumentHelp("At most N requests at once.", valueName: "n"))
  var jobs: Int?

  @Option(
    name: .customLong("max-delete"),
    help: ArgumentHelp("Delete up to N items of a table whose files vanished.", valueName: "n"))
  var maxDelete: Int?

  @Flag(
    name: .long,
    help: "Send new items again of which it is unknown whether the server has made their rows.")
  var again = false

  @Argument(help: ArgumentHelp("The items to send.", valueName: "ref"))
  var references: [String] = []

  var selection: [String] { references }

  func validate() throws {
    guard (1...128).contains(jobs ?? 1) else {
      throw ValidationError("--jobs is a number from 1 to 128")
    }
    guard !again || !references.isEmpty && !resolve && !dryRun else {
      throw ValidationError("--again takes the items to send again, and no --resolve or --dry-run")
    }
    guard maxDelete ?? 0 >= 0 else { throw ValidationError("--max-delete must be 0 or more") }
  }

  func run(in context: Context) throws {
    try Session.run(in: context, isWriting: !dryRun) { session in
      session.jobs = jobs
      let selection = try session.selection(references)
      if resolve, !dryRun {
        let document = try session.pushUntilAccepted(
          selection, by: Decider(), maxDelete: maxDelete, asksFirst: true)
        context.output.set(document)
      } else {
        let summary =
          try dryRun
          ? session.previewPush(selection, maxDelete: maxDelete)
          : session.push(selection, maxDelete: maxDelete, insertsAgain: again)
        summary.end()
        context.output.set(summary.json)
      }
    }
  }
}
