import ArgumentParser
import SyncEngine
import SyncModel

/// The decision on a conflict, and the words for it.
struct Resolution {
  let choice: Choice
  /// The word behind the title: `client`, `server`, `both`, `edited`, or fields and their choices.
  let how: String

  enum Side: String, EnumerableFlag {
    case client, server, both

    static func name(for value: Side) -> NameSpecification { .long }

    static func help(for value: Side) -> ArgumentHelp? {
      switch value {
      case .client: "Take the client's values of the fields in conflict."
      case .server: "Take the server's values of the fields in conflict."
      case .both: "Keep both versions, as two items."
      }
    }
  }

  init(item: Item, how: String) {
    choice = .item(item)
    self.how = how
  }

  /// Lets a side win in the fields in conflict; merged fields stay merged.
  ///
  /// If one side deleted the item, `side` wins as a whole. `both` gives the second version the id;
  /// it is `nil` if there is only one version to keep.
  init?(_ side: Side, in conflict: Conflict, id: ItemID) {
    how = side.rawValue
    switch (side, conflict.fields) {
    case (.client, let fields?): choice = .item(fields.item)
    case (.client, nil): choice = conflict.revived.map(Choice.item) ?? .client
    case (.server, let fields?): choice = .item(fields.item(choosing: { $0.server }))
    case (.server, nil): choice = .server
    case (.both, _):
      guard conflict.client != nil, conflict.server != nil || conflict.kind == .deletedThere else {
        return nil
      }
      choice = .both(id)
    }
  }

  /// Takes an edited document; without an item it is a delete, `nil` if no side deleted the item.
  init?(edited item: Item?, in conflict: Conflict) {
    how = "edited"
    switch (item, conflict.client, conflict.server) {
    case (let item?, _, _): choice = .item(item)
    case (nil, nil, _): choice = .client
    case (nil, _, nil): choice = .server
    default: return nil
    }
  }

  /// Returns the resulting item; `nil` if it is deleted.
  func item(of conflict: Conflict) -> Item? {
    switch choice {
    case .client: conflict.client
    case .server, .both: conflict.server
    case .item(let item): item
    }
  }
}

extension FieldMerge {
  /// Returns the merged item; `value` decides each field in conflict.
  func item(choosing value: (Disputed) -> JSON?) -> Item {
    var item = item
    for field in disputed { item.fields[field.name] = value(field) }
    return item
  }
}
