import ArgumentParser
import SyncModel
import Workspace

struct DoneCommand: TsyncCommand {
  static let configuration = CommandConfiguration(
    commandName: "done", abstract: "Mark items as done.")

  @OptionGroup var options: GlobalOptions

  @Flag(name: .shortAndLong, help: "Mark them as not done.")
  var undo = false

  @Flag(name: .customShort("y"), help: "Do it without asking.")
  var isSure = false

  @Argument(help: ArgumentHelp("The items, or filters.", valueName: "ref|filter"))
  var words: [String]

  var selection: [String] { words }

  mutating func run(in context: Context) throws {
    let named = try ItemSelection(words)
    guard
      let selection = try context.confirmed(
        named, isSure, to: "mark", words: (undo ? ["-u"] : []) + words,
        look: ["list", "-a"] + words)
    else { return }
    try context.open(for: .writing) { session in
      let inventory = try session.inventory()
      let keys = try selection.keys(inventory, session, in: context)
      let field = session.configuration.doneField
      let names = session.names(of: keys, inventory)
      let changes = try session.change(keys, in: context) { _, item in
        var item = item
        // An absent field means the same as `false`.
        if item[field] != .bool(true), undo { return item }
        item[field] = .bool(!undo)
        return item
      }
      context.output.begin("items")
      for change in changes {
        var outcome = Outcome(
          verb: undo ? "undone" : "done", key: change.key, title: names.title(of: change.new),
          fields: change.fields)
        outcome.remark = ""
        context.output.show(outcome, names)
      }
      if changes.isEmpty { context.output.summary("nothing changed") }
      context.output.count(changes.count, undo ? "undone" : "done", selection)
    }
  }
}
