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
        found = try Undo(command, later, session)
      }
      later.append(command)
      return found == nil
    }
    if let found { return found }
    guard let first = later.first, let last = later.last else {
      throw Problem.usage("\(number) is not in the history; it is empty")
    }
    let (age, near) = first.number < number ? ("newest", first) : ("oldest", last)
    let time = Times.clock(near.time.ticks / Timestamp.perSecond, now: session.context.now)
    throw Problem.usage("\(number) is not in the history; the \(age) is \(near.number), \(time)")
  }

  /// Plans to take back the newest command that is not taken back yet; it is never a pull.
  static func newest(_ session: Session) throws -> Undo? {
    var (later, undone): ([History.Command], Set<Int>) = ([], [])
    // Items whose next push is taken back, and with it the commands that it has sent.
    var back: Set<ItemKey> = []
    var found: Undo?
    func look(at command: History.Command, without others: Set<ItemKey> = []) throws {
      defer { later.append(command) }
      let sent = command.effects.filter(\.isSent).map(\.key)
      guard !undone.contains(command.number) else { return back.formUnion(sent) }
      back.subtract(sent)
      if let number = command.undoes {
        undone.insert(number)
      } else if !command.isPull {
        let undo = try Undo(command, later, session, without: back.union(others))
        // What can't be taken back is named: an older command would not be the one that is meant.
        if !undo.steps.isEmpty || !undo.left.isEmpty { found = undo }
      }
    }
    // A push, and the commands between it and the push before.
    var batch: [History.Command] = []
    func lookAtBatch() throws {
      let commands = batch
      batch = []
      guard let push = commands.first else { return }
      // What undo or redo has changed, and the push has sent, is not the push's own.
      var (met, others): (Set<ItemKey>, Set<ItemKey>) = ([], [])
      for command in commands.dropFirst() where !command.isPull {
        let keys = Set(command.effects.map(\.key)).subtracting(met)
        met.formUnion(keys)
        if command.undoes != nil { others.formUnion(keys) }
      }
      try look(at: push, without: others)
      for command in commands.dropFirst() where found == nil { try look(at: command) }
    }
    try session.workspace.commands { command in
      let isPush = command.name == "push"
      if isPush { try lookAtBatch() }
      guard found == nil else { return false }
      if isPush || !batch.isEmpty { batch.append(command) } else { try look(at: command) }
      return found == nil
    }
    if found == nil { try lookAtBatch() }
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
    guard command.name != "purge" else { throw Problem.usage("a purge cannot be taken back") }
    self.command = command
    let effects = command.effects.filter { !others.contains($0.key) }
    // What was sent says what was changed, hand edits too.
    let sent = effects.filter(\.isSent)
    let changes = sent.isEmpty && command.name != "push" ? effects : sent
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
    for change in changes.reversed() {
      var old: Item? = change.item(after: false)
      if change.place != nil {
        let text = try workspace.text(before: change)
        old = text.flatMap { try? ItemFile.item(in: $0, as: key, place: "") }
        guard old != nil else { return leave("its old text is gone from the trash") }
      }
      switch change.did {
      case .added, .created, .undeleted:
        guard let now = item else { continue }
        guard change.made(now) else { return leave(since()) }
        item = nil
      case .removed, .deleted:
        guard item == nil || item == old else { return leave("is here again") }
        guard change.place != nil || !change.fields.isEmpty else {
          return leave("its former text is not in the history")
        }
        item = old
      case .changed, .updated:
        guard let now = item else { return leave(since()) }
        if change.place != nil {
          guard change.made(now) else { return leave(since()) }
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
      case .merged:
        // What others had changed stays.
        item = item.map { item in
          FieldMerge(
            base: change.item(after: false), client: item, server: change.item(after: true)
          ).item()
        }
      case .deleting: continue
      }
    }
    guard item != client.item else { return }
    steps.append(Step(key: key, digest: client.digest, from: client.item, to: item))
  }
}
