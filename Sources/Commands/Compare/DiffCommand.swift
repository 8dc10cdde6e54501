import ArgumentParser
import SyncEngine
import SyncModel
import Workspace

struct DiffCommand: TsyncCommand {
  /// Comparisons other than with the base.
  enum Other: EnumerableFlag {
    case server, conflict

    static func name(for value: Other) -> NameSpecification { .long }

    static func help(for value: Other) -> ArgumentHelp? {
      switch value {
      case .server: "Compare the last known row of the server with the item."
      case .conflict: "Print only open conflicts, with the three sides side by side."
      }
    }
  }

  static let configuration = CommandConfiguration(
    commandName: "diff", abstract: "Show changes, field by field.")

  @OptionGroup var options: GlobalOptions

  @Flag(exclusivity: .exclusive)
  var other: Other?

  @Flag(name: [.customShort("p"), .customLong("patch")], help: "Print a patch of the JSON text.")
  var patch = false

  @Flag(name: .customLong("exit-code"), help: "End with 1 if there is a difference.")
  var exitCode = false

  @Argument(help: ArgumentHelp("The items to compare.", valueName: "ref"))
  var refs: [String] = []

  mutating func run(in context: Context) throws {
    if patch, other == .conflict { throw Problem.usage("--conflict and --patch can't be combined") }
    context.printer.page()
    context.printer.begin("items")
    try context.open(for: .reading) { session in
      let inventory = try session.inventory()
      let keys = try session.lookup(inventory).items(refs)
      for key in keys {
        if let invalid = inventory.invalid(key) { throw Problem(invalid: invalid, .usage) }
      }
      let chosen = Set(keys)
      let entries = inventory.survey.entries.filter { entry in
        refs.isEmpty || entry.key.map(chosen.contains) ?? false
      }
      let names = ItemNames(
        for: entries.compactMap(\.key), among: inventory.keys, showsTable: true,
        titleField: session.configuration.titleField)
      let count =
        other == .conflict
        ? try showConflicts(entries, session, names, context)
        : try showDifferences(entries, session, names, context)
      if exitCode, count > 0 { context.printer.end(with: .conflicts) }
      if refs.isEmpty { context.printer.showInvalid(inventory.survey) }
    }
  }

  private func showDifferences(
    _ entries: [Survey.Entry], _ session: Session, _ names: ItemNames, _ context: Context
  ) throws -> Int {
    let differences = try entries.compactMap {
      try ItemDifference($0, isFromServer: other == .server, session)
    }
    for difference in differences {
      context.printer.append(difference.json(names), to: "items")
      let lines =
        patch ? try difference.patch(session).lines.map(\.line) : difference.lines(names)
      lines.forEach(context.printer.result)
    }
    return differences.count
  }

  private func showConflicts(
    _ entries: [Survey.Entry], _ session: Session, _ names: ItemNames, _ context: Context
  ) throws -> Int {
    var count = 0
    for entry in entries {
      guard let key = entry.key, case .conflict = entry.standing else { continue }
      let conflict = try session.conflict(key)
      if count > 0 { context.printer.result("") }
      count += 1
      let table = try session.table(
        of: conflict, key, names, on: context.invocation.output)
      table.lines.forEach(context.printer.result)
      context.printer.append(conflict.json(key, names), to: "items")
    }
    return count
  }
}
