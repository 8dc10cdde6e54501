package import SyncModel

/// What is known of the rows of one table, and of what is open there: a view of its journal.
package protocol TableRows {
  /// What the lines of the journal add up to, beside its rows and writes.
  var state: TableState { get }

  /// Returns what the client's changes of an item are measured against: the row that was taken last, or
  /// what an open arrival says.
  ///
  /// - Throws: What reading the journal throws; so do the others.
  func base(of id: ItemID) throws -> Base

  /// Returns the row that is to be brought to an item; `nil` if there is none.
  func arrival(of id: ItemID) throws -> Arrival?

  /// Returns the write of an item whose outcome isn't known; `nil` if there is none.
  func attempt(of id: ItemID) throws -> Attempt?

  /// Returns what the server answered when it refused a write of an item, if nothing has ended that
  /// since.
  func rejection(of id: ItemID) throws -> Rejection?

  /// Gives the UTF-8 bytes of the id of each item with a line of a kind, in no order; they are valid only during
  /// the call.
  func forEachID(_ kind: TableLine, _ body: (UnsafeRawBufferPointer) -> Void) throws
}

/// A kind of line that a table's journal can have for an item.
package enum TableLine: CaseIterable, Sendable {
  /// A base that is no tombstone, or one.
  case live, tombstone
  /// A row that is to be brought to its item.
  case arrival
  /// A write whose outcome isn't known.
  case attempt
  /// A write that the server refused.
  case refusal
}

extension TableRows {
  /// Returns the ids of the items with a line of a kind, in no order.
  package func ids(_ kind: TableLine) throws -> [ItemID] {
    var ids: [ItemID] = []
    try forEachID(kind) { bytes in if let id = ItemID(bytes) { ids.append(id) } }
    return ids
  }

  /// Returns the rows that are to be brought to their items, the newest of each id, in the order of their ids.
  package func arrivals() throws -> [Arrival] {
    try ids(.arrival).sorted().compactMap { try arrival(of: $0) }
  }

  /// Returns the writes whose outcome isn't known, in the order of the ids of their items.
  package func attempts() throws -> [Attempt] {
    try ids(.attempt).sorted().compactMap { try attempt(of: $0) }
  }
}

extension RowDisk {
  /// Returns what an item's changes are measured against; see ``TableRows/base(of:)``.
  package func base(of key: ItemKey) throws -> Base { try table(key.table).base(of: key.id) }

  /// Returns the ids of the bases of a table that are no tombstones.
  package func liveIDs(in table: TableName) throws -> [ItemID] { try self.table(table).ids(.live) }

  /// Counts these ids: by no number that somebody may have made up, as removals are limited by it.
  package func liveCount(in table: TableName) throws -> Int {
    var count = 0
    try self.table(table).forEachID(.live) { _ in count += 1 }
    return count
  }

  /// Returns the ids of the bases of a table that are tombstones.
  package func tombstoneIDs(in table: TableName) throws -> [ItemID] {
    try self.table(table).ids(.tombstone)
  }

  /// Returns what the lines of a table's journal add up to, beside its rows and writes.
  package func state(of table: TableName) throws -> TableState { try self.table(table).state }

  /// Returns the rows of a table that are to be brought to their items, in the order of their ids.
  package func arrivals(in table: TableName) throws -> [Arrival] {
    try self.table(table).arrivals()
  }

  /// Returns the row that is to be brought to an item; `nil` if there is none.
  package func arrival(of key: ItemKey) throws -> Arrival? {
    try table(key.table).arrival(of: key.id)
  }

  /// Returns the writes of a table whose outcome isn't known, in the order of their ids.
  package func attempts(in table: TableName) throws -> [Attempt] {
    try self.table(table).attempts()
  }

  /// Returns the write of an item whose outcome isn't known; `nil` if there is none.
  package func attempt(of key: ItemKey) throws -> Attempt? {
    try table(key.table).attempt(of: key.id)
  }

  /// Returns what the server answered when it refused a write of an item.
  package func rejection(of key: ItemKey) throws -> Rejection? {
    try table(key.table).rejection(of: key.id)
  }

  /// Returns the ids of the items of a table whose writes the server refused, in their order.
  package func rejectedIDs(in table: TableName) throws -> [ItemID] {
    try self.table(table).ids(.refusal).sorted()
  }
}

extension ItemID {
  /// Reads an id of its UTF-8 bytes; `nil` where they can't be one.
  package init?(_ bytes: UnsafeRawBufferPointer) {
    guard let text = Text(validating: bytes), let id = try? ItemID(text) else { return nil }
    self = id
  }
}
