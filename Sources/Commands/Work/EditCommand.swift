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
    context.printer.begin("items")
    let opened = try context.open(for: .reading) {
      session -> (EditedItems, ItemNames, EditedText)? in
      let inventory = try session.inventory()
      let keys = try selection.keys(inventory, session)
      guard !keys.isEmpty else { return nil }
      let items = try EditedItems(keys, session)
      var text = try EditedText(items.text, for: .edit, session)
      // A file with blocks is invalid, but not its text in the editor: it is saved as JSON.
      let read = (try? items.edits(in: items.text)) ?? []
      text.isChange = read.contains { $0.text != $0.original.text }
      return (items, session.names(of: keys, inventory), text)
    }
    guard let (items, names, text) = opened else {
      return context.printer.summary("nothing changed")
    }
    let isEdited = try text.edit(items.edits) { edits in
      let changes = try context.open(for: .writing) { session in
        try session.perform(edits.filter { $0.text != $0.original.text }) { try $0.write(to: &$1) }
      }
      context.printer.show(changes.filter { $0.old != $0.new }, names)
    }
    guard !isEdited else { return }
    if let invalid = items.invalid { throw Problem(invalid: invalid, .rejected) }
    context.printer.summary("nothing changed")
  }
}
