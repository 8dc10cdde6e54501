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
  /// Finishes an interrupted command, applies rows that no longer wait, and prints both; a dry run does it in
  /// memory.
  @discardableResult
  mutating func recover() throws -> RecoveryReport {
    guard workspace.isWriting || isDryRun else { return RecoveryReport() }
    let tables = configuration.tables
    let open = try Set(tables.flatMap(workspace.conflicts))
    let events = try isDryRun ? rehearseRecovery() : applyRecovery()
    let disk = rehearsed
    let gone = events.filter { $0.what == .conflictOver(deleted: true) }.map(\.key)
    let decided = try open.subtracting(tables.flatMap(disk.conflicts) + gone)
    warn(isDryRun ? "would end conflicts" : "ended conflicts", decided)
    warn(
      isDryRun ? "would apply rows that have been waiting" : "applied rows that had been waiting",
      Set(events.map(\.key)).subtracting(decided))
    // A conflict that has ended is always printed: its user had been asked to resolve it.
    let told = events.filter { context.options.verbose || decided.contains($0.key) }
    if !told.isEmpty {
      let names = try ItemNames(
        for: told.map(\.key), showsTable: tables.count > 1, on: disk,
        titleField: configuration.titleField)
      for event in told {
        context.printer.warn(Outcome(event, names, isPreview: isDryRun).line(names).text)
      }
    }
    let conflicts = events.filter { if case .conflict = $0.what { true } else { false } }
    if !conflicts.isEmpty {
      context.printer.warn(
        isDryRun
          ? "\(conflicts.count) of them would be in conflict"
          : "\(conflicts.count) of them in conflict: \(typed: "status")")
    }
    return RecoveryReport(conflicts: conflicts, settled: decided)
  }

  private mutating func applyRecovery() throws -> [Event] {
    // What it applies was pulled before; this command has not done it.
    try workspace.record(as: "pull")
    let result = Result {
      try Recovery.run(configuration.tables, on: &workspace, settings: settings)
    }
    try workspace.record(as: recorded)
    return try result.get()
  }

  private mutating func rehearseRecovery() throws -> [Event] {
    var disk = Rehearsal(on: workspace)
    defer { rehearsal = disk }
    return try Recovery.run(configuration.tables, on: &disk, settings: settings)
  }

  private func warn(_ fact: String, _ items: Set<ItemKey>) {
    guard !items.isEmpty else { return }
    context.printer.warn("\(fact): \(counted(items.count, "item"))")
  }
}
