import SyncEngine
import SyncModel
import Workspace

/// The items that can come back, as ``Restoration`` brings them back: those removed last first.
struct RemovedItems {
  struct Entry {
    let key: ItemKey
    let item: Item
    /// What has removed it; `nil` where the history doesn't tell.
    var command: History.Command?
    /// Whether its row was deleted by another.
    var isServers = false
  }

  private(set) var entries: [Entry] = []

  /// Finds the items of an inventory's tables; with `time`, those that went since then, in seconds since 1970.
  init(_ inventory: Inventory, since time: Int64? = nil, on workspace: Workspace) throws {
    let items = try inventory.removed(workspace)
    var commands: [ItemKey: History.Command] = [:]
    // Items whose delete was sent. The command that removed the file, which is older, is named instead.
    var (sent, moved, servers): (Set<ItemKey>, Set<ItemKey>, Set<ItemKey>) = ([], [], [])
    try workspace.commands(
      with: [#""did":"removed""#, #""did":"added""#, #""did":"delet"#]
    ) { command in
      if sent.isEmpty {
        if commands.count == items.count { return false }
        if let time, command.time.ticks / Timestamp.perSecond < time { return false }
      }
      for (place, change) in command.changes.enumerated().reversed() {
        let key = change.key
        // What was here again was removed later, and without a command.
        if change.did == .added { sent.remove(key) }
        guard let item = items[key], [.removed, .deleted, .deleting].contains(change.did) else {
          continue
        }
        guard change.did == .removed else {
          if commands[key] == nil {
            commands[key] = command
            sent.insert(key)
          }
          continue
        }
        guard sent.remove(key) != nil || commands[key] == nil,
          commands[key] == nil || change.place != nil || change.item(after: false) == item
        else { continue }
        commands[key] = command
        if command.isPull || command.name == "push" { servers.insert(key) }
        // It is here under another id: its user's, or one that the server gave it.
        let isMoved =
          command.name == "mv"
          || command.name == "push" && place > 0 && command.changes[place - 1].did == .added
        if isMoved { moved.insert(key) }
      }
      return true
    }
    // Nor was removed what somebody has renamed without tsync.
    let here = Set(try inventory.items(on: workspace).map { JSON.object($0.item.fields).encoded() })
    for (key, item) in items where !moved.contains(key) {
      let command = commands[key]
      let second = command.map { $0.time.ticks / Timestamp.perSecond }
      let isMeant = time.map { second ?? 0 >= $0 } ?? true
      // What has left its queries is at the server: a query brings it back.
      let hasLeft = try command?.isPull == true && workspace.base(of: key) == .neverSeen
      guard isMeant, !hasLeft, command != nil || !here.contains(JSON.object(item.fields).encoded())
      else {
        continue
      }
      entries.append(
        Entry(key: key, item: item, command: command, isServers: servers.contains(key)))
    }
    entries.sort {
      ($1.command?.number ?? 0, $0.key) < ($0.command?.number ?? 0, $1.key)
    }
  }
}
