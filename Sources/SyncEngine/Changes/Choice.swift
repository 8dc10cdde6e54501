package import SyncModel

/// A person's decision on a conflict.
package enum Choice: Equatable, Sendable {
  /// The client's side is sent over the server's version.
  case client
  /// The server's side is taken.
  case server
  /// The server's side is taken, and the client's becomes a new item under this id.
  case both(ItemID)
  /// The item becomes this one.
  case item(Item)

  /// Returns the item as it shall be; `nil` where it shall be deleted.
  func item(of conflict: Conflict) -> Item? {
    switch self {
    case .client: conflict.client
    case .server, .both: conflict.server
    case .item(let item): item
    }
  }

  /// Returns where the client's side is copied to; `nil` where it isn't.
  func copy(of conflict: Conflict, in table: TableName) -> ItemKey? {
    guard case .both(let id) = self, conflict.client != nil else { return nil }
    return ItemKey(table, id)
  }
}
