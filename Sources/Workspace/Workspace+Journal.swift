package import SyncEngine

extension Workspace: JournalDisk {
  package var journal: JournalState { records.state }

  package mutating func append(_ records: [JournalRecord], durably: Bool) throws {
    requireLock()
    try self.records.append(records, durably: durably)
    // What an intent was made of may be an edit that its editor has left in memory.
    if durably, settling == .done { settling = .due }
  }
}
