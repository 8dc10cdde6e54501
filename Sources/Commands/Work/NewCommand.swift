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

  @Flag(name: .customLong("new-field"), help: "Make fields that no item has.")
  var makesFields = false

  @Argument(help: ArgumentHelp("The title.", valueName: "text"))
  var words: [String] = []

  mutating func run(in context: Context) throws {
    let isEmpty = words.isEmpty && assignments.isEmpty
    if let file {
      guard isEmpty, !edit else {
        throw Problem.usage("-f can't be combined with a text, -s or -e")
      }
      let drafts = try ItemImport.drafts(from: file, in: context)
      return try make(context) { _, _ in drafts }
    }
    let settings = try assignments.map { try Assignment($0, allowingID: true) }
    let title = words.joined(separator: " ")
    try context.settingFields(settings, isMeant: makesFields) { settings, accepted in
      try make(title, settings, accepting: accepted, asksEditor: edit || isEmpty, context)
    }
  }

  /// Makes one item.
  private func make(
    _ title: String, _ settings: [Assignment], accepting accepted: Set<Text>, asksEditor: Bool,
    _ context: Context
  ) throws {
    guard asksEditor else {
      return try make(context) { [try Draft(title, settings, accepting: accepted, $0, $1)] }
    }
    let (text, id) = try context.open(for: .reading) { session in
      let inventory = try session.inventory()
      let draft = try Draft(title, settings, accepting: accepted, session, inventory)
      let id = try draft.id ?? .random(context.invocation.random)
      let document = try JSON.object(draft.opened(session, inventory).object(id: id))
      let text = TextBlock.blocks(in: document.encoded(.indented()) + [0x0A])
      return (try EditedText(text, for: .new, session), id)
    }
    let isMade = try text.edit { text throws(JSONError) in
      try Draft(parsing: TextBlock.strings(in: text))
    } apply: { edited in
      try make(context) { _, _ in [Draft(id: edited.id ?? id, item: edited.item)] }
    }
    guard !isMade else { return }
    context.printer.begin("items")
    context.printer.summary("nothing made")
  }

  /// Makes the items, after it has checked all of them.
  private func make(
    _ context: Context, _ drafts: (Session, Inventory) throws -> [Draft]
  ) throws {
    try context.open(for: .writing) { session in
      let inventory = try session.inventory()
      let changes = try drafts(session, inventory).map { draft in
        let key = ItemKey(session.table, try draft.id ?? .random(context.invocation.random))
        return ItemChange(key: key, old: nil, new: draft.item)
      }
      try session.checkNew(changes, inventory)
      _ = try session.write(changes.map { ($0, nil) }) {
        throw Problem.usage("\($1) already exists")
      }
      context.printer.tell(of: changes.map(\.key.id))
      context.printer.show(changes, as: "added", session.names(of: changes.map(\.key), inventory))
    }
  }
}
