package import SyncModel

extension Row {
  /// Returns what stands for a row that the server has no trace of any more.
  ///
  /// It is a tombstone without a version: an item that exists over it is inserted, not undeleted
  /// (decisions.md 2).
  package static func gone(_ id: ItemID) -> Row {
    Row(id: id, item: Item(JSONObject()), version: nil, updatedAt: nil, deleted: true)
  }

  /// Returns the item as it was when the row was deleted: what the tombstone tells, or where it tells no
  /// field, what was known of the row before.
  func lastItem(over known: Item) -> Item { item.fields.members.isEmpty ? known : item }
}
