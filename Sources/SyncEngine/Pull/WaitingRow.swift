import SyncModel

/// A row of the server's that is to be brought to its item like a pulled one.
///
/// It is recorded before the item is touched, so that what is cut off after that can't be taken for its
/// user's edit, least of all for a delete.
struct WaitingRow {
  /// Which item.
  let key: ItemKey
  /// The row.
  let row: Row
  /// What the server has had since this client saw it last, and the client's changes are measured
  /// against; `nil` where that is the base already.
  let base: Row?
}

extension Intent {
  /// Returns the row to be measured against where another row says that it holds what was sent, or lives
  /// again.
  ///
  /// No write goes over it: its version is the one from before.
  func former(of row: Row, holding item: Item) -> Row {
    Row(id: key.id, item: item, version: version, updatedAt: row.updatedAt)
  }
}

extension Row {
  /// Returns the row that answered a write, with what was sent and without what the server has made of
  /// it.
  ///
  /// The server never had that: its time is the one just before the answer's. So no other row is taken
  /// for the answer, nor is it taken for a row that was pulled, where the server gives a version
  /// twice.
  func answering(_ sent: Item) -> Row {
    Row(id: id, item: sent, version: version, updatedAt: updatedAt.map(Self.justBefore))
  }

  /// Whether this row is what was sent, and another one the answer to it; without times nobody can tell.
  func isAnswered(by row: Row) -> Bool {
    version != nil && version == row.version && updatedAt != nil
      && updatedAt == row.updatedAt.map(Self.justBefore) && !row.deleted
  }

  private static func justBefore(_ time: Timestamp) -> Timestamp {
    Timestamp(ticks: time.ticks - 1)
  }
}

extension ItemDisk where Self: RowDisk & JournalDisk {
  /// Records rows that are to be brought to their items by ``takeIncoming(in:settings:)``; they survive
  /// a power loss.
  mutating func record(_ rows: [WaitingRow]) throws {
    let tables = Dictionary(grouping: rows, by: \.key.table)
    for (table, rows) in tables.sorted(by: { $0.key < $1.key }) {
      try append(rows.map(\.row), over: rows.compactMap(\.base), to: table)
    }
  }
}
