import SyncEngine
import SyncModel
import Workspace

/// An item as an editor opens it.
struct OpenedItem {
  let key: ItemKey
  let text: [UInt8]
  /// `nil` if the file is invalid.
  let item: Item?

  /// Returns the file's text with the members that an editor changed; of an invalid file, what was
  /// typed.
  func rewritten(as edited: Item, _ document: [UInt8]) throws(JSONError) -> [UInt8] {
    guard item != nil else { return try TextBlock.strings(in: document, isPadded: false) }
    return try JSONEdit(text, limits: .item).rewritten(as: edited)
  }
}

/// What an editor saved for an item.
struct ItemEdit {
  let original: OpenedItem
  /// The text for the item's file.
  let text: [UInt8]
  let item: Item

  /// Writes the text, or merges it if the file has changed since the editor opened it.
  ///
  /// - Returns: The change; `nil` if both changed a field, or the item is gone or invalid: then the
  ///   text is kept in the trash.
  func write(to session: inout Session) throws -> ItemChange? {
    let key = original.key
    let outcome = try session.workspace.write(
      FileChange(key, to: item, text: text, expecting: Digest(of: original.text)))
    if outcome != .changedMeanwhile {
      return ItemChange(key: key, old: original.item ?? Item(JSONObject()), new: item)
    }
    let state = try session.workspace.client(key)
    guard let base = original.item, case .item(let now, let digest) = state else {
      let verb = state == .absent ? "removed" : "changed"
      return try keep("\(key) was \(verb) while you edited it", session)
    }
    let merge = FieldMerge(base: base, client: item, server: now)
    guard !merge.isDisputed else {
      let names = merge.disputes.map(\.path.description).joined(separator: ", ")
      return try keep("\(key) changed while you edited it (\(names))", session)
    }
    let new = try Session.checked(merge.item(), key)
    guard try session.workspace.write(new, to: key, expecting: digest) != .changedMeanwhile else {
      return try keep("\(key) was changed while you edited it", session)
    }
    let staying = Change(from: base, to: now).names.filter { item[$0] != new[$0] }
    if !staying.isEmpty {
      let names = staying.map(\.string).joined(separator: ", ")
      session.context.printer.warn("\(key): kept the concurrent change of \(names)")
    }
    return ItemChange(key: key, old: now, new: new)
  }

  /// Keeps the text in the trash, and says why.
  private func keep(_ reason: String, _ session: Session) throws -> ItemChange? {
    let path = try session.workspace.lay(text, for: .edit)
    session.context.printer.warn(
      Problem(.rejected, reason, hints: ["your text is in \(file: path)"]))
    return nil
  }
}
