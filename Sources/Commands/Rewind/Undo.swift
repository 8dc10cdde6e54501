import SyncEngine
import SyncModel
import Workspace

/// What takes a command back: what was not sent is taken out of what waits, what was sent is changed back.
///
/// Each field is merged: the base is what the command made, the client's side is the file as it is now.
struct Undo {
  let command: History.Command
  /// The items that are changed, or left as they are.
  private(set) var items: [ItemUndo] = []

  // MARK: Finding

  /// Returns the command of a number, and those after it, the newest first.
  ///
  /// - Throws: ``Problem`` if the history doesn't have it.
  static func find(
    _ number: Int, _ session: Session
  ) throws -> (command: History.Command, later: [History.Command]) {
    var later: [History.Command] = []
    var found: History.Command?
    try session.workspace.commands { command in
      if command.number == number { found = command } else { later.append(command) }
      return found == nil
    }
    if let found { return (found, later) }
    guard let first = later.first, let last = later.last else {
      throw Problem.usage("\(number) is not in the history; it is empty")
    }
    let (age, near) = first.number < number ? ("newest", first) : ("oldest", last)
    let time = Times.clock(near.time.ticks / Timestamp.perSecond, now: session.context.now)
    throw Problem.usage("\(number) is not in the history; the \(age) is \(near.number), \(time)")
  }

  /// Returns the number of the newest command that has changed or sent something and is not taken back yet,
  /// and the items whose changes are others'.
  ///
  /// It is never a pull. With a number, it is older than that command, which counts as taken back.
  static func newest(
    _ session: Session, before number: Int? = nil
  ) throws -> (number: Int, others: Set<ItemKey>)? {
    var commands: [History.Command] = []
    var found: (number: Int, others: Set<ItemKey>)?
    try session.workspace.commands { command in
      // What waited before such a push doesn't wait any more.
      if command.isWholePush { found = newest(of: commands, before: number) }
      if command.undoes != nil || command.effects.contains(where: { $0.did != .found }) {
        commands.append(command)
      }
      return found == nil
    }
    return found ?? newest(of: commands, before: number)
  }

  private static func newest(
    of commands: [History.Command], before last: Int?
  ) -> (number: Int, others: Set<ItemKey>)? {
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
          return (number, [])
        }
        undone.insert(number)
      } else if !command.isPull {
        back.subtract(sent.map(\.key))
        // What an undo has changed, and this has sent, is the undo's.
        let undos = sent.isEmpty ? [:] : lastUndos(commands[(place + 1)...])
        let others = back.union(sent.filter { undos[$0.key].map($0.says) == true }.map(\.key))
        let own = command.name == "push" ? sent : command.effects
        if last.map({ command.number < $0 }) ?? true,
          own.contains(where: { !others.contains($0.key) })
        {
          return (command.number, others)
        }
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

  /// Returns the last undo; `nil` if there is none, or another command came since.
  static func last(_ session: Session) throws -> History.Command? {
    var undone: Set<Int> = []
    var last: History.Command?
    try session.workspace.commands { command in
      // A command that has changed nothing stands in no undo's way.
      if command.isPull || command.name == "push" || command.effects.isEmpty { return true }
      guard let number = command.undoes else { return false }
      if command.name == "redo" {
        if command.isDone { undone.insert(number) }
      } else if !undone.contains(command.number) {
        last = command
      }
      return last == nil
    }
    return last
  }

  // MARK: Planning

  /// Plans to take back the command of a number, but its changes of some items.
  ///
  /// - Throws: ``Problem`` if the history doesn't have it.
  init(of number: Int, without others: Set<ItemKey> = [], _ session: Session) throws {
    let (command, later) = try Self.find(number, session)
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
    for key in keys {
      let later = since.flatMap { command, changes in
        (changes[key] ?? []).reversed().map { (command, $0) }
      }
      var item = try ItemUndo(key, byKey[key] ?? [], command, later, session)
      try item.plan(session)
      items.append(item)
    }
    if !items.contains(where: \.isNamed) {
      for (place, key) in keys.enumerated() {
        let isServers = effects.contains { $0.key == key && !$0.isSent } && !sent.isEmpty
        items[place].leave(isServers ? "the server has changed it" : "is as before")
      }
    }
    items.removeAll { !$0.isNamed }
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
