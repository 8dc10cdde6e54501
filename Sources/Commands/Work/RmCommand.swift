import ArgumentParser
import SyncEngine
import SyncModel
import Workspace

struct RmCommand: TsyncCommand {
  static let configuration = CommandConfiguration(
    commandName: "rm", abstract: "Remove items.")

  @OptionGroup var options: GlobalOptions

  @Flag(
    name: [.customShort("n"), .customLong("dry-run")],
    help: "Print the items that would be removed, and remove nothing.")
  var dryRun = false

  @Flag(name: .customShort("y"), help: "Do it without asking.")
  var isSure = false

  @Argument(help: ArgumentHelp("The items, or filters.", valueName: "ref|filter"))
  var words: [String]

  var selection: [String] { words }

  mutating func run(in context: Context) throws {
    context.printer.begin("items")
    guard
      let selection = try context.confirmed(
        ItemSelection(words), isSure || dryRun, to: "remove", words: words,
        look: ["rm", "-n"] + words)
    else { return }
    try context.open(for: dryRun ? .reading : .writing) { session in
      let removal = try Removal(selection, session)
      guard !dryRun else {
        return try removal.targets.forEach { try removal.show("would remove", $0, session) }
      }
      var count = 0
      try session.perform(removal.targets) { target, session in
        try removal.remove(target, &session)
        count += 1
        try removal.show("removed", target, session)
        return nil  // it is noted already
      }
      if removal.targets.isEmpty { context.printer.summary("nothing changed") }
      context.printer.count(
        count, "removed", selection,
        next: removal.isRestorable ? "\(typed: "undo")" : "\(place: "trash/items")")
    }
  }
}
