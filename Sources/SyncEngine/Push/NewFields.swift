import SyncModel

/// The fields that no row of their table has had so far.
///
/// A server with a dynamic schema makes a column of such a field, and may lose one of two that come at
/// once. Names are compared without case, and `null` brings no field, but shows that there is one.
struct NewFields {
  private var unknown: [TableName: Set<Text>] = [:]

  /// Finds which fields of items that are to be sent are new; rows are read until none can be.
  init(of writes: [(key: ItemKey, item: Item?)], on disk: some RowDisk) throws {
    for (key, item) in writes {
      unknown[key.table, default: []].formUnion(Self.names(of: item))
    }
    for table in unknown.keys {
      for id in try disk.liveIDs(in: table) {
        guard unknown[table]?.isEmpty == false else { break }
        let known = try disk.base(of: ItemKey(table, id)).item?.fields.members ?? []
        unknown[table]?.subtract(known.map(\.name.lowercased))
      }
    }
  }

  private static func names(of item: Item?) -> [Text] {
    (item?.fields.members ?? []).filter { !$0.value.isNull }.map(\.name.lowercased)
  }

  /// Tells whether a write is the first one that brings a new field; the next one isn't.
  mutating func isFirst(_ key: ItemKey, _ item: Item?) -> Bool {
    let new = Self.names(of: item).filter { unknown[key.table]?.remove($0) != nil }
    return !new.isEmpty
  }
}
