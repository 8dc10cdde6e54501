import ArgumentParser
import SyncEngine
import SyncModel
import Workspace

struct MvCommand: TsyncCommand {
  static let configuration = CommandConfiguration(
    commandName: "mv", abstract: "Give an item another id.")

  @OptionGroup var options: GlobalOptions

  @Flag(
    name: [.customShort("n"), .customLong("dry-run")],
    help: "Print the new name, and rename nothing.")
  var dryRun = false

  @Argument(help: ArgumentHelp("The item.", valueName: "ref"))
  var ref: String

  @Argument(help: ArgumentHelp("Its new id.", valueName: "newid"))
  var newID: String

  var selection: [String] { [ref, newID] }

  mutating func run(in context: Context) throws {
    let id = try ItemID(naming: Text(newID))
    context.printer.begin("items")
    try context.open(for: dryRun ? .reading : .writing) { session in
      let inventory = try session.inventory()
      guard let key = try session.lookup(inventory).items([ref]).first else { return }
      let move = try Move(key, to: id, inventory, session)
      if !dryRun { try move.run(on: &session) }
      let names = session.names(of: [move.old, move.target], inventory)
      let title = names.title(of: move.item)
      let verb = dryRun ? "would rename" : "renamed"
      var line = Line("\(verb) ")
      line.append(names.line(for: move.old))
      line.append(" to ")
      line.append(names.line(for: move.target))
      line.append("  \(ItemNames.shown(title))")
      context.printer.tell(of: [id])
      context.printer.item(line, isWell: true)
      context.printer.append(
        Outcome(
          verb: verb, key: move.target, title: title,
          members: JSONObject(["from": move.old.id])), to: "items")
    }
  }
}
