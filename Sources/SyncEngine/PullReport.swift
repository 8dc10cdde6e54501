package import SyncModel

/// What a pull of one table did.
package struct PullReport: Equatable, Sendable {
  /// The table.
  package let table: TableName
  /// What happened, in the order in which it did.
  package var events: [Event] = []
  /// What can't be a row.
  package var refused: [RefusedRow] = []
  /// The first row that stood twice in one page, the later of which counts; `nil` where none did.
  package var twin: ItemID?

  /// Makes the report of a pull that has done nothing yet.
  package init(table: TableName) {
    self.table = table
  }

  /// How many items are new here.
  package var added: Int { events.count { $0.what == .added } }
  /// How many items were changed here, merged ones included.
  package var updated: Int {
    events.count {
      if case .merged = $0.what { return true }
      return $0.what == .updated
    }
  }
  /// How many items were removed here.
  package var removed: Int { events.count { $0.what == .removed } }
  /// The conflicts that were found.
  package var conflicts: [Event] {
    events.filter { if case .conflict = $0.what { true } else { false } }
  }
}
