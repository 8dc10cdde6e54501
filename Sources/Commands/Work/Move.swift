import SyncEngine
import SyncModel
import Workspace

/// A change of id: writes the item's text under the new id, then removes the former item.
///
/// An interruption leaves the former item, the new one, or both; the same command finishes it.
struct Move {
  let old, target: ItemKey
  let item: Item
  private let text: [UInt8]

  /// Plans the move; refuses an item that is invalid or in conflict, or has an open write.
  init(_ key: ItemKey, to id: ItemID, _ inventory: Inventory, _ open: OpenWorkspace) throws {
    (old, target) = (key, ItemKey(key.table, id))
    item = try open.item(key).item
    let journal = open.workspace.journal
    if target == old { throw Failure.usage("\(target) already has this id") }
    if journal.conflicts[old] != nil {
      throw Failure.usage(
        "\(old) is in conflict", hints: ["to resolve it: \(typed: "resolve", "\(old)")"])
    }
    if let unknown = [old, target].first(where: { journal.intents[$0] != nil }) {
      throw Failure.usage(
        "the outcome of \(unknown) is unknown", hints: ["to find it out: \(typed: "push")"])
    }
    let bytes = try open.workspace.text(of: old) ?? []
    let edit = try JSONEdit(bytes, limits: .item)
    text =
      edit.object[Item.idField] == nil
      ? bytes : edit.setting([(Item.idField, .string(id.text))])
    guard text.count <= ItemFile.limit else {
      throw Failure.usage("\(target) would be larger than \(ItemFile.limit >> 20) MiB")
    }
    // An item may move back to its former id; an interrupted move is done again.
    let note = journal.notes[target]?.note
    let isBack = note?.successor == old && inventory.isAbsent(target)
    let isAgain =
      try !open.workspace.isKnown(target) && open.workspace.text(of: target) == text
    if inventory.contains(target), !isBack, !isAgain {
      let isRemoved = inventory.isAbsent(target) && note?.commanded == true
      throw Failure.usage(
        "\(target) already exists",
        hints: isRemoved
          ? ["not yet deleted on the server; to delete it: \(typed: "push")"] : [])
    }
  }

  func run(on open: inout OpenWorkspace) throws {
    guard
      try open.workspace.text(of: target) == text
        || open.workspace.write(text: text, to: target, expecting: nil) != .changedMeanwhile
    else { throw Failure.usage("\(target) already exists") }
    try open.workspace.settle()
    let journal = open.workspace.journal
    // The delete under the new id must not be sent any more.
    let closing = journal.notes[target].map { _ in JournalRecord.closed(.operation(target)) }
    let records = [closing].compactMap { $0 } + journal.following(old, to: target)
    if !records.isEmpty { try open.workspace.append(records, durably: true) }
    try open.note([(target, item)])
    let isKnown = try open.workspace.isKnown(old)
    // An item that is equal to the server's row needs no arrival.
    let hasArrived = try open.workspace.base(of: target).item == item
    let note = Note(kind: .delete, commanded: true, successor: target, hasArrived: hasArrived)
    guard try open.workspace.remove(old, as: note) else {
      throw Failure(.rejected, "another program changed \(old); it stays, and so does \(target)")
    }
    if !isKnown { try open.workspace.append([.closed(.operation(old))], durably: true) }
    try open.workspace.settle()
  }
}
