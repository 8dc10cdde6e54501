import SyncEngine
import SyncModel
import Workspace

/// The interrupted work that this command finished when it began.
struct RecoveryReport {
  var conflicts: [Event] = []
  /// The items with conflicts that were resolved as decided before.
  var settled: Set<ItemKey> = []
}

extension Session {
  /// Finishes an interrupted command, applies rows that no longer wait, and prints both.
  @discardableResult
  mutating func recover() throws -> RecoveryReport {
    guard workspace.isWriting else { return RecoveryReport() }
    let before = workspace.journal
    let tables = configuration.tables
    let stopped = try Set(
      tables.flatMap { table in
        try workspace.uncommitted(in: table).map { ItemKey(table, $0) }
      })
    let events = try Recovery.run(
      tables, on: &workspace, settings: settings)
    let decided = try before.resolutions.filter { key, resolution in
      // Without a conflict it was a restore, which is done if the item is there.
      before.conflicts[key] == nil
        ? try workspace.client(key).item == resolution.item
        : workspace.journal.conflicts[key] == nil
    }.keys
    let pulled = events.filter { stopped.contains($0.key) }
    let finished = Set(pulled.map(\.key)).union(decided)
    if !finished.isEmpty {
      context.output.warn("completed an interrupted command: \(Self.items(finished.count))")
      if context.options.verbose { try show(pulled) }
    }
    let waited = events.filter { !stopped.contains($0.key) }
    if !waited.isEmpty {
      let count = Set(waited.map(\.key)).count
      context.output.warn("applied rows that had been waiting: \(Self.items(count))")
      try show(waited)
    }
    let conflicts = events.filter { if case .conflict = $0.what { true } else { false } }
    if !conflicts.isEmpty {
      context.output.warn("\(conflicts.count) of them in conflict: \(typed: "status")")
    }
    return RecoveryReport(
      conflicts: conflicts, settled: Set(decided.filter { before.conflicts[$0] != nil }))
  }

  private static func items(_ count: Int) -> String { count == 1 ? "1 item" : "\(count) items" }

  /// Warns of each item, in the words of a pull.
  private func show(_ events: [Event]) throws {
    let names = try ItemNames(
      for: events.map(\.key), in: configuration.tables, on: workspace,
      titleField: configuration.titleField)
    for event in events {
      guard let outcome = Outcome(pulled: event, title: names.title(of: event.item)) else {
        continue
      }
      context.output.warn(outcome.line(names).text)
    }
  }
}
