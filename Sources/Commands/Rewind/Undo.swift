import SyncEngine
import SyncModel
import Workspace

/// What takes a command back: a merge, with what the command made as the base, the item as it is now, and
/// what was there before.
struct Undo {
  /// What is to be done to one item.
  struct Step {
    let key: ItemKey
    let digest: Digest?
    let from: Item?
    let to: Item?

    /// Carries it out; returns false if the file was changed meanwhile.
    func run(on session: inout Session) throws -> Bool {
      guard to != nil else { return try session.workspace.remove(key, expecting: digest) }
      return try session.workspace.write(to, to: key, expecting: digest) != .changedMeanwhile
    }

    func outcome(isRehearsal: Bool, _ names: ItemNames) -> Outcome {
      let word = from == nil ? "restore" : to == nil ? "remove" : "change"
      var outcome = Outcome(
        verb: isRehearsal ? "would \(word)" : "\(word)d", key: key,
        title: names.title(of: to ?? from))
      if word == "restore", !isRehearsal { outcome.verb = "restored" }
      if from != nil, to != nil { outcome.fields = Change(from: from, to: to).names }
      return outcome
    }
  }

  /// What stays as it is.
  struct Left {
    let key: ItemKey
    let item: Item?
    let reason: String
  }

  let command: History.Command
  /// The command that an undo took back, which is done again.
  private(set) var redone: History.Command?
  private(set) var steps: [Step] = []
  private(set) var left: [Left] = []

  // MARK: Finding

  /// Plans to take back the command of a number.
  ///
  /// - Throws: ``Problem`` if the history doesn't have it.
  static func of(_ number: Int, _ session: Session) throws -> Undo {
    var later: [History.Command] = []
    var found: Undo?
    try session.workspace.commands { command in
      if command.number == number {
        guard command.name != "purge" else { throw Problem.usage("a purge cannot be taken back") }
        found = try Undo(command, later, session)
      }
      later.append(command)
      return command.number > number
    }
    if let found { return found }
    guard let first = later.first, let last = later.last else {
      throw Problem.usage("\(number) is not in the history; it is empty")
    }
    let (age, near) = first.number < number ? ("newest", first) : ("oldest", last)
    let time = Times.clock(near.time.ticks / Timestamp.perSecond, now: session.context.now)
    throw Problem.usage("\(number) is not in the history; the \(age) is \(near.number), \(time)")
  }

  /// Plans to take back the newest command that is not taken back yet.
  ///
  /// It is never a pull. A push right after an undo belongs to that.
  static func newest(_ session: Session) throws -> Undo? {
    var (later, undone): ([History.Command], Set<Int>) = ([], [])
    var (found, push): (Undo?, History.Command?)
    // Items whose next push is taken back, and with it the commands that it has sent.
    var back: Set<ItemKey> = []
    func take(_ command: History.Command) throws {
      let later = later.filter { $0.number > command.number }
      let undo = try Undo(command, later, session, without: back)
      // What can't be taken back is named: an older command would not be the one that is meant.
      if !undo.steps.isEmpty || !undo.left.isEmpty { found = undo }
    }
    try session.workspace.commands { command in
      defer { later.append(command) }
      let isUndo = command.undoes != nil
      if let held = push, !command.isPull {
        push = nil
        if !isUndo { try take(held) }
        if found != nil { return false }
      }
      let sent = command.effects.filter(\.isSent).map(\.key)
      if undone.contains(command.number) { back.formUnion(sent) } else { back.subtract(sent) }
      if let number = command.undoes {
        if !undone.contains(command.number) { undone.insert(number) }
      } else if command.name == "push", !undone.contains(command.number) {
        push = command
      } else if !command.isPull, command.name != "purge", !undone.contains(command.number) {
        try take(command)
      }
      return found == nil
    }
    if found == nil, let push { try take(push) }
    return found
  }

  /// Plans to take back the last undo; `nil` if there is none, or another command came since.
  static func last(_ session: Session) throws -> Undo? {
    var (later, undone): ([History.Command], Set<Int>) = ([], [])
    var found: Undo?
    try session.workspace.commands { command in
      defer { later.append(command) }
      if let undo = found?.command {
        if command.number == undo.undoes { found?.redone = command }
        return command.number > undo.undoes ?? 0
      }
      if command.isPull || command.name == "push" { return true }
      // A command that has changed nothing stands in no undo's way.
      if command.effects.isEmpty { return true }
      guard let number = command.undoes else { return false }
      if command.name == "redo" {
        undone.insert(number)
      } else if !undone.contains(command.number) {
        found = try Undo(command, later, session)
      }
      return true
    }
    return found
  }

  // MARK: Planning

  /// Plans to take back a command, but its changes of some items; `later` are the commands after it, the
  /// newest first.
  private init(
    _ command: History.Command, _ later: [History.Command], _ session: Session,
    without others: Set<ItemKey> = []
  ) throws {
    self.command = command
    let effects = command.effects.filter { !others.contains($0.key) }
    // What was sent says what was changed, hand edits too.
    let sent = effects.filter(\.isSent)
    let changes = sent.isEmpty ? effects : sent
    var order: [ItemKey] = []
    for change in changes where !order.contains(change.key) { order.append(change.key) }
    let byKey = Dictionary(grouping: changes, by: \.key)
    for key in order { try plan(key, byKey[key] ?? [], later, session) }
  }

  private mutating func plan(
    _ key: ItemKey, _ changes: [History.Change], _ later: [History.Command], _ session: Session
  ) throws {
    func since(_ names: Set<Text> = []) -> String {
      let number = later.first { command in
        command.effects.contains { change in
          change.key == key && (names.isEmpty || change.fields.contains { names.contains($0.name) })
        }
      }?.number
      return number.map { "changed again by \($0)" } ?? "changed since"
    }
    let workspace = session.workspace
    guard session.configuration.tables.contains(key.table) else {
      return left.append(Left(key: key, item: nil, reason: "no table of this workspace"))
    }
    let client = try workspace.client(key)
    var item = client.item
    let shown = client.item ?? changes.last?.item(after: true)
    func leave(_ reason: String) { left.append(Left(key: key, item: shown, reason: reason)) }
    if case .invalid = client { return leave("invalid") }
    if workspace.journal.conflicts[key] != nil { return leave("in conflict") }
    if try workspace.attempt(of: key) != nil { return leave("sent, and its outcome is unknown") }
    if try client == .absent && workspace.moved(key) != nil { return leave("renamed") }
    let isMet = later.contains { $0.effects.contains { $0.key == key } }
    /// Whether an item is as a change has left it.
    func isAsLeft(_ item: Item?, by change: History.Change) throws -> Bool {
      if let digest = change.digest { return digest == client.digest }
      guard change.fields.isEmpty else { return item == change.item(after: true) }
      return try !isMet && item == workspace.base(of: key).item
    }
    for change in changes.reversed() {
      var old: Item? = change.item(after: false)
      if change.place != nil {
        let text = try workspace.text(before: change)
        old = text.flatMap { try? ItemFile.item(in: $0, as: key, place: "") }
        guard old != nil else { return leave("its old text is \(change.place?.string ?? "gone")") }
      }
      switch change.did {
      case .added, .created, .undeleted:
        guard item != nil else { continue }
        guard try isAsLeft(item, by: change) else { return leave(since()) }
        item = nil
      case .removed, .deleted:
        guard item == nil || item == old else { return leave("is here again") }
        item = old
      case .changed, .updated:
        guard let now = item else { return leave(since()) }
        if change.place != nil {
          guard try isAsLeft(now, by: change) else { return leave(since()) }
          item = old
          continue
        }
        let merge = FieldMerge(
          base: change.item(after: true), client: now, server: old ?? Item(JSONObject()))
        let disputes = merge.disputes
        if !disputes.isEmpty {
          let paths = disputes.map(\.path.description).joined(separator: ", ")
          leave("\(paths): \(since(Set(disputes.map(\.path.field))))")
        }
        item = merge.item()
      case .deleting: continue
      }
    }
    guard item != client.item else { return }
    steps.append(Step(key: key, digest: client.digest, from: client.item, to: item))
  }
}
