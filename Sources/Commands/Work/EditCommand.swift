import ArgumentParser
import SyncEngine
import SyncModel
import Workspace

struct EditCommand: TsyncCommand {
  static let configuration = CommandConfiguration(
    commandName: "edit", abstract: "Open items in the editor.")

  @OptionGroup var options: GlobalOptions

  @Argument(help: ArgumentHelp("The items, or filters.", valueName: "ref|filter"))
  var words: [String]

  var selection: [String] { words }

  mutating func run(in context: Context) throws {
    let selection = try ItemSelection(words)
    context.output.begin("items")
    let edit = try context.reading { open -> (EditedItems, ItemNames)? in
      let inventory = try open.inventory()
      let targets: [Target]
      switch selection {
      case .references(let words):
        targets = try open.lookup(inventory, in: context).all(words)
      case .filters:
        targets = try selection.keys(inventory, open, in: context).map { Target($0) }
      }
      guard !targets.isEmpty else { return nil }
      var items = try EditedItems(targets, open)
      try items.run(open, in: context)
      return (items, open.names(of: targets.compactMap(\.key), inventory))
    }
    // The editor has ended; only now tsync takes the lock.
    guard let (items, names) = edit else { return context.output.summary("nothing changed") }
    try items.finish(names, in: context)
  }
}
