import ArgumentParser

struct PushCommand: TsyncCommand {
  static let configuration = CommandConfiguration(
    commandName: "push", abstract: "Send changes to the server.")

  @OptionGroup var options: GlobalOptions

  @Flag(
    name: [.customShort("n"), .customLong("dry-run")],
    help: "Print the changes that would be sent, and send nothing.")
  var dryRun = false

  @Flag(name: .long, help: "Ask about each conflict, and send the resolved item.")
  var resolve = false

  @Option(
    name: [.customShort("j"), .customLong("jobs")],
    help: ArgumentHelp("Send at most N requests at once.", valueName: "n"))
  var jobs: Int?

  @Option(
    name: .customLong("max-delete"),
    help: ArgumentHelp("Delete up to N items of a table whose files are missing.", valueName: "n"))
  var maxDelete: Int?

  @Flag(
    name: .long,
    help: "Send new items again, if it is unknown whether the server made their rows.")
  var again = false

  @Argument(help: ArgumentHelp("The items to send.", valueName: "ref"))
  var references: [String] = []

  var selection: [String] { references }

  func validate() throws {
    guard (1...128).contains(jobs ?? 1) else {
      throw ValidationError("--jobs must be 1 to 128")
    }
    guard !again || !references.isEmpty && !resolve && !dryRun else {
      throw ValidationError(
        "--again needs items, and can't be combined with --resolve or --dry-run")
    }
    guard maxDelete ?? 0 >= 0 else { throw ValidationError("--max-delete must be 0 or more") }
  }

  func run(in context: Context) throws {
    try context.open(for: .exchanging(isDryRun: dryRun)) { session in
      session.jobs = jobs
      let selection = try session.selection(references)
      if dryRun {
        try session.previewPush(selection, maxDelete: maxDelete)
      } else if resolve {
        try session.pushUntilAccepted(selection, by: Decider(), maxDelete: maxDelete)
      } else {
        try session.push(selection, maxDelete: maxDelete, insertsAgain: again)
      }
    }
  }
}
