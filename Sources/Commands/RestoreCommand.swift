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
    let told: Int
    var conflicts = 0
    if isRehearsal {
      told = try context.reading { open in
        if all { conflicts = open.conflicts }
        let plan =
          try all && open.isAboutAllTables && open.lacksItems
          ? Restoration.planAll(open) : Restoration.plan(all ? nil : refs, open, in: context)
        for restoration in plan.steps { restoration.tell("would ", plan.names, to: context.output) }
        return plan.steps.count
      }
    } else {
      told = try context.writing { open in
        // Of one item alone the others would then look deleted.
        if all {
          // Nor may those of one table come back alone.
          if open.isAboutAllTables { try open.workspace.makeItems() }
          conflicts = open.conflicts
        }
        let plan = try Restoration.plan(all ? nil : refs, open, in: context)
        var count = 0
        defer { try? open.workspace.settle() }
        for restoration in plan.steps {
          try context.checkSignal()
          guard try restoration.run(on: &open, in: context) else { continue }
          restoration.tell("", plan.names, to: context.output)
          count += 1
        }
        try open.workspace.settle()
        return count
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
  /// Whether no table was named, or all were.
  fileprivate var isAboutAllTables: Bool { tables.count == configuration.tables.count }

  /// How many conflicts are open in the tables.
  fileprivate var conflicts: Int {
    workspace.journal.conflicts.keys.count { tables.contains($0.table) }
  }
}
