import SyncEngine
import SyncModel
import Workspace

/// What this command applied when it began.
struct RecoveryReport {
  var conflicts: [Event] = []
  /// The items whose conflicts are over, by what their users have edited, or by a rule.
  var settled: Set<ItemKey> = []
}

extension Session {
  /// Finishes an interrupted command, applies rows that no longer wait, and prints both.
  @discardableResult
  mutating func recover() throws -> RecoveryReport {
    guard workspace.isWriting else { return RecoveryReport() }
    let tables = configuration.tables
    let open = try Set(tables.flatMap(workspace.conflicts))
    // What it applies was pulled before; this command has not done it.
    try workspace.record(as: "pull")
    let result = Result { try Recovery.run(tables, on: &workspace, settings: settings) }
    try workspace.record(as: recorded)
    let events = try result.get()
    let gone = events.filter { $0.what == .conflictOver(deleted: true) }.map(\.key)
    let decided = try open.subtracting(tables.flatMap(workspace.conflicts) + gone)
    warn("ended conflicts", decided)
    warn("applied rows that had been waiting", Set(events.map(\.key)).subtracting(decided))
    // A conflict that has ended is always printed: its user had been asked to resolve it.
    let told = events.filter { context.options.verbose || decided.contains($0.key) }
    if !told.isEmpty {
      let names = try ItemNames(
        for: told.map(\.key), showsTable: tables.count > 1, on: workspace,
        titleField: configuration.titleField)
      for event in told { context.printer.warn(Outcome(event, names).line(names).text) }
    }
    let conflicts = events.filter { if case .conflict = $0.what { true } else { false } }
    if !conflicts.isEmpty {
      context.printer.warn("\(conflicts.count) of them in conflict: \(typed: "status")")
    }
    return RecoveryReport(conflicts: conflicts, settled: decided)
  }

  private func warn(_ fact: String, _ items: Set<ItemKey>) {
    guard !items.isEmpty else { return }
    context.printer.warn("\(fact): \(counted(items.count, "item"))")
  }
}
