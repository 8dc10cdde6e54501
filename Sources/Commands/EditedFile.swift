import SyncEngine
import SyncModel
import Workspace

/// An item whose file came back from the editor.
///
/// An editor saves what it has read: what a pull has brought meanwhile would be undone.
struct EditedFile {
  /// Which item.
  let key: ItemKey
  /// The server's item as it was known when the editor was opened.
  let base: Item?
  /// The item as the editor got it, and as it was saved.
  let opened, saved: Item
  /// How items are named.
  let names: ItemNames

  /// Puts back what was brought meanwhile, and tells what was changed.
  ///
  /// - Throws: ``Failure``, ``WorkspaceError``.
  func finish(in context: Context) throws {
    let workspace = try Workspace(
      at: try context.findWorkspace(), for: .reading, clock: context.invocation.clock)
    guard try brought(to: workspace) != nil else {
      return tell(from: opened, to: saved, in: context)
    }
    try context.writing { open in
      guard let (now, names) = try brought(to: open.workspace) else {
        return tell(from: opened, to: saved, in: context)
      }
      let others = names.filter { saved[$0] != now[$0] }
      let undone = others.filter { saved[$0] == opened[$0] }
      let whole = saved.taking(undone, from: now)
      let changes = try open.change([key], in: context) { _, item in item == saved ? whole : item }
      if !changes.isEmpty {
        warn("what a pull brought while the editor ran stays", undone, in: context)
      }
      let both = others.filter { !undone.contains($0) }
      if !both.isEmpty {
        warn("a pull brought others while the editor ran, yours stay", both, in: context)
      }
      tell(from: opened.taking(names, from: now), to: changes.first?.new ?? saved, in: context)
    }
  }

  /// Returns the server's item as a pull has brought it since the editor was opened, and the fields of
  /// it that only the server had changed.
  ///
  /// - Returns: `nil` where there are none, and where the item is in conflict, whose sides hold all.
  private func brought(to workspace: Workspace) throws -> (now: Item, names: [Text])? {
    guard workspace.journal.conflicts[key] == nil, let now = try workspace.base(of: key).item
    else { return nil }
    let names = Change(from: base, to: now).names.filter { opened[$0] == base?[$0] }
    return names.isEmpty ? nil : (now, names)
  }

  private func warn(_ words: String, _ names: [Text], in context: Context) {
    context.output.warn("\(key): \(words): \(names.map(\.string).joined(separator: ", "))")
  }

  private func tell(from old: Item, to new: Item, in context: Context) {
    context.output.tell(old == new ? [] : [ItemChange(key: key, old: old, new: new)], names)
  }
}

extension Item {
  /// Returns the item with some fields as another has them.
  fileprivate func taking(_ names: [Text], from other: Item) -> Item {
    var item = self
    for name in names { item.fields[name] = other.fields[name] }
    return item
  }
}
