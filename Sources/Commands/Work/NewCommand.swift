import ArgumentParser
import SyncEngine
import SyncModel
import Workspace

struct NewCommand: TsyncCommand {
  static let configuration = CommandConfiguration(
    commandName: "new", abstract: "Make items.")

  @OptionGroup var options: GlobalOptions

  @Flag(name: .shortAndLong, help: "Open the item in the editor, and then make it.")
  var edit = false

  @Option(
    name: [.customShort("s"), .customLong("set")],
    help: ArgumentHelp("Set a field.", valueName: "field=value"))
  var assignments: [String] = []

  @Option(
    name: [.customShort("f"), .customLong("file")], parsing: .unconditional,
    help: ArgumentHelp("Make the items in FILE; - is standard input.", valueName: "file"))
  var file: String?

  @Argument(help: ArgumentHelp("The title.", valueName: "text"))
  var words: [String] = []

  mutating func run(in context: Context) throws {
    let isEmpty = words.isEmpty && assignments.isEmpty
    if let file {
      guard isEmpty, !edit else {
        throw Failure.usage("-f can't be combined with a text, -s or -e")
      }
      let objects = try ItemImport(file, in: context).objects
      return try make(context) { session, types in
        try objects.map { try $0.draft(in: session.table(), context) }
      }
    }
    let settings = try assignments.map { try Assignment($0, allowingID: true) }
    let title = words.joined(separator: " ")
    guard edit || isEmpty else {
      return try make(context) { session, types in
        [try Draft(title, settings, session, &types, context)]
      }
    }
    let edited = try context.open(for: .reading) { session in
      var types = FieldTypes(try session.inventory())
      return try Draft(title, settings, session, &types, context).edited(session)
    }
    guard let edited else {
      context.output.begin("items")
      return context.output.summary("nothing made")
    }
    try edited.text.saving { try make(context) { _, _ in [edited.draft] } }
  }

  /// Makes the items, after it has checked all of them.
  private func make(
    _ context: Context, _ drafts: (Session, inout FieldTypes) throws -> [Draft]
  ) throws {
    try context.open(for: .writing) { session in
      let inventory = try session.inventory()
      var types = FieldTypes(inventory)
      let drafts = try drafts(session, &types)
      try session.check(drafts, inventory)
      let names = ItemNames(
        for: drafts.map(\.key), among: inventory.keys, showsTable: session.tables.count > 1,
        titleField: session.configuration.titleField)
      context.output.begin("items")
      defer { try? session.workspace.settle() }
      for draft in drafts {
        try context.checkSignal()
        guard
          case .replaced = try session.workspace.write(draft.item, to: draft.key, expecting: nil)
        else { throw Failure.usage("\(draft.key) already exists") }
      }
      try session.workspace.settle()
      try session.note(drafts.map { ($0.key, $0.item) })
      for draft in drafts {
        context.output.show(
          Outcome(verb: "added", key: draft.key, title: names.title(of: draft.item)), names)
      }
    }
  }
}
