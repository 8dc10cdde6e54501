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
  /// Whether the new file is there already.
  private let isAgain: Bool

  /// Plans the move; refuses an item that is invalid or in conflict, or has an open write.
  init(_ key: ItemKey, to id: ItemID, _ inventory: Inventory, _ session: Session) throws {
    (old, target) = (key, ItemKey(key.table, id))
    (oldText, item) = try session.file(key)
    try session.checkName(of: target)
    if target == old { throw Problem.usage("\(target) already has this id") }
    if try session.workspace.isInConflict(old) {
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
    let marks = try session.workspace.state(of: key.table).marks
    let isBack = marks[id]?.after == key.id && inventory.isAbsent(target)
    let isThere = try session.workspace.text(of: target) == text
    isAgain = try isThere && !session.workspace.isKnown(target)
    if inventory.contains(target), !isBack, !isAgain {
      let isRemoved = try inventory.isAbsent(target) && session.workspace.isRemoved(target)
      throw Problem.usage(
        "\(target) already exists",
        hints: isRemoved
          ? ["not yet deleted on the server; to delete it: \(typed: "push")"] : [])
    }
  }

  func run(on session: inout Session) throws {
    let change = FileChange(
      target, to: item, text: text, expecting: isAgain ? Digest(of: text) : nil)
    let changed = try session.workspace.move(old, expecting: Digest(of: oldText), to: change)
    if changed == target { throw Problem.usage("\(target) already exists") }
    if changed != nil {
      throw Problem(.rejected, "another program changed \(old); it stays, and so does \(target)")
    }
  }
}
