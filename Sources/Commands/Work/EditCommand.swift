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
    let edit = try context.open(for: .reading) { session -> (EditedItems, ItemNames)? in
      let inventory = try session.inventory()
      let targets = try selection.targets(inventory, session)
      guard !targets.isEmpty else { return nil }
      var items = try EditedItems(targets, session)
      try items.run(session)
      return (items, session.names(of: targets.compactMap(\.key), inventory))
    }
    // The editor has ended; only now tsync takes the lock.
    guard let (items, names) = edit else { return context.output.summary("nothing changed") }
    try items.finish(names, in: context)
  }
}
