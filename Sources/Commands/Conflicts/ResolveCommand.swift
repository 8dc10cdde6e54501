import ArgumentParser
import SyncEngine
import SyncModel
import Workspace

struct ResolveCommand: TsyncCommand {
  static let configuration = CommandConfiguration(
    commandName: "resolve", abstract: "Resolve conflicts.")

  @OptionGroup var options: GlobalOptions

  @Flag(exclusivity: .exclusive)
  var side: Resolution.Side?

  @Option(
    name: [.customShort("f"), .customLong("field")], parsing: .singleValue,
    help: ArgumentHelp(
      "Decide on one path in conflict: client, server, or a value.", valueName: "path=choice"))
  var fields: [String] = []

  @Flag(name: .shortAndLong, help: "Resolve all open conflicts.")
  var all = false

  @Flag(
    name: [.customShort("n"), .customLong("dry-run")],
    help: "Print how each would be resolved, and change nothing.")
  var dryRun = false

  @Option(
    name: .long,
    help: ArgumentHelp(
      "Run COMMAND on the files of the sides and of the result.", valueName: "command"))
  var tool: String?

  @Flag(name: .long, help: "Push the resolved items, until the server accepts them.")
  var push = false

  @Argument(help: ArgumentHelp("The items, or filters.", valueName: "ref|filter"))
  var references: [String] = []

  var selection: [String] {
    (side.map { ["--\($0.rawValue)"] } ?? []) + (all ? ["-a"] : references)
  }

  func validate() throws {
    let decides = side != nil || !fields.isEmpty
    guard tool == nil || !decides else {
      throw ValidationError("--tool can't be combined with --client, --server, --both or --field")
    }
    guard all || !references.isEmpty || !(decides || tool != nil) else {
      throw ValidationError("no items given; name items, or -a for all")
    }
    guard !all || references.isEmpty else {
      throw ValidationError("-a cannot be combined with items")
    }
  }

  func run(in context: Context) throws {
    let decider = Decider(
      choices: try FieldChoices(side: side, fields: fields), tool: tool,
      asksHandler: !context.canAsk)
    try context.open(for: .exchanging(isDryRun: dryRun)) { session in
      var selection = try session.selection(references)
      let open = try session.conflicts(of: selection)
      let settled = session.included(session.recovery.settled, in: selection)
      // Filters also fit items that have no conflict.
      if try !references.isEmpty && ItemSelection(references).isByFilter { selection = [] }
      // A person may repeat an interrupted command: the other conflicts are still open.
      for key in (selection ?? []).subtracting(open).subtracting(settled).sorted() {
        guard !open.isEmpty || !settled.isEmpty else {
          throw Problem.usage("\(key) is not in conflict")
        }
        context.printer.warn("\(key) is not in conflict")
      }
      try check(decider.choices, open, &session)
      let summary = try session.resolve(
        open, by: decider, isLast: !push || open.isEmpty && settled.isEmpty, settled: settled)
      context.printer.set(summary.json, of: "resolve")
      if !summary.left.isEmpty { context.printer.end(with: .conflicts) }
      guard push, !dryRun, summary.resolved > 0 else { return }
      try session.pushUntilAccepted(summary.made, by: decider)
    }
  }

  /// Refuses if no conflict can be read, or a given place is in none of them.
  private func check(
    _ choices: FieldChoices, _ keys: [ItemKey], _ session: inout Session
  ) throws {
    guard let first = keys.first else { return }
    var conflicts: [Conflict] = []
    for key in keys {
      do { conflicts.append(try session.conflict(key)) } catch is Resolve.Failure { continue }
    }
    // Reading one again throws its failure.
    if conflicts.isEmpty { _ = try session.conflict(first) }
    try choices.check(conflicts)
  }
}

extension Resolution.Side: EnumerableFlag {
  static func name(for value: Self) -> NameSpecification { .long }

  static func help(for value: Self) -> ArgumentHelp? {
    switch value {
    case .client: "Take the client's version of the members and lines in conflict."
    case .server: "Take the server's version of the members and lines in conflict."
    case .both: "Keep both versions, as two items."
    }
  }
}
