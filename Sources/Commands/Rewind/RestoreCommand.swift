import ArgumentParser
import SyncEngine
import SyncModel
import Workspace

struct RestoreCommand: TsyncCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore", abstract: "Drop changes made here, or bring a deleted item back.")

  @OptionGroup var options: GlobalOptions

  @Flag(
    name: [.customShort("n"), .customLong("dry-run")],
    help: "Print the items that would be restored, and change nothing.")
  var dryRun = false

  @Flag(
    name: .shortAndLong, help: "Restore all items that are changed, removed, rejected or invalid.")
  var all = false

  @Flag(name: .customShort("y"), help: "Do it without asking.")
  var isSure = false

  @Argument(help: ArgumentHelp("The items, or filters.", valueName: "ref|filter"))
  var words: [String] = []

  var selection: [String] { all ? ["-a"] : words }

  mutating func run(in context: Context) throws {
    guard all != !words.isEmpty else {
      throw Problem.usage(
        all ? "-a cannot be combined with items" : "no items given; name items, or -a for all")
    }
    var selection = try all ? nil : ItemSelection(words)
    context.printer.begin("items")
    if let named = selection {
      selection = try context.confirmed(
        named, isSure || dryRun, to: "restore", words: words,
        look: ["restore", "-n"] + words, areRemoved: true)
      if selection == nil { return }
    }
    var lost: LostItems?
    var waiting: [ItemKey] = []
    try context.open(
      for: dryRun ? .reading : .writing,
      // Recovery applies waiting rows only to items that are there.
      preparing: { session in
        waiting = try session.waiting()
        // With a part of the tables, the items of the others would look deleted.
        let isWhole = session.tables.count == session.configuration.tables.count
        guard all, isWhole, try session.lacksItems else { return }
        lost = try LostItems(of: session)
        if dryRun { return lost?.show("would restore", to: context.printer) ?? () }
        try lost?.bringBack(to: &session)
      }
    ) { session in
      let count = try lost?.count ?? restore(selection, waiting, &session)
      if count == 0 { context.printer.summary("nothing changed") }
      if let selection, selection.isByFilter, !dryRun {
        context.printer.count(count, "restored", selection)
      }
      let conflicts = try all ? session.conflicts(of: nil).count : 0
      guard conflicts > 0 else { return }
      let words = conflicts == 1 ? "1 conflict is left" : "\(conflicts) conflicts are left"
      context.printer.summary(Line(words), next: "\(typed: "resolve")")
    }
  }

  /// Restores the items, or prints what would be; returns how many.
  private func restore(
    _ selection: ItemSelection?, _ waiting: [ItemKey], _ session: inout Session
  ) throws -> Int {
    let plan = try Restoration.plan(selection, session, waiting: waiting)
    defer { if !dryRun { try? session.workspace.settle() } }
    var count = 0
    for step in plan.steps {
      try session.context.checkSignal()
      guard try dryRun || step.run(on: &session) else { continue }
      step.show(isRehearsal: dryRun, plan.names, to: session.context.printer)
      count += 1
    }
    if !dryRun { try session.workspace.settle() }
    return count
  }
}
