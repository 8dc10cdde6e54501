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
  /// against; `nil` where that is the base.
  ///
  /// No write goes over it: the row that waits is in its way, and its version is the one from before.
  let origin: Row?

  /// Makes one that is measured against the base.
  init(_ row: Row, for key: ItemKey) {
    self.key = key
    self.row = row
    origin = nil
  }

  /// Makes one that is measured against what a write has brought to the server.
  init(_ row: Row, after intent: Intent, thatBrought item: Item) {
    key = intent.key
    self.row = row
    origin = Row(
      id: intent.key.id, item: item, version: intent.version, updatedAt: row.updatedAt)
  }
}

extension ItemDisk where Self: RowDisk & JournalDisk {
  /// Records rows that are to be brought to their items by ``takeIncoming(in:settings:)``; they survive
  /// a power loss.
  mutating func record(_ rows: [WaitingRow]) throws {
    let tables = Dictionary(grouping: rows, by: \.key.table)
    for (table, rows) in tables.sorted(by: { $0.key < $1.key }) {
      let origins = rows.compactMap(\.origin)
      if !origins.isEmpty { try setBase(origins, in: table, durably: false) }
      try append(rows.map(\.row), to: table)
    }
  }
}
