import SyncEngine
import SyncModel
import Workspace

/// A person who is asked about a conflict.
extension Session {
  /// Shows a conflict and asks what shall become of it, without the lock.
  mutating func ask(
    about conflict: Conflict, of key: ItemKey
  ) throws -> Arbiter.Decision {
    try show(conflict, of: key)
    let keepsBoth = conflict.client != nil
    let question = Line(
      "[c]lient, [s]erver, [e]dit, \(keepsBoth ? "[b]oth, " : "")[l]eave, [q]uit? [e]")
    while true {
      try pause()
      try context.checkSignal()
      // At the end of the input nobody is there any more.
      guard let answer = try context.ask(question) else { return .quit }
      switch Text(answer) {
      case "c", "client": return try settled(.client, conflict)
      case "s", "server": return try settled(.server, conflict)
      case "b" where keepsBoth, "both" where keepsBoth: return try settled(.both, conflict)
      case "", "e", "edit": return try edit(conflict, of: key)
      case "l", "leave": return .left
      case "q", "quit": return .quit
      default: explain(keepsBoth: keepsBoth)
      }
    }
  }

  /// Returns the decision that lets a side win.
  func settled(_ side: Verdict.Side, _ conflict: Conflict) throws -> Arbiter.Decision {
    let id = try ItemID.random(context.invocation.random)
    return Verdict(side, in: conflict, id: id).map { .settled($0) } ?? .left
  }

  private mutating func show(_ conflict: Conflict, of key: ItemKey) throws {
    let (context, titleField) = (context, configuration.titleField)
    let (names, times) = try use { open in
      let all = try open.workspace.liveIDs(in: key.table).map { ItemKey(key.table, $0) }
      let names = ItemNames(for: [key], among: all, showsTable: true, titleField: titleField)
      let client = try FileTime.of(open.workspace.path(of: key))
      let server = open.workspace.journal.conflicts[key]?.server.updatedAt
      return (
        names,
        (
          client: client.map { ClockTime.shown($0, now: context.now) },
          server: server.map { ClockTime.shown($0.ticks / Timestamp.perSecond, now: context.now) }
        )
      )
    }
    var title = names.line(for: key)
    title.append("  \(names.title(of: conflict.client ?? conflict.server) ?? ItemNames.untitled)")
    let table = ConflictTable(
      conflict, title: title, times: times, columns: context.invocation.error.columns)
    for line in table.lines { context.output.message(line) }
  }

  private func explain(keepsBoth: Bool) {
    let lines = [
      "c  keep the client's side in the fields in conflict; the next push sends it",
      "s  take the server's side in them",
      "e  open the editor on the merged item, in which only these fields are marked",
      keepsBoth ? "b  keep both: the item becomes the server's, the client's a new item" : nil,
      "l  leave it; it is asked about the next time",
      "q  leave it and all that follow",
    ]
    for line in lines.compactMap({ $0 }) { context.output.message(Line(line)) }
  }
}
