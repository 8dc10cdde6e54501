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

  mutating func run(in context: Context) throws {
    let selection = try ItemSelection(words, command: "edit")
    context.output.begin("items")
    let edit = try context.reading { open -> Edit? in
      let inventory = try open.inventory()
      let referents: [Referent]
      switch selection {
      case .references(let words):
        referents = try open.references(inventory, in: context).all(words)
      case .filters:
        referents = try selection.keys(inventory, open, in: context).map { Referent($0) }
      }
      guard referents.count != 1 else {
        let names = open.names(of: referents.compactMap(\.key), inventory)
        var edit = try FileEdit(referents[0], open)
        try edit.run(open, in: context)
        return .file(edit, names)
      }
      guard !referents.isEmpty else {
        context.output.summary("nothing changed")
        return nil
      }
      let edits = try ItemEdits(referents, open)
      try edits.run(open, in: context)
      return .text(edits)
    }
    // The lock is taken only now that no editor runs.
    switch edit {
    case .file(let file, let names): try file.finish(names, in: context)
    case .text(let edits):
      let write = { try context.writing { open in try edits.write(to: &open, in: context) } }
      if let text = edits.text { try text.taking(write) } else { try write() }
    case nil: break
    }
  }

  /// What came back from the editor.
  private enum Edit {
    case file(FileEdit, ItemNames)
    case text(ItemEdits)
  }
}
