package import SyncEngine
package import SyncModel

/// A decision on a conflict, as tests name it.
package enum Choice: Equatable, Sendable {
  /// The client's side is sent over the server's version.
  case client
  /// The server's side is taken.
  case server
  /// The server's side is taken, and the client's becomes a new item under this id.
  case both(ItemID)
  /// The item becomes this one.
  case item(Item)

  /// Returns the resolution of a conflict.
  package func resolution(of conflict: Conflict) -> Resolution {
    switch self {
    case .client: Resolution(item: conflict.client, how: "client")
    case .server: Resolution(item: conflict.server, how: "server")
    case .both(let id):
      Resolution(item: conflict.server, copy: conflict.client == nil ? nil : id, how: "both")
    case .item(let item): Resolution(item: item, how: "edited")
    }
  }
}
