import ArgumentParser
import SyncEngine
import SyncModel

/// The decision on a conflict, and the words for it.
struct Resolution {
  enum Side: String, EnumerableFlag {
    case client, server, both

    static func name(for value: Side) -> NameSpecification { .long }

    static func help(for value: Side) -> ArgumentHelp? {
      switch value {
      case .client: "Take the client's version of the members and lines in conflict."
      case .server: "Take the server's version of the members and lines in conflict."
      case .both: "Keep both versions, as two items."
      }
    }
  }

  /// The resulting item; `nil` if it is deleted.
  let item: Item?
  /// The id of a new item that keeps the client's version.
  private(set) var copy: ItemID?
  /// The word behind the title: `client`, `server`, `both`, `edited`, or fields and their choices.
  let how: String

  init(item: Item?, how: String) {
    (self.item, self.how) = (item, how)
  }

  /// Lets a side win in what is in conflict; all else stays merged.
  ///
  /// If one side deleted the item, `side` wins as a whole. `both` gives the client's version the
  /// id; it is `nil` if there is no such version.
  init?(_ side: Side, of conflict: Conflict, id: ItemID) {
    how = side.rawValue
    switch side {
    case .client: item = conflict.fields?.item() ?? conflict.revived
    case .server: item = conflict.fields?.item(taking: .server) ?? conflict.server
    case .both:
      guard conflict.client != nil else { return nil }
      (item, copy) = (conflict.server, id)
    }
  }

  func choice(on conflict: Conflict) -> Choice {
    if let copy { return .both(copy) }
    if let item { return .item(item) }
    // It is deleted because one side deleted it.
    return conflict.client == nil ? .client : .server
  }
}
