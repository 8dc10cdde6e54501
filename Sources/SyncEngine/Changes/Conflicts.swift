package import SyncModel

// An item is in conflict while a row of the server's waits whose sides lie beside each other.
extension RowDisk {
  /// Returns what waits with the row of the server's that an item is in conflict with; `nil` where there is none.
  ///
  /// - Throws: What reading the rows throws.
  package func arrivalInConflict(of key: ItemKey) throws -> Arrival? {
    guard try state(of: key.table).laid[key.id] != nil else { return nil }
    if let arrival = try arrival(of: key), arrival.row.id == key.id { return arrival }
    // It may be that of an item under its former id.
    return try arrivals(in: key.table).first { $0.row.id == key.id }
  }

  /// Returns the row of the server's that an item is in conflict with; `nil` where there is none.
  ///
  /// - Throws: What reading the rows throws.
  package func rowInConflict(of key: ItemKey) throws -> Row? { try arrivalInConflict(of: key)?.row }

  /// Whether an item is in conflict.
  ///
  /// - Throws: What reading the rows throws.
  package func isInConflict(_ key: ItemKey) throws -> Bool { try rowInConflict(of: key) != nil }

  /// Returns the items of a table that are in conflict, in the order of their ids.
  ///
  /// - Throws: What reading the rows throws.
  package func conflicts(in table: TableName) throws -> [ItemKey] {
    try state(of: table).laid.keys.sorted().map { ItemKey(table, $0) }.filter(isInConflict)
  }
}

extension ItemDisk where Self: RowDisk {
  /// Returns what an item is in conflict about, whose client's side is this one, by a rule; `nil` where it is in
  /// none.
  ///
  /// - Throws: What reading the rows throws.
  func conflict(
    _ key: ItemKey, _ client: Item?, _ policy: MergePolicy = MergePolicy()
  ) throws -> Conflict? {
    guard let arrival = try arrivalInConflict(of: key) else { return nil }
    return try known(arrival, of: ItemKey(key.table, arrival.id)).conflict(client, policy)
  }
}
