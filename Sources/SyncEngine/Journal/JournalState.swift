package import SyncModel

/// The open entries of the journal, computed from all its records.
package struct JournalState: Equatable, Sendable {
  /// The conflicts that wait.
  package private(set) var conflicts: [ItemKey: OpenConflict] = [:]
  /// The conflicts that are being resolved.
  package private(set) var resolutions: [ItemKey: Resolution] = [:]
  /// The tables that are being forgotten.
  package private(set) var purges: Set<TableName> = []

  /// Makes the state of an empty journal.
  package init() {}

  /// Adds one record.
  package mutating func add(_ record: JournalRecord) {
    switch record {
    case .conflict(let key, let conflict): conflicts[key] = conflict
    case .resolve(let key, let resolution): resolutions[key] = resolution
    case .purge(let table): purges.insert(table)
    case .closed(let subject): close(subject)
    }
  }

  private mutating func close(_ subject: JournalRecord.Subject) {
    switch subject {
    case .conflict(let key):
      conflicts[key] = nil
      resolutions[key] = nil
    case .resolution(let key): resolutions[key] = nil
    case .purge(let table):
      purges.remove(table)
      resolutions = resolutions.filter { $0.key.table != table }
    }
  }

  /// The records that say the same in the fewest lines: what a rotated journal begins with.
  package var records: [JournalRecord] {
    var records = conflicts.sorted { $0.key < $1.key }.map {
      JournalRecord.conflict($0.key, $0.value)
    }
    records += resolutions.sorted { $0.key < $1.key }.map { .resolve($0.key, $0.value) }
    records += purges.sorted().map { .purge($0) }
    return records
  }

  /// How many ``records`` there are.
  package var recordCount: Int {
    conflicts.count + resolutions.count + purges.count
  }

  /// Whether no resolution is open.
  package var isQuiet: Bool { resolutions.isEmpty }
}
