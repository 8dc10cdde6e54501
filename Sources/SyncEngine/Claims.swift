package import SyncModel

/// The ids that misnamed files contain; an item with such an id was renamed, not deleted.
package struct Claims: Equatable, Sendable {
  private var files: [TableName: [ItemID: InvalidItem]] = [:]

  /// Makes claims of which none is known yet.
  package init() {}

  /// Finds the claims in what lies in a table.
  mutating func look(at candidates: [Candidate], of table: TableName) {
    var found: [ItemID: InvalidItem] = [:]
    for case .invalid(let invalid) in candidates.map(\.client) {
      guard let id = invalid.claims else { continue }
      if let other = found[id], other.place < invalid.place { continue }
      found[id] = invalid
    }
    files[table] = found
  }

  /// Returns a file that says an item's id and isn't named by it; `nil` where there is none.
  ///
  /// A table's files are looked at when the first of its items is asked for, and not again.
  ///
  /// - Throws: What reading the files throws.
  mutating func file(of key: ItemKey, on disk: some ItemDisk) throws -> InvalidItem? {
    if files[key.table] == nil { look(at: try disk.candidates(in: key.table), of: key.table) }
    return files[key.table]?[key.id]
  }
}

extension ItemDisk where Self: RowDisk & JournalDisk {
  /// Whether an item is one whatever lies under its name: its row is live, or in conflict, or a write of
  /// it is open.
  ///
  /// - Throws: What reading the base throws.
  package func isKnown(_ key: ItemKey) throws -> Bool {
    try base(of: key).item != nil || journal.conflicts[key] != nil || journal.intents[key] != nil
  }

  /// Returns the file to which its user has moved an item, known or what a known one has become, whose
  /// own file was found missing; `nil` where there is none, and where a command has deleted the item.
  ///
  /// What is new at the server is made beside a file that says its id. Whether the item's own file is
  /// missing isn't asked again: one that is saved meanwhile would make a delete of what the caller saw.
  ///
  /// - Throws: What reading the files and the base throws.
  package func moved(_ key: ItemKey, _ claims: inout Claims) throws -> InvalidItem? {
    guard journal.notes[key]?.note.commanded != true,
      try isKnown(key) || journal.isAwaited(key)
    else { return nil }
    return try claims.file(of: key, on: self)
  }

  /// Returns the file that keeps a row of the server's from its item: one that isn't valid, or the one
  /// to which the item was moved; `nil` where there is none.
  ///
  /// - Throws: What reading the files and the base throws.
  package func obstacle(to key: ItemKey, _ claims: inout Claims) throws -> InvalidItem? {
    switch try client(key) {
    case .item: return nil
    case .invalid(let invalid): return invalid
    case .absent: return try moved(key, &claims)
    }
  }
}
