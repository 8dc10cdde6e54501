import ArgumentParser
import SyncEngine
import SyncModel
import Workspace

/// Opens items in the editor.
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
    let edit = try context.reading { open -> (Edit, ItemNames)? in
      let inventory = try open.inventory()
      let referents: [Referent]
      switch selection {
      case .references(let words):
        referents = try open.references(inventory, in: context).all(words)
      case .filters:
        referents = try selection.keys(inventory, open, in: context).map { Referent($0) }
      }
      guard !referents.isEmpty else { return nil }
      let names = open.names(of: referents.compactMap(\.key), inventory)
      if referents.count == 1 {
        var edit = try FileEdit(referents[0], open)
        try edit.run(open, in: context)
        return (.file(edit), names)
      }
      var edits = try ItemEdits(referents, open)
      try edits.run(open, in: context)
      return (.items(edits), names)
    }
    // The lock is taken only now that no editor runs.
    switch edit {
    case (.file(let file), let names)?: try file.finish(names, in: context)
    case (.items(let items), let names)?: try items.finish(names, in: context)
    case nil: context.output.summary("nothing changed")
    }
  }

  /// What came back from the editor.
  private enum Edit {
    case file(FileEdit)
    case items(ItemEdits)
  }
}
