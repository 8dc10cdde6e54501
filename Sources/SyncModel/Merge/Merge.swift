/// The result of merging an item that client and server may both have changed.
///
/// A side is an item, or `nil` where the item was deleted or never was. What the server's row `last` held
/// before it was deleted comes back with an item that outlives it.
///
/// ```
///   server = base                 nothing came                 .settled
///   client = server               both did the same            .settled
///   client = base                 only the server changed it   .takeServer
///   both changed it               fields that don't meet       .merged
///                                 fields that meet             .conflict(MM, AA)
///   one changed, one deleted it                                .conflict(MD, DM)
/// ```
package enum Merge: Equatable, Sendable {
  /// The client's item stands as it is.
  case settled
  /// The client's item becomes the server's; `nil` removes it.
  case takeServer(Item?)
  /// The client's item becomes the merged one; `nil` leaves it deleted.
  case merged(Item?, MergeReport)
  /// Nothing is done until a person decides.
  case conflict(Conflict)

  /// Decides.
  package init(
    base: Item?, client: Item?, server: Item?, last: Item? = nil,
    policy: MergePolicy = MergePolicy()
  ) {
    if server == base || client == server {
      self = .settled
    } else if client == base {
      self = .takeServer(server)
    } else {
      self = Self.bothChanged(base, client, server, last, policy)
    }
  }

  private static func bothChanged(
    _ base: Item?, _ client: Item?, _ server: Item?, _ last: Item?, _ policy: MergePolicy
  ) -> Merge {
    guard let client, let server else {
      let conflict = Conflict(base: base, client: client, server: server, last: last)
      switch policy.rule {
      case .client: return .merged(conflict.revived, MergeReport(serverLost: server != nil))
      case .server: return .merged(server, MergeReport(clientLost: client != nil))
      case .fields, .manual: return .conflict(conflict)
      }
    }
    let merge = FieldMerge(base: base, client: client, server: server, policy: policy)
    guard merge.isDisputed || policy.rule == .manual else {
      return .merged(
        merge.item(),
        MergeReport(
          fields: merge.merged, clientLost: merge.clientLost, serverLost: merge.serverLost))
    }
    return .conflict(Conflict(base: base, client: client, server: server, fields: merge))
  }
}
