package import SyncModel

/// A row of the server's that is to be brought to its item.
package struct Arrival: Equatable, Sendable {
  /// The row; ``Row/gone(_:holding:)`` stands for no row.
  package let row: Row
  /// What the client's changes are measured against, if that isn't the base: it is the base until the row
  /// is.
  package let over: Item?
  /// Whether the row answers a write from here, and nobody else has had a hand in it.
  package let isMine: Bool

  /// Makes an arrival.
  package init(_ row: Row, over: Item? = nil, isMine: Bool = false) {
    self.row = row
    self.over = over
    self.isMine = isMine
  }

  /// Returns what is the base while the arrival is open; `nil` if that stays as it was.
  ///
  /// No write goes over it. Its version is the one that the row replaces.
  package var base: Row? {
    over.map { Row(id: row.id, item: $0, version: row.former, updatedAt: row.updatedAt) }
  }
}

/// What one line of a table's log says.
package enum Fact: Equatable, Sendable {
  /// A row is the base. An arrival of it is over.
  case base(Row)
  /// A row has arrived; it takes the place of an open arrival of its id.
  case arrived(Arrival)
  /// All open arrivals are bases, but those of these ids.
  case taken(but: Set<ItemID>)
  /// So far the pulls of the table have come.
  case token(DeltaToken)
}
