import SyncEngine
import SyncModel
import Workspace

/// What takes back the changes that a command has made to one item.
struct ItemUndo {
  let key: ItemKey
  private let changes: [History.Change]
  private let command: History.Command
  /// The changes of the item by later commands, the newest first.
  private let since: [(command: History.Command, change: History.Change)]
  private let client: ClientState
  private let base: Base
  /// The item as it becomes.
  private var item: Item?
  /// Whether the file goes as by `rm`; otherwise it is missing again, and a push asks.
  private var isMeant = true
  /// Whether the item's conflict opens again.
  private(set) var isConflict = false
  /// The base of that conflict.
  private var origin: Item?
  /// Why the item, or what of it, stays as it is.
  private(set) var left: [(reason: String, hint: Hint?)] = []

  init(
    _ key: ItemKey, _ changes: [History.Change], _ command: History.Command,
    _ since: [(command: History.Command, change: History.Change)], _ session: Session
  ) throws {
    (self.key, self.changes, self.command, self.since) = (key, changes, command, since)
    client = try session.workspace.client(key)
    base = try session.workspace.base(of: key)
    item = client.item
  }

  /// Whether the item is changed, or its conflict opens again.
  var isChange: Bool { item != client.item || isConflict }

  /// Whether there is something to say.
  var isNamed: Bool { isChange || !left.isEmpty }

  // MARK: Taking back

  /// Changes the item; returns false if its file was changed meanwhile.
  func run(on session: inout Session) throws -> Bool {
    guard isConflict else { return try write(to: &session.workspace) }
    let isDone = try session.workspace.reopen(
      key, over: origin, expecting: client.digest, now: session.context.now
    ) { try write(to: &$0) }
    if isDone { try session.workspace.record(History.Change(key, .reopened)) }
    return isDone
  }

  private func write(to workspace: inout Workspace) throws -> Bool {
    if item == nil, isMeant, client != .absent {
      return try workspace.remove(key, expecting: client.digest)
    }
    return try workspace.write(item, to: key, expecting: client.digest) != .changedMeanwhile
  }

  /// What was changed, where the item stays.
  var change: ItemChange? { item.map { ItemChange(key: key, old: client.item, new: $0) } }

  func outcome(isRehearsal: Bool, _ names: ItemNames) -> Outcome {
    let word =
      isConflict ? "reopen" : client.item == nil ? "restore" : item == nil ? "remove" : "change"
    var outcome = Outcome(
      verb: isRehearsal ? "would \(word)" : word + (isConflict ? "ed" : "d"), key: key,
      title: names.title(of: item ?? client.item ?? base.row?.item))
    if client.item != nil, item != nil {
      outcome.fields = Change(from: client.item, to: item).names
    }
    return outcome
  }

  /// The item for the title.
  var shown: Item? {
    let told = [
      since.first?.change.item(after: false), changes.last?.item(after: true),
      changes.first?.item(after: false),
    ]
    return client.item ?? told.compactMap(\.self).first { !$0.isEmpty }
  }

  // MARK: Planning

  /// Leaves the item as it is.
  private mutating func stay(_ reason: String, _ hint: Hint? = nil) {
    (item, isConflict) = (client.item, false)
    leave(reason, hint)
  }

  mutating func leave(_ reason: String, _ hint: Hint? = nil) { left.append((reason, hint)) }

  /// The command's changes of the item behind those since.
  private var all: [(command: History.Command, change: History.Change)] {
    since + changes.map { (command, $0) }
  }

  /// Which command has changed the item again, or one of these fields.
  private func changed(_ names: Set<Text> = []) -> String {
    let number = since.first { _, change in
      names.isEmpty || change.fields.contains { names.contains($0.name) }
    }?.command.number
    return number.map { "changed again by \($0)" } ?? "changed since"
  }

  /// Finds what the item becomes, and what is left of it.
  mutating func plan(_ session: Session) throws {
    let workspace = session.workspace
    guard session.configuration.tables.contains(key.table) else {
      return stay("no table of this workspace")
    }
    if case .invalid = client { return stay("invalid") }
    if try workspace.isInConflict(key) {
      return stay("in conflict", "to resolve it: \(typed: "resolve", "\(key)")")
    }
    if try workspace.attempt(of: key) != nil {
      return stay(
        "sent, and its outcome is unknown",
        "to ask the server: \(typed: "push"), then \(typed: "undo", "\(command.number)")")
    }
    if try client == .absent && workspace.moved(key) != nil { return stay("renamed") }
    if item == nil, base == .neverSeen, (since.first?.command ?? command).isPull {
      // As it was before this command, so far as that is known.
      var old = (since.first?.change ?? changes.last)?.item(after: false) ?? Item(JSONObject())
      for field in changes.flatMap(\.fields) { old[field.name] = field.old }
      let query = session.allQueries.first {
        $0.table == key.table && $0.fits(key.id, old) == true
      }?.name.string
      return stay(
        query.map { "it left the query \($0)" } ?? "it left its queries",
        "to have it here: \(typed: "query", "add", "NAME", "id=\(key.id)")")
    }
    try reopen(workspace)
    var olds: [Item?] = []
    for change in changes {
      guard let place = change.place else {
        olds.append(change.item(after: false))
        continue
      }
      guard let text = try workspace.text(before: change) else {
        return stay("its old text is gone from the trash")
      }
      guard let old = try? ItemFile.item(in: text, as: key, place: "") else {
        return stay("its old text is not valid: .todosync/\(place)")
      }
      olds.append(old)
    }
    for (change, old) in zip(changes, olds).reversed() {
      switch change.did {
      case .added, .created, .undeleted:
        guard let now = item else { continue }
        guard change.made(now) else { return stay(changed()) }
        guard !command.isPull else { return stay("new on the server") }
        let isOwn =
          change.isSent || since.contains { [.created, .undeleted].contains($0.change.did) }
        isMeant = base.item == nil || !change.dirty.isEmpty || isOwn
        guard isMeant || isConflict || command.words.string.hasPrefix("restore --missing") else {
          return stay("another has made its row")
        }
        item = nil
      case .removed, .deleted:
        guard change.place != nil || !change.fields.isEmpty else {
          return stay("its former text is not in the history")
        }
        guard let old = restored(old, change) else {
          return stay(
            "deleted on the server", "to bring it back: \(typed: "restore", "\(key)")")
        }
        guard item == nil || item == old else { return stay("is here again") }
        item = old
      case .changed, .updated:
        guard let now = item else { return stay(changed()) }
        guard change.place == nil || change.made(now) else { return stay(changed()) }
        let fields = change.place == nil ? change.fields : Change(from: old, to: now).fields
        takeBack(fields, in: now, dirty: change.dirty)
      case .resolved, .reopened, .deleting, .found: continue
      }
    }
    if !isNamed, changes.contains(where: { $0.did == .resolved }) { leave(changed()) }
  }

  /// Opens the conflict again that the command has resolved, while the row that this took is the base and nothing of
  /// it was sent.
  private mutating func reopen(_ workspace: Workspace) throws {
    guard let change = changes.last(where: { $0.did == .resolved }), let row = base.row,
      change.made(row.item),
      !since.contains(where: { $0.change.isSent || $0.change.did == .resolved })
    else { return }
    if change.place != nil {
      guard let text = try workspace.text(before: change),
        let former = try? ItemFile.item(in: text, as: key, place: "")
      else { return }
      origin = former
    } else if !change.fields.isEmpty {
      var former = row.deleted ? Item(JSONObject()) : row.item
      for field in change.fields { former[field.name] = field.old }
      origin = former.isEmpty ? nil : former
    }
    isConflict = true
  }

  /// Returns a removed item as it comes back; `nil` if somebody else has deleted its row.
  private func restored(_ old: Item?, _ change: History.Change) -> Item? {
    guard !command.isPull, !isConflict, var item = old else { return old }
    var row = base.item
    if case .tombstone = base {
      // What has last made or deleted the row, here or elsewhere.
      let last = all.first { command, change in
        [.created, .undeleted, .deleted].contains(change.did)
          || change.did == .removed && (command.isPull || command.name == "push")
      }?.change
      guard let last, last.did == .deleted else { return nil }
      if last.place == nil { row = last.item(after: false) }
    }
    guard !change.isSent, let row else { return item }
    for field in Change(from: item, to: row).fields where !change.dirty.contains(field.name) {
      item[field.name] = field.new
    }
    return item
  }

  /// Gives fields of the item their former values; what was changed since stays, and is named.
  private mutating func takeBack(_ fields: [Change.Field], in now: Item, dirty: [Text]) {
    var (made, old) = (Item(JSONObject()), Item(JSONObject()))
    var others: [Text] = []
    for field in fields {
      made[field.name] = field.new
      guard let value = former(field, now, isDirty: dirty.contains(field.name)) else {
        others.append(field.name)
        old[field.name] = field.new
        continue
      }
      old[field.name] = value
    }
    let merge = FieldMerge(base: made, client: now, server: old)
    let paths = merge.disputes.map(\.path)
    let words = paths.map(\.description) + others.map(\.string)
    if !words.isEmpty {
      leave("\(words.joined(separator: ", ")): \(changed(Set(paths.map(\.field) + others)))")
    }
    item = merge.item()
  }

  /// Returns what a field goes back to: where it was as on the server, to what the server has, but for what
  /// this workspace has sent since; `nil` if another has made it what it is.
  private func former(_ field: Change.Field, _ now: Item, isDirty: Bool) -> JSON?? {
    guard !command.isPull, !isConflict, !isDirty, let row = base.item else {
      return .some(field.old)
    }
    var value = row[field.name]
    var isSent =
      changes.contains(where: \.isSent)
      || since.contains { $0.change.isSent && $0.change.place != nil }
    for (command, change) in all {
      guard change.isSent || command.isPull,
        let made = change.fields.first(where: { $0.name == field.name })
      else { continue }
      isSent = isSent || change.isSent
      guard made.new == value else { break }
      // Under what another has written is nothing of this workspace's.
      guard change.isSent else {
        if value == now[field.name], value == field.new { return nil }
        break
      }
      value = made.old
    }
    // It may be a text of which others have changed other lines.
    func item(_ value: JSON?) -> Item {
      Item(JSONObject(value.map { [.init(name: field.name, value: $0)] } ?? []))
    }
    let merge = FieldMerge(
      base: item(field.new), client: item(now[field.name]), server: item(value))
    let isAsNow = !merge.isDisputed && merge.item()[field.name] == now[field.name]
    guard isAsNow else { return .some(value) }
    return isSent || value == field.old ? .some(field.old) : nil
  }
}
