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
    guard try !isRemoved(key), try isKnown(key) || !formers(of: key).isEmpty else { return nil }
    return try strays(in: key.table)[key.id]
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

extension ItemDisk where Self: RowDisk {
  /// Whether an item whose file is missing counts as deleted: a command has removed it, or its table has no
  /// stray file, which may be it.
  func isDeleted(_ key: ItemKey) throws -> Bool {
    try isRemoved(key) || strays(in: key.table).isEmpty
  }
}

extension [Candidate] {
  /// The stray files, by the ids that they say; the first of each.
  package var strays: [ItemID: InvalidItem] {
    let files = compactMap { candidate -> (ItemID, InvalidItem)? in
      guard case .invalid(let file) = candidate.client else { return nil }
      return file.otherID.map { ($0, file) }
    }
    return Dictionary(files, uniquingKeysWith: { $0.place < $1.place ? $0 : $1 })
  }
}
