import ArgumentParser

struct PushCommand: TsyncCommand {
  static let configuration = CommandConfiguration(
    commandName: "push", abstract: "Send changes to the server.")

  @OptionGroup var options: GlobalOptions
  @OptionGroup var exchange: ExchangeOptions

  @Flag(name: .long, help: "Ask about each conflict, and send the resolved item.")
  var resolve = false

  @Option(
    name: [.customShort("j"), .customLong("jobs")],
    help: ArgumentHelp("Send at most N requests at once.", valueName: "n"))
  var jobs: Int?

  @Flag(
    name: .long,
    help: "Send new items again, if it is unknown whether the server made their rows.")
  var again = false

  @Flag(name: .long, help: "Send the rows, too, that the server has lost.")
  var missing = false

  @Argument(help: ArgumentHelp("The items to send, or filters.", valueName: "ref|filter"))
  var references: [String] = []

  var selection: [String] {
    let end = references.contains { $0.hasPrefix("-") } ? ["--"] : []
    return options.table.flatMap { ["-t", $0] } + (missing ? ["--missing"] : []) + end + references
  }

  func validate() throws {
    guard (1...128).contains(jobs ?? 1) else {
      throw ValidationError("--jobs must be 1 to 128")
    }
    guard !again || !references.isEmpty && !resolve && !exchange.dryRun else {
      throw ValidationError(
        "--again needs items, and can't be combined with --resolve or --dry-run")
    }
    guard !missing || references.isEmpty && !resolve else {
      throw ValidationError("--missing can't be combined with items or --resolve")
    }
  }

  func run(in context: Context) throws {
    let maxDelete = exchange.maxDelete
    try context.open(for: .exchanging(isDryRun: exchange.dryRun)) { session in
      session.jobs = jobs
      let selection = try session.selection(references)
      if missing { try session.findMissing(claims: true) }
      if resolve, !exchange.dryRun {
        try session.pushUntilAccepted(selection, by: Decider(), maxDelete: maxDelete)
      } else {
        try session.push(selection, maxDelete: maxDelete, insertsAgain: again)
      }
    }
  }
}
