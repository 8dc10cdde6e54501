import SyncEngine
import SyncModel
import Workspace

extension Session {
  /// Shows a conflict and asks a person to decide, without the lock.
  mutating func ask(
    about conflict: Conflict, of key: ItemKey
  ) throws -> Decider.Decision {
    try show(conflict, of: key)
    if (conflict.client == nil) != (conflict.server == nil) { conflict.choices.forEach(say) }
    let keepsBoth = conflict.client != nil
    let question = Line(
      "[c]lient, [s]erver, [e]dit, \(keepsBoth ? "[b]oth, " : "")[l]eave, [q]uit? [e]")
    let context = context
    while true {
      try context.checkSignal()
      // At the end of the input, no person can answer any more.
      guard let answer = try unlocked({ try context.ask(question) }) else { return .quit }
      switch Text(answer) {
      case "c", "client": return try settled(.client, conflict)
      case "s", "server": return try settled(.server, conflict)
      case "b" where keepsBoth, "both" where keepsBoth: return try settled(.both, conflict)
      case "", "e", "edit": return try edit(conflict, of: key)
      case "l", "leave": return .left
      case "q", "quit": return .quit
      default:
        let others = [
          "e  open the editor on the merged item, with the conflict marked",
          "l  leave it; tsync asks again next time", "q  leave it and all that follow",
        ]
        (conflict.choices + others).forEach(say)
      }
    }
  }

  func settled(_ side: Resolution.Side, _ conflict: Conflict) throws -> Decider.Decision {
    let id = try ItemID.random(context.invocation.random)
    return Resolution(side, in: conflict, id: id).map { .settled($0) } ?? .left
  }

  private func show(_ conflict: Conflict, of key: ItemKey) throws {
    let all = try workspace.liveIDs(in: key.table).map { ItemKey(key.table, $0) }
    let names = ItemNames(
      for: [key], among: all, showsTable: true, titleField: configuration.titleField)
    let table = try table(
      of: conflict, key, names, columns: context.invocation.error.columns)
    for line in table.lines { context.output.message(line) }
  }

  private func say(_ choice: String) {
    let lines = Terminal.wrapped(choice, to: context.invocation.error.columns, indent: 3)
    for line in lines { context.output.message(Line(line)) }
  }
}

extension Conflict {
  /// The effects of the answers `c`, `s` and, if there is a version to keep, `b`.
  fileprivate var choices: [String] {
    switch (client, server) {
    case (nil, nil): ["c  delete it", "s  delete it"]
    case (nil, .some): ["c  delete it on the server", "s  bring the server's version back"]
    case (.some, nil):
      [
        "c  bring it back on the server with your version", "s  delete it here",
        "b  delete it here, and add your version as a new item",
      ]
    case (.some, .some):
      [
        "c  keep your version of the fields in conflict; the next push sends it",
        "s  take the server's version of them",
        "b  keep both: this item becomes the server's, and yours a new item",
      ]
    }
  }
}
