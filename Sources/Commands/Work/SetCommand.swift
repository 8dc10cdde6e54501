import ArgumentParser
import SyncEngine
import SyncModel

struct SetCommand: TsyncCommand {
  static let configuration = CommandConfiguration(
    commandName: "set", abstract: "Set fields of items.")

  @OptionGroup var options: GlobalOptions

  @Flag(name: .customShort("y"), help: "Do it without asking.")
  var isSure = false

  @Option(name: .customLong("where"), help: "Set all items that match.")
  var filters: [String] = []

  @Option(name: .long, help: ArgumentHelp("Remove a field.", valueName: "field"))
  var unset: [String] = []

  @Argument(help: ArgumentHelp("References, and FIELD=VALUE or FIELD:=JSON.", valueName: "word"))
  var words: [String] = []

  var selection: [String] { references + filters }

  private var references: [String] { words.filter { !Assignment.isOne($0) } }

  mutating func run(in context: Context) throws {
    let assignments =
      try words.filter(Assignment.isOne).map { try Assignment($0) }
      + unset.map { try Assignment(unsetting: $0) }
    guard !assignments.isEmpty else { throw Failure.usage("no field to set") }
    let all = filters.flatMap { ["--where", $0] } + words + unset.flatMap { ["--unset", $0] }
    let named = try ItemSelection(references, filters: filters)
    guard
      let selection = try context.confirmed(
        named, isSure, to: "change", words: all, look: ["list", "-a"] + filters)
    else { return }
    try context.open(for: .writing) { session in
      let inventory = try session.inventory()
      let keys = try selection.keys(inventory, session, in: context)
      var types = FieldTypes(inventory)
      let disk = session.workspace
      let changes = try session.change(keys, in: context) { key, item in
        var item = item
        for assignment in assignments {
          item[assignment.field] = try types.value(of: assignment, in: item, key, on: disk)
        }
        return item
      }
      context.output.show(changes, session.names(of: keys, inventory))
      context.output.count(changes.count, "changed", selection)
    }
  }
}

extension Output {
  /// Prints the changed items with their fields, or `nothing changed`.
  func show(_ changes: [ItemChange], _ names: ItemNames) {
    begin("items")
    for change in changes {
      show(
        Outcome(
          verb: "changed", key: change.key, title: names.title(of: change.new),
          fields: change.fields), names)
    }
    if changes.isEmpty { summary("nothing changed") }
  }

  /// Prints the number of items if filters chose them, or there are several.
  func count(_ count: Int, _ verb: String, _ selection: ItemSelection, next: Hint? = nil) {
    guard count > 1 || count == 1 && selection.isByFilter else { return }
    summary(Line("\(count) \(verb)"), next: next)
  }
}
