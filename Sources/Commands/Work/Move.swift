import SyncEngine
import SyncModel
import Workspace

/// A change of id: writes the item's text under the new id, then removes the former item.
///
/// An interruption leaves the former item, the new one, or both; the same command finishes it.
struct Move {
  let old, target: ItemKey
  let item: Item
  /// The texts of the two files.
  private let oldText, text: [UInt8]

  /// Plans the move; refuses an item that is invalid or in conflict, or has an open write.
  init(_ key: ItemKey, to id: ItemID, _ inventory: Inventory, _ session: Session) throws {
    (old, target) = (key, ItemKey(key.table, id))
    (oldText, item) = try session.file(key)
    try session.checkName(of: target)
    let journal = session.workspace.journal
    if target == old { throw Problem.usage("\(target) already has this id") }
    if journal.conflicts[old] != nil {
      throw Problem.usage(
        "\(old) is in conflict", hints: ["to resolve it: \(typed: "resolve", "\(old)")"])
    }
    if let unknown = try [old, target].first(where: { try session.workspace.attempt(of: $0) != nil }
    ) {
      throw Problem.usage(
        "the outcome of \(unknown) is unknown", hints: ["to find it out: \(typed: "push")"])
    }
    let edit = try JSONEdit(oldText, limits: .item)
    text =
      edit.object[Item.idField] == nil
      ? oldText : edit.setting([(Item.idField, .string(id.text))])
    guard text.count <= ItemFile.limit else {
      throw Problem.usage("\(target) would be larger than \(ItemFile.limit >> 20) MiB")
    }
    // An item may move back to its former id; an interrupted move is done again.
    let marks = try session.workspace.marks(in: key.table)
    let isBack = marks[id]?.after == key.id && inventory.isAbsent(target)
    let isAgain =
      try !session.workspace.isKnown(target) && session.workspace.text(of: target) == text
    if inventory.contains(target), !isBack, !isAgain {
      let isRemoved = try inventory.isAbsent(target) && session.workspace.isRemoved(target)
      throw Problem.usage(
        "\(target) already exists",
        hints: isRemoved
          ? ["not yet deleted on the server; to delete it: \(typed: "push")"] : [])
    }
  }

  func run(on session: inout Session) throws {
    guard
      try session.workspace.text(of: target) == text
        || session.workspace.write(FileChange(target, to: item, text: text, expecting: nil))
          != .changedMeanwhile
    else { throw Problem.usage("\(target) already exists") }
    // Somebody may have copied it by hand a moment ago.
    try session.workspace.synchronize([target])
    // The delete under the new id must not be sent any more, and what waits for the old one waits for the new.
    let facts =
      try session.workspace.presence(of: target, as: item)
      + session.workspace.formers(of: old).filter { $0 != target }.map {
        .marked($0.id, .removed(after: target.id))
      }
    if !facts.isEmpty { try session.workspace.append(facts, to: old.table, durably: true) }
    let isKnown = try session.workspace.isKnown(old)
    guard
      try session.workspace.remove(old, after: target.id, expecting: Digest(of: oldText))
    else {
      throw Problem(.rejected, "another program changed \(old); it stays, and so does \(target)")
    }
    if !isKnown {
      try session.workspace.append([.marked(old.id, nil)], to: old.table, durably: true)
    }
  }
}
