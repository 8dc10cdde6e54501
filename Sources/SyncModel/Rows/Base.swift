/// The last known row of the server.
package enum Base: Equatable, Sendable {
  /// No row with this id was ever seen.
  case neverSeen
  /// The row as last seen.
  case row(Row)
  /// The row was deleted; its version guards an undelete.
  case tombstone(Row)

  /// Files a row under what it is.
  package init(_ row: Row) {
    self = row.deleted ? .tombstone(row) : .row(row)
  }

  /// The item that a file should hold to be unchanged; `nil` where there should be no file.
  package var item: Item? {
    guard case .row(let row) = self else { return nil }
    return row.item
  }

  /// The row or tombstone.
  package var row: Row? {
    switch self {
    case .neverSeen: nil
    case .row(let row), .tombstone(let row): row
    }
  }
}
