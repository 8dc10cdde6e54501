import ArgumentParser
import SyncEngine
import SyncModel
import Workspace

/// Gives an item another id.
struct MvCommand: TsyncCommand {
  static let configuration = CommandConfiguration(
    commandName: "mv", abstract: "Give an item another id.")

  @OptionGroup var options: GlobalOptions

  @Argument(help: ArgumentHelp("The item.", valueName: "ref"))
  var ref: String

  @Argument(help: ArgumentHelp("Its new id.", valueName: "newid"))
  var newID: String

  var selection: [String] { [ref, newID] }

  mutating func run(in context: Context) throws {
    let id = try ItemID(Text(newID))
    guard FileName.of(id) != nil else {
      throw Failure.usage("the id is too long for a file's name")
    }
    context.output.begin("items")
    try context.writing { open in
      let inventory = try open.inventory()
      var references = open.references(inventory, in: context)
      // A file that was moved by hand may be called by the id that it says.
      references.others = inventory.claims
      guard let referent = try references.all([ref]).first else {
        return
      }
      let move = try Move(referent, to: id, inventory, open)
      let item = try move.run(on: &open)
      let names = ItemNames(
        for: [move.target] + (move.old.map { [$0] } ?? []), among: inventory.keys,
        showsTable: open.tables.count > 1, titleField: open.configuration.titleField)
      tell(move, item, names, context)
    }
  }

  private func tell(_ move: Move, _ item: Item, _ names: ItemNames, _ context: Context) {
    let from = move.old?.id.text.string ?? move.name
    var line = Line("renamed ")
    line.append(move.old.map(names.line) ?? Line(move.name))
    line.append(" to ")
    line.append(names.line(for: move.target))
    line.append("  \(ItemNames.shown(names.title(of: item)))")
    let deed = Deed(
      did: "renamed", key: move.target, title: names.title(of: item),
      members: [.init(name: "from", value: .string(from))])
    context.output.append(deed.json, to: "items")
    context.output.result(line)
  }
}
