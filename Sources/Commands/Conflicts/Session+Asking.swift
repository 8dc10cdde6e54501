import SyncEngine
import SyncModel
import Workspace

extension Session {
  /// Shows a conflict and asks a person to decide, without the lock.
  ///
  /// It asks nothing if the person has chosen a side for all conflicts of this kind.
  ///
  /// - Returns: `nil` if the conflict stays open.
  mutating func ask(
    about conflict: Conflict, of key: ItemKey, by decider: inout Decider
  ) throws -> Resolution? {
    if let side = decider.sides[conflict.words] { return try resolution(side, of: conflict, key) }
    try show(conflict, of: key)
    let (context, effects) = (context, conflict.effects)
    if (conflict.client == nil) != (conflict.server == nil) { effects.forEach(context.explain) }
    let keepsBoth = conflict.client != nil
    let choices = "[e]dit, \(keepsBoth ? "[b]oth, " : "")[l]eave, [q]uit"
    // If it is the only conflict, no others are like it.
    let all: [String: Resolution.Side] = place == nil ? [:] : ["C": .client, "S": .server]
    let alike = all.isEmpty ? "" : "[C]/[S] all alike, "
    let question = "[c]lient, [s]erver, \(alike)\(choices)? [e]"
    let words =
      ["edit", "leave", "client", "server", "quit"] + (keepsBoth ? ["both"] : []) + all.keys
    let answer = try unlocked {
      try context.ask(Line(question), words) {
        let others = [
          "e  open the editor on the merged item, with the conflict marked",
          "l  leave it; tsync asks again next time", "q  leave it and all that follow",
        ]
        let capitals = all.keys.sorted().map {
          "\($0)  as \($0.lowercased()), for all that follow of the same kind, too"
        }
        (effects + capitals + others).forEach(context.explain)
      }
    }
    switch answer {
    case "edit"?:
      if let tool = configuration.text("resolve.tool") {
        return try run(.tool, tool.string, on: conflict, of: key)
      }
      let editor = Editor(context.invocation.environment, configuration)
      return try run(.editor, editor.command, on: conflict, of: key)
    case "leave"?: return nil
    // At the end of the input, no person can answer any more.
    case "quit"?, nil:
      decider.hasQuit = true
      return nil
    case let word?:
      if let side = all[word] { decider.sides[conflict.words] = side }
      let side = all[word] ?? Resolution.Side(rawValue: word)
      return try side.flatMap { try resolution($0, of: conflict, key) }
    }
  }

  private func show(_ conflict: Conflict, of key: ItemKey) throws {
    let names = try ItemNames(
      for: [key], showsTable: true, on: workspace, titleField: configuration.titleField)
    let table = try table(
      of: conflict, key, names, on: context.invocation.error)
    context.printer.endItems()
    table.lines.forEach(context.printer.message)
  }
}

extension Context {
  fileprivate func explain(_ choice: String) {
    let lines = Terminal.wrapped(choice, to: invocation.error.columns, indent: 3)
    for line in lines { printer.message(Line(line)) }
  }
}

extension Conflict {
  /// The effects of the answers `c`, `s` and, if there is a version to keep, `b`.
  fileprivate var effects: [String] {
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
        "c  keep your version of what is in conflict; the next push sends it",
        "s  take the server's version of them",
        "b  keep both: this item becomes the server's, and yours a new item",
      ]
    }
  }
}
