package import SyncModel

/// The decision on a conflict, and the words for it.
package struct Resolution: Equatable, Sendable {
  /// A version that wins, or both.
  package enum Side: String, CaseIterable, Sendable {
    case client, server, both
  }

  /// The resulting item; `nil` if it is deleted.
  package let item: Item?
  /// The id of a new item that keeps the client's version.
  package private(set) var copy: ItemID?
  /// The word behind the title: `client`, `server`, `both`, `edited`, or fields and their choices.
  package let how: String

  package init(item: Item?, copy: ItemID? = nil, how: String) {
    (self.item, self.copy, self.how) = (item, copy, how)
  }

  /// Lets a side win in what is in conflict; all else stays merged.
  ///
  /// If one side deleted the item, `side` wins as a whole. `both` gives the client's version the
  /// id; it is `nil` if there is no such version.
  package init?(_ side: Side, of conflict: Conflict, id: ItemID) {
    how = side.rawValue
    switch side {
    case .client: item = conflict.fields?.item() ?? conflict.revived
    case .server: item = conflict.fields?.item(taking: .server) ?? conflict.server
    case .both:
      guard conflict.client != nil else { return nil }
      (item, copy) = (conflict.server, id)
    }
  }
}
