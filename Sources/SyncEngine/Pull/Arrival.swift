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
  /// The id under which the item was sent, if the server gave its row another one: until it is moved there,
  /// that is the item's.
  package let was: ItemID?

  /// The id of the item.
  package var id: ItemID { was ?? row.id }

  package init(_ row: Row, over: Item? = nil, isMine: Bool = false, was: ItemID? = nil) {
    self.row = row
    self.over = over
    self.isMine = isMine
    self.was = was
  }

  /// Returns what is the base while the arrival is open; `nil` if that stays as it was.
  ///
  /// No write goes over it. Its version is the one that the row replaces.
  package var base: Row? {
    over.map { Row(id: id, item: $0, version: row.had.last, updatedAt: row.updatedAt) }
  }

  /// Returns the arrival where an `older` one of its row is open: it is measured against the same.
  package func following(_ older: Arrival?) -> Arrival {
    let isMine = isMine || older?.isMine == true && older?.row == row
    return Arrival(row, over: over ?? older?.over, isMine: isMine, was: was ?? older?.was)
  }
}
