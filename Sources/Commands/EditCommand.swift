import ArgumentParser
import SyncEngine
import SyncModel
import Workspace

/// Opens items in the editor.
struct EditCommand: TsyncCommand {
  static let configuration = CommandConfiguration(
    commandName: "edit", abstract: "Open items in the editor.")

  @OptionGroup var options: GlobalOptions

  @Argument(help: ArgumentHelp("The items, or filters.", valueName: "ref|filter"))
  var words: [String]

  mutating func run(in context: Context) throws {
    let selection = try ItemSelection(words, command: "edit")
    context.output.begin("items")
    let edits = try context.reading { open -> ItemEdits? in
      let inventory = try open.inventory()
      let referents: [Referent]
      switch selection {
      case .references(let words):
        referents = try open.references(inventory, in: context).all(words)
      case .filters:
        referents = try selection.keys(inventory, open, in: context).map { Referent($0) }
      }
      let names = open.names(of: referents.compactMap(\.key), inventory)
      guard referents.count != 1 else {
        try FileEdit(referents[0], open).run(names, open, in: context)
        return nil
      }
      guard !referents.isEmpty else {
        context.output.summary("nothing changed")
        return nil
      }
      let edits = try ItemEdits(referents, open)
      try edits.run(open, in: context)
      return edits
    }
    // The lock is taken only now that no editor runs.
    guard let edits else { return }
    let write = { try context.writing { open in try edits.write(to: &open, in: context) } }
    if let text = edits.text { try text.taking(write) } else { try write() }
  }
}

/// The editing of one item: the editor gets its file.
private struct FileEdit {
  private let referent: Referent
  private let path: String

  init(_ referent: Referent, _ open: OpenWorkspace) throws {
    self.referent = referent
    let name = ItemKey(referent.table, try ItemID("x"))
    path =
      try referent.key.map { try open.workspace.path(of: $0) }
      ?? "\(PathName.split(open.workspace.path(of: name)).directory)/\(referent.stray?.fileName ?? "")"
  }

  func run(_ names: ItemNames, _ open: OpenWorkspace, in context: Context) throws {
    let before = try state(open)
    if before == .absent {
      throw Failure.usage("\(referent.key.map { "\($0)" } ?? path) has no file here")
    }
    let editor = Editor(context.invocation.environment, open.configuration)
    while true {
      try context.checkSignal()
      do {
        try editor.open(path, in: context)
      } catch {
        throw context.left(error, open.place(ofPath: path), "and counts when it is saved") ?? error
      }
      guard case .invalid(let invalid) = try state(open) else { break }
      guard try context.asksToEditAgain(invalid.sentence) else {
        throw Failure(.rejected, invalid.sentence)
      }
    }
    guard let key = referent.key else { return }
    guard let item = try state(open).item else {
      let isKnown = try open.workspace.base(of: key).row != nil
      throw Failure.usage(
        "\(open.place(ofPath: path)): the editor has removed it",
        hints: isKnown ? [Failure.Hint("to bring it back: tsync restore \(key)")] : [])
    }
    let old = try before.item ?? open.workspace.base(of: key).item ?? Item(JSONObject())
    let change = ItemChange(key: key, old: old, new: item)
    context.output.tell(change.old == change.new ? [] : [change], names)
  }

  /// Reads what lies there now.
  private func state(_ open: OpenWorkspace) throws -> ClientState {
    guard let key = referent.key else {
      return referent.stray.map { .invalid($0) } ?? .absent
    }
    return try open.workspace.client(key)
  }
}
