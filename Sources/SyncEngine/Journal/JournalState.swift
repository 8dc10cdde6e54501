package import SyncModel

/// The open entries of the journal, computed from all its records.
package struct JournalState: Equatable, Sendable {
  /// The conflicts that wait.
  package private(set) var conflicts: [ItemKey: OpenConflict] = [:]

  /// Makes the state of an empty journal.
  package init() {}

  /// Adds one record.
  package mutating func add(_ record: JournalRecord) {
    switch record {
    case .conflict(let key, let conflict): conflicts[key] = conflict
    case .closed(let key): conflicts[key] = nil
    }
  }

  /// The records that say the same in the fewest lines: what a rotated journal begins with.
  package var records: [JournalRecord] {
    conflicts.sorted { $0.key < $1.key }.map { .conflict($0.key, $0.value) }
  }
}
