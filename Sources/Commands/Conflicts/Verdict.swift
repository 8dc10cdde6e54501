import SyncEngine
import SyncModel

/// How a conflict is settled, and the words for it.
struct Verdict {
  /// What becomes of the item.
  let choice: Choice
  /// The word behind the title: `client`, `server`, `both`, `edited`, or fields and their choices.
  let how: String

  /// A side that wins.
  enum Side: String, CaseIterable {
    case client, server, both
  }

  /// Makes the item what single fields shall be.
  init(item: Item, how: String) {
    choice = .item(item)
    self.how = how
  }

  /// Lets a side win in the fields in conflict: what could be merged stays merged.
  ///
  /// Where one side deleted the item, that side or the other wins as a whole; `nil` where there
  /// would be nothing to keep beside the server's. Where both are kept the new item gets the id.
  init?(_ side: Side, in conflict: Conflict, id: ItemID) {
    how = side.rawValue
    switch (side, conflict.fields) {
    case (.client, let fields?): choice = .item(fields.item)
    case (.client, nil): choice = conflict.revived.map(Choice.item) ?? .client
    case (.server, let fields?): choice = .item(fields.item(taking: { $0.server }))
    case (.server, nil): choice = .server
    case (.both, _):
      guard conflict.client != nil, conflict.server != nil || conflict.kind == .deletedThere else {
        return nil
      }
      choice = .both(id)
    }
  }

  /// Takes what a person made of the marked document, no item where it shall be deleted; `nil` where
  /// that is no choice they have, because no side has deleted it.
  init?(edited item: Item?, in conflict: Conflict) {
    how = "edited"
    switch (item, conflict.client, conflict.server) {
    case (let item?, _, _): choice = .item(item)
    case (nil, nil, _): choice = .client
    case (nil, _, nil): choice = .server
    default: return nil
    }
  }

  /// The item that the conflict ends with; `nil` where it is deleted.
  func item(of conflict: Conflict) -> Item? {
    switch choice {
    case .client: conflict.client
    case .server, .both: conflict.server
    case .item(let item): item
    }
  }
}

extension FieldMerge {
  /// Returns the merged item with a value of its own for each field in conflict.
  func item(taking value: (Disputed) -> JSON?) -> Item {
    var item = item
    for field in disputed { item.fields[field.name] = value(field) }
    return item
  }
}
