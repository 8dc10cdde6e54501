import SyncEngine
import SyncModel
import Workspace

/// The items that were removed or deleted and aren't here, by the history: the newest first.
struct RemovedItems {
  struct Entry {
    let key: ItemKey
    /// The item as it was last.
    let item: Item
    /// What has removed it.
    let command: History.Command
  }

  private(set) var entries: [Entry] = []

  /// Finds the items of an inventory's tables; with `time`, those that went since then, in seconds since 1970.
  init(_ inventory: Inventory, since time: Int64 = 0, on workspace: Workspace) throws {
    var found: [ItemKey: Entry] = [:]
    // Items whose delete was sent. The command that removed the file, which is older, is named instead.
    var sent: Set<ItemKey> = []
    var seen: Set<ItemKey> = []
    let tables = Set(inventory.tables)
    try workspace.commands(with: [#""did":"removed""#, #""did":"delet"#]) { command in
      if command.time.ticks / Timestamp.perSecond < time { return false }
      for (place, change) in command.changes.enumerated().reversed() {
        let key = change.key
        guard [.removed, .deleted, .deleting].contains(change.did), tables.contains(key.table),
          !inventory.isHere(key)
        else { continue }
        // It is here under another id: its user's, or one that the server gave it.
        let isMoved =
          command.name == "mv"
          || command.name == "push" && place > 0 && command.changes[place - 1].did == .added
        let item = try item(before: change, workspace)
        if change.did == .removed, sent.remove(key) != nil {
          if isMoved {
            found[key] = nil
          } else if let item, item == found[key]?.item {
            found[key] = Entry(key: key, item: item, command: command)
          }
        } else if change.did == .removed, isMoved {
          seen.insert(key)
        } else if let item, seen.insert(key).inserted {
          found[key] = Entry(key: key, item: item, command: command)
          if change.did != .removed { sent.insert(key) }
        }
      }
      return true
    }
    entries = found.values.sorted { ($1.command.number, $0.key) < ($0.command.number, $1.key) }
  }

  private func item(before change: History.Change, _ workspace: Workspace) throws -> Item? {
    if change.place != nil {
      return try workspace.text(before: change)
        .flatMap { try? ItemFile.item(in: $0, as: change.key, place: "") }
    }
    return change.fields.isEmpty ? nil : change.item(after: false)
  }
}
