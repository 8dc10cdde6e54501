package import SyncModel

extension Row {
  /// Returns what stands for a row that the server has no trace of any more.
  ///
  /// It is a tombstone without a version: an item that exists over it is inserted, not undeleted.
  /// It holds what the row held, where that is known.
  package static func gone(_ id: ItemID, holding item: Item = Item(JSONObject())) -> Row {
    Row(id: id, item: item, version: nil, updatedAt: nil, deleted: true)
  }

  /// Returns the item as it was when the row was deleted: what the tombstone tells, or where it tells no
  /// field, what was known of the row before.
  ///
  /// One that tells a field tells all: no dialect's server leaves some out, and what isn't there was
  /// cleared.
  func lastItem(over known: Item) -> Item { item.isEmpty ? known : item }
}
