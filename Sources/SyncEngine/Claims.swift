import SyncModel

/// Which ids stand in files of other names: an item whose own file is missing was moved there, not
/// deleted (decisions.md 9).
struct Claims {
  private var places: [TableName: [ItemID: String]] = [:]

  /// Returns the place of a file that says an item's id and isn't named by it; `nil` where none does.
  ///
  /// A table's files are looked at when the first of its items is asked for, and not again.
  mutating func place(of key: ItemKey, on disk: some ItemDisk) throws -> String? {
    if places[key.table] == nil {
      places[key.table] = Self.places(in: try disk.candidates(in: key.table))
    }
    return places[key.table]?[key.id]
  }

  /// Returns the places by the ids that stand in them.
  static func places(in candidates: [Candidate]) -> [ItemID: String] {
    var places: [ItemID: String] = [:]
    for case .invalid(let invalid) in candidates.map(\.client) {
      if let id = invalid.claims { places[id] = invalid.place }
    }
    return places
  }
}
