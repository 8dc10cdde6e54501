package import SyncEngine

extension Workspace: JournalDisk {
  package var journal: JournalState { records.state }

  package mutating func append(_ records: [JournalRecord], durably: Bool) throws {
    requireLock()
    try self.records.append(records, durably: durably)
    for case .closed(resolving) in records { resolving = nil }
  }
}
