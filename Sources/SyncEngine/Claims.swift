package import SyncModel

/// Which ids stand in files of other names: an item whose own file is missing was moved there, not
/// deleted (decisions.md 9).
package struct Claims {
  private var files: [TableName: [ItemID: InvalidItem]] = [:]

  /// Makes claims of which none is known yet.
  package init() {}

  /// Returns a file that says an item's id and isn't named by it; `nil` where there is none.
  ///
  /// A table's files are looked at when the first of its items is asked for, and not again.
  mutating func file(of key: ItemKey, on disk: some ItemDisk) throws -> InvalidItem? {
    if files[key.table] == nil {
      files[key.table] = Self.files(among: try disk.candidates(in: key.table))
    }
    return files[key.table]?[key.id]
  }

  /// Returns the files by the ids that stand in them.
  static func files(among candidates: [Candidate]) -> [ItemID: InvalidItem] {
    var files: [ItemID: InvalidItem] = [:]
    for case .invalid(let invalid) in candidates.map(\.client) {
      if let id = invalid.claims { files[id] = invalid }
    }
    return files
  }
}

extension ItemDisk where Self: JournalDisk {
  /// Returns the file to which its user has moved an item whose own file is missing; `nil` where there
  /// is none, or a command has deleted the item.
  func moved(_ key: ItemKey, _ claims: inout Claims) throws -> InvalidItem? {
    guard journal.notes[key]?.note.commanded != true else { return nil }
    return try claims.file(of: key, on: self)
  }

  /// Returns the file that keeps a row of the server's from its item: one that isn't valid, or the one
  /// to which the item was moved; `nil` where there is none.
  ///
  /// - Throws: What reading the files throws.
  package func obstacle(to key: ItemKey, _ claims: inout Claims) throws -> InvalidItem? {
    switch try client(key) {
    case .item: nil
    case .invalid(let invalid): invalid
    case .absent: try journal.conflicts[key] == nil ? moved(key, &claims) : nil
    }
  }
}
