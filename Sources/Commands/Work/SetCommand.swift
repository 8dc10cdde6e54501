import ArgumentParser
import SyncEngine
import SyncModel

struct SetCommand: TsyncCommand {
  static let configuration = CommandConfiguration(
    commandName: "set", abstract: "Set fields of items.")

  @OptionGroup var options: GlobalOptions

  @Flag(
    name: [.customShort("n"), .customLong("dry-run")],
    help: "Print the items that would be changed, and change nothing.")
  var dryRun = false

  @Flag(name: .customShort("y"), help: "Do it without asking.")
  var isSure = false

  @Option(name: .customLong("where"), help: "Set all items that match.")
  var filters: [String] = []

  @Option(name: .long, help: ArgumentHelp("Remove a field.", valueName: "field"))
  var unset: [String] = []

  @Flag(name: .customLong("new-field"), help: "Make fields that no item has.")
  var makesFields = false

  @Argument(help: ArgumentHelp("References, and FIELD=VALUE or FIELD:=JSON.", valueName: "word"))
  var words: [String] = []

  var selection: [String] {
    filters.flatMap { ["--where", $0] } + words + unset.flatMap { ["--unset", $0] }
  }

  private var references: [String] { words.filter { !Assignment.isOne($0) } }

  mutating func run(in context: Context) throws {
    let assignments =
      try words.filter(Assignment.isOne).map { try Assignment($0) }
      + unset.map { try Assignment(unsetting: $0) }
    guard !assignments.isEmpty else { throw Problem.usage("no field to set") }
    if !filters.isEmpty, words.contains("or") || filters.contains(where: Filter.goesOn) {
      throw Problem.usage(
        "each word after --where is one filter",
        hints: [
          "for one of two: \(typed: "set", "--where", "FILTER", "--where", "or", "--where", "FILTER")"
        ])
    }
    try context.settingFields(assignments, isMeant: makesFields) { assignments, accepted in
      try context.change(
        ItemSelection(references, filters: filters), isSure, to: "change", words: selection,
        look: ["list", "-a"] + filters, as: "changed", isRehearsal: dryRun, accepting: accepted
      ) { key, item, types, session in
        var item = item
        for assignment in assignments {
          try types.apply(assignment, to: &item, key, on: session.workspace)
        }
        return item
      }
    }
  }
}
