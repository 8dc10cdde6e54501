import ArgumentParser
import SyncModel
import Workspace

/// Marks items as done.
struct DoneCommand: TsyncCommand {
  static let configuration = CommandConfiguration(
    commandName: "done", abstract: "Mark items as done.")

  @OptionGroup var options: GlobalOptions

  @Flag(name: .shortAndLong, help: "Mark them as not done.")
  var undo = false

  @Argument(help: ArgumentHelp("The items.", valueName: "ref"))
  var refs: [String]

  mutating func run(in context: Context) throws {
    try context.writing { open in
      let inventory = try open.inventory()
      let keys = try open.references(inventory, in: context).items(refs)
      let field = open.configuration.doneField
      let names = open.names(of: keys, inventory)
      let changes = try open.change(keys, in: context) { _, item in
        var item = item
        // A field that is absent says as much as `false`.
        if item[field] != .bool(true), undo { return item }
        item[field] = .bool(!undo)
        return item
      }
      context.output.begin("items")
      for change in changes {
        var deed = Deed(
          did: undo ? "undone" : "done", key: change.key, title: names.title(of: change.new),
          fields: change.fields)
        deed.remark = ""
        context.output.tell(deed, names)
      }
      if changes.isEmpty { context.output.summary("nothing changed") }
    }
  }
}
