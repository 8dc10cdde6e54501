import SyncEngine
import SyncModel
import Workspace

/// The editing of one item: the editor gets its file.
struct FileEdit {
  private let referent: Referent
  private let path: String

  /// Finds the file.
  ///
  /// - Throws: ``WorkspaceError``.
  init(_ referent: Referent, _ open: OpenWorkspace) throws {
    self.referent = referent
    let name = ItemKey(referent.table, try ItemID("x"))
    path =
      try referent.key.map { try open.workspace.path(of: $0) }
      ?? "\(PathName.split(open.workspace.path(of: name)).directory)/\(referent.stray?.fileName ?? "")"
  }

  /// Opens the editor, again while the file has mistakes and a person wants to.
  ///
  /// - Returns: What was saved; `nil` where the file is no item's.
  /// - Throws: ``Failure``: the editor failed, or left no file, or a mistake in it.
  func run(
    _ names: ItemNames, _ open: OpenWorkspace, in context: Context
  ) throws -> EditedFile? {
    let before = try state(open)
    if before == .absent {
      throw Failure.usage("\(referent.key.map { "\($0)" } ?? path) has no file here")
    }
    let base = try referent.key.map { try open.workspace.base(of: $0) } ?? .neverSeen
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
    guard let key = referent.key else { return nil }
    guard let saved = try state(open).item else {
      throw Failure.usage(
        "\(open.place(ofPath: path)): the editor has removed it",
        hints: base.row == nil ? [] : [Failure.Hint("to bring it back: tsync restore \(key)")])
    }
    let opened = before.item ?? base.item ?? Item(JSONObject())
    return EditedFile(key: key, base: base.item, opened: opened, saved: saved, names: names)
  }

  /// Reads what lies there now.
  private func state(_ open: OpenWorkspace) throws -> ClientState {
    guard let key = referent.key else {
      return referent.stray.map { .invalid($0) } ?? .absent
    }
    return try open.workspace.client(key)
  }
}
