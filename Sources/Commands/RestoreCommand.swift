import ArgumentParser
import SyncEngine
import SyncModel
import Workspace

/// Drops changes made here, or brings a deleted item back.
struct RestoreCommand: TsyncCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore", abstract: "Drop changes made here, or bring a deleted item back.")

  @OptionGroup var options: GlobalOptions

  @Flag(
    name: [.customShort("n"), .customLong("dry-run")],
    help: "Say what would be done, and change nothing.")
  var isRehearsal = false

  @Flag(
    name: .shortAndLong, help: "All items that were changed, removed, rejected or aren't valid.")
  var all = false

  @Argument(help: ArgumentHelp("The items.", valueName: "ref"))
  var refs: [String] = []

  mutating func run(in context: Context) throws {
    guard all != !refs.isEmpty else {
      throw Failure.usage(all ? "-a takes no items" : "which items? name them, or -a")
    }
    context.output.begin("items")
    var told = 0
    var conflicts = 0
    if isRehearsal {
      told = try context.reading { open in
        if all { conflicts = open.conflicts }
        let plan =
          try all && open.hasLostAllItems
          ? Restoration.planAll(open) : Restoration.plan(all ? nil : refs, open, in: context)
        for restoration in plan.steps { restoration.tell("would ", plan.names, to: context.output) }
        return plan.steps.count
      }
    } else {
      let (all, refs) = (all, refs)
      try context.writing(
        preparing: { open in
          // Where all items are gone, those that are named or of one table would come back alone, and
          // the others look deleted, also to rows that wait.
          guard all, try open.hasLostAllItems else { return }
          try open.workspace.makeItems()
          told += try Restoration.planAll(open).carryOut(on: &open, in: context)
        }
      ) { open in
        if all { conflicts = open.conflicts }
        told += try Restoration.plan(all ? nil : refs, open, in: context)
          .carryOut(on: &open, in: context)
      }
    }
    if told == 0 { context.output.summary("nothing changed") }
    if conflicts > 0 {
      let words = conflicts == 1 ? "1 conflict is left" : "\(conflicts) conflicts are left"
      context.output.summary(Line(words), hint: "tsync resolve")
    }
  }
}

extension OpenWorkspace {
  /// Whether the directory of all items is gone, and no table was named, or all were.
  fileprivate var hasLostAllItems: Bool {
    get throws { try tables.count == configuration.tables.count && lacksItems }
  }

  /// How many conflicts are open in the tables.
  fileprivate var conflicts: Int {
    workspace.journal.conflicts.keys.count { tables.contains($0.table) }
  }
}
