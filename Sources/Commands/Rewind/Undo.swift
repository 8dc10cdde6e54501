import SyncEngine
import SyncModel
import Workspace

/// What takes a command back: what was not sent is taken out of what waits, what was sent is changed back.
///
/// Each field is merged: the base is what the command made, the client's side is the file as it is now.
struct Undo {
  /// What is to be done to one item.
  struct Step {
    let key: ItemKey
    let digest: Digest?
    let from: Item?
    let to: Item?
    /// Whether the file goes as by `rm`; otherwise it is missing again, and a push asks.
    var isMeant = true

    /// Carries it out; returns false if the file was changed meanwhile.
    func run(on session: inout Session) throws -> Bool {
      if to == nil, isMeant { return try session.workspace.remove(key, expecting: digest) }
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
    var hint: Hint?
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

  /// Plans to take back the newest command that has changed or sent something and is not taken back yet.
  ///
  /// It is never a pull. With a number, it is older than that command, which counts as taken back.
  static func newest(_ session: Session, before number: Int? = nil) throws -> Undo? {
    var commands: [History.Command] = []
    var found: Undo?
    try session.workspace.commands { command in
      // What waited before such a push doesn't wait any more.
      if command.isWholePush { found = try newest(of: commands, before: number, session) }
      if command.undoes != nil || command.effects.contains(where: { $0.did != .found }) {
        commands.append(command)
      }
      return found == nil
    }
    return try found ?? newest(of: commands, before: number, session)
  }

  private static func newest(
    of commands: [History.Command], before last: Int?, _ session: Session
  ) throws -> Undo? {
    var undone = Set(last.map { [$0] } ?? [])
    // Items whose next push is taken back, and with it the commands that it has sent.
    var back: Set<ItemKey> = []
    for (place, command) in commands.enumerated() {
      let sent = command.effects.filter(\.isSent)
      if undone.contains(command.number) {
        back.formUnion(sent.map(\.key))
      } else if let number = command.undoes {
        // What was stopped goes on.
        if command.name == "undo", !command.isDone, last == nil, !undone.contains(number) {
          return try of(number, session)
        }
        undone.insert(number)
      } else if !command.isPull {
        back.subtract(sent.map(\.key))
        // What an undo has changed, and this has sent, is the undo's.
        let undos = sent.isEmpty ? [:] : lastUndos(commands[(place + 1)...])
        let others = back.union(sent.filter { undos[$0.key].map($0.says) == true }.map(\.key))
        let own = command.name == "push" ? sent : command.effects
        guard last.map({ command.number < $0 }) ?? true,
          own.contains(where: { !others.contains($0.key) })
        else { continue }
        return try Undo(command, Array(commands[..<place]), session, without: others)
      }
    }
    return nil
  }

  /// Returns the changes of the items that an undo or redo has changed last; the newest command comes first.
  private static func lastUndos(
    _ commands: ArraySlice<History.Command>
  ) -> [ItemKey: History.Change] {
    var (met, changes): (Set<ItemKey>, [ItemKey: History.Change]) = ([], [:])
    for command in commands where !command.isPull {
      for change in command.effects.reversed() where met.insert(change.key).inserted {
        if command.undoes != nil { changes[change.key] = change }
      }
    }
    return changes
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
        if command.isDone { undone.insert(number) }
      } else if !undone.contains(command.number) {
        found = try Undo(command, later, session)
      }
      return true
    }
    if let words = found?.redone, words.name == "mv" {
      // Two items would be left, which are not one that waits for the other.
      throw Problem.usage(
        "a rename is not done again by redo",
        hints: ["to rename the item again: tsync \(words.words.string)"])
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
    let byKey = Dictionary(grouping: changes, by: \.key)
    var met: Set<ItemKey> = []
    let keys = changes.map(\.key).filter { met.insert($0).inserted }
    let since = later.map { command in
      (command, Dictionary(grouping: command.effects.filter { met.contains($0.key) }, by: \.key))
    }
    var asBefore: [Left] = []
    for key in keys {
      let count = steps.count + left.count
      let later = since.flatMap { command, changes in
        (changes[key] ?? []).reversed().map { (command, $0) }
      }
      var plan = try ItemUndo(key, byKey[key] ?? [], command, later, session)
      try plan.run(session)
      if let step = plan.step { steps.append(step) }
      left += plan.left
      guard count == steps.count + left.count else { continue }
      let isServers = effects.contains { $0.key == key && !$0.isSent } && !sent.isEmpty
      asBefore.append(
        Left(
          key: key, item: plan.shown,
          reason: isServers ? "the server has changed it" : "is as before"))
    }
    if steps.isEmpty, left.isEmpty { left = asBefore }
  }
}

extension History.Command {
  /// Whether it has reached its end, whatever it has left.
  fileprivate var isDone: Bool { status == 0 || status == 1 }

  /// Whether it has sent all that was to be sent.
  fileprivate var isWholePush: Bool { words == "push" && status == 0 }
}

extension History.Change {
  /// Whether what was sent is what was changed.
  fileprivate func says(_ made: History.Change) -> Bool {
    switch did {
    case .deleted: made.did == .removed
    case .updated:
      fields.allSatisfy { field in
        made.fields.contains { $0.name == field.name && $0.new == field.new }
      }
    default: made.did == .added && (made.place != nil || self.made(made.item(after: true)))
    }
  }
}
