package import SyncModel

extension ItemDisk where Self: RowDisk {
  /// Whether an item is one whatever lies under its name: its row is live, or in conflict, or a write of
  /// it is open.
  ///
  /// - Throws: What reading the base throws.
  package func isKnown(_ key: ItemKey) throws -> Bool {
    try base(of: key).item != nil || isInConflict(key) || attempt(of: key) != nil
  }

  /// Returns the file to which its user has moved an item, known or what a known one has become, whose
  /// own file was found missing; `nil` where there is none, and where a command has deleted the item.
  ///
  /// What is new at the server is made beside a file that says its id. Whether the item's own file is
  /// missing isn't asked again: one that is saved meanwhile would make a delete of what the caller saw.
  ///
  /// - Throws: What reading the files and the base throws.
  package func moved(_ key: ItemKey) throws -> InvalidItem? {
    try mayBeMoved(key) ? file(claiming: key) : nil
  }

  /// Whether an item whose file is missing may have been moved: no command has deleted it, and it is
  /// known, or what a known one has become.
  func mayBeMoved(_ key: ItemKey) throws -> Bool {
    try !isRemoved(key) && (isKnown(key) || !formers(of: key).isEmpty)
  }

  /// Returns the file that keeps a row of the server's from its item: one that isn't valid, or the one
  /// to which the item was moved; `nil` where there is none.
  ///
  /// - Throws: What reading the files and the base throws.
  package func obstacle(to key: ItemKey) throws -> InvalidItem? {
    switch try client(key) {
    case .item: return nil
    case .invalid(let invalid): return invalid
    case .absent: return try moved(key)
    }
  }
}

extension [Candidate] {
  /// The files that say other ids than their names do, by those; the first of each.
  package var claiming: [ItemID: InvalidItem] {
    let files = compactMap { candidate -> (ItemID, InvalidItem)? in
      guard case .invalid(let file) = candidate.client else { return nil }
      return file.claims.map { ($0, file) }
    }
    return Dictionary(files, uniquingKeysWith: { $0.place < $1.place ? $0 : $1 })
  }
}
