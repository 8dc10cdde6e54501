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

  @Flag(name: .long, help: "Bring back all items whose files are missing.")
  var missing = false

  @Option(
    name: .long,
    help: ArgumentHelp("Bring back the items removed since then.", valueName: "age|date"))
  var since: String?

  @Flag(name: .customShort("y"), help: "Do it without asking.")
  var isSure = false

  @Argument(help: ArgumentHelp("The items, or filters.", valueName: "ref|filter"))
  var words: [String] = []

  var selection: [String] {
    (all ? ["-a"] : []) + (missing ? ["--missing"] : []) + (since.map { ["--since", $0] } ?? [])
      + words
  }

  mutating func run(in context: Context) throws {
    let ways = [all, missing, since != nil || !words.isEmpty].count { $0 }
    guard ways == 1 else {
      throw Problem.usage(
        ways == 0
          ? "no items given; name items, or -a for all"
          : "give only one of: items, -a, --missing, --since")
    }
    let time = try since.map { try context.time(since: $0) }
    var selection = try words.isEmpty ? nil : ItemSelection(words)
    if time != nil {
      guard selection?.isByFilter != false else {
        throw Problem.usage("--since takes filters, no items")
      }
      selection = .filters(words, since: time)
    }
    context.printer.begin("items")
    if let named = selection {
      selection = try context.confirmed(
        named, isSure || dryRun, to: "restore", words: self.selection,
        look: ["restore", "-n"] + self.selection, areRemoved: true)
      if selection == nil { return }
    }
    var files: MissingFiles?
    var waiting: [ItemKey] = []
    try context.open(
      for: dryRun ? .reading : .writing,
      // Recovery applies waiting rows only to items that are there.
      preparing: { session in
        waiting = try session.waiting()
        guard missing else { return }
        // With a part of the tables, the items of the others would look deleted.
        let isPart = session.tables.count < session.configuration.tables.count
        if isPart { _ = try session.workspace.directories() }
        files = try MissingFiles(of: session)
        if dryRun { return files?.show("would restore", to: context.printer) ?? () }
        try files?.bringBack(to: &session)
      }
    ) { session in
      var count = files?.files.count ?? 0
      if files == nil {
        let plan = try Restoration.plan(selection, session, waiting: waiting)
        for step in plan.steps {
          try context.checkSignal()
          guard try dryRun || step.run(on: &session) else { continue }
          step.show(isRehearsal: dryRun, plan.names, to: context.printer)
          count += 1
        }
      }
      if count == 0 {
        context.printer.summary("nothing changed")
        let waits = try session.tables.contains { table in
          try session.workspace.arrivals(in: table).contains {
            try session.workspace.removes($0, in: table)
          }
        }
        if waits {
          // Until then the items are as the server last had them.
          try session.showWaiting(nil, to: context.printer)
        } else if selection?.isByFilter == false {
          let hint: Hint = "to take back a pushed change: \(typed: "undo")"
          context.printer.summary(Line(context.printer.text(of: hint)))
        }
      }
      if let selection, selection.isByFilter, !dryRun {
        context.printer.count(count, "restored", selection)
      }
      let conflicts = try all || missing ? session.conflicts(of: nil).count : 0
      guard conflicts > 0 else { return }
      let words = "\(counted(conflicts, "conflict")) \(conflicts == 1 ? "is" : "are") left"
      context.printer.summary(Line(words), next: "\(typed: "resolve")")
    }
  }
}
