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
      let referents: [Referent]
      switch selection {
      case .references(let words):
        referents = try open.references(inventory, in: context).all(words)
      case .filters:
        referents = try selection.keys(inventory, open, in: context).map { Referent($0) }
      }
      guard !referents.isEmpty else { return nil }
      var items = try EditedItems(referents, open)
      try items.run(open, in: context)
      return (items, open.names(of: referents.compactMap(\.key), inventory))
    }
    // The editor has ended; only now tsync takes the lock.
    guard let (items, names) = edit else { return context.output.summary("nothing changed") }
    try items.finish(names, in: context)
  }
}
