package import SyncModel

/// A write that is about to be sent or was sent, and whose outcome isn't known.
///
/// It says what is meant: the request is built of it and of the base, which stays while it is open.
package struct Attempt: Equatable, Sendable {
  /// Which item.
  package var key: ItemKey
  /// What is to happen.
  package var kind: Operation.Kind
  /// The version that guards the write, of the row it is based on; `nil` for an insert.
  package var version: Version?
  /// The item as it is sent; `nil` for a delete.
  package var item: Item?
  /// The fingerprint of the file it was read from; `nil` for a delete.
  package var digest: Digest?
  /// How often it was handed to the network, this time included.
  package var tries: Int
  /// When it was last handed to the network, in seconds since 1970.
  package var time: Int64

  package init(
    key: ItemKey, kind: Operation.Kind, version: Version?, item: Item?, digest: Digest?,
    tries: Int = 1, time: Int64 = 0
  ) {
    self.key = key
    self.kind = kind
    self.version = version
    self.item = item
    self.digest = digest
    self.tries = tries
    self.time = time
  }
}

extension Attempt {
  /// Returns the kind of the change that waits behind the write; `nil` where the item is as it was
  /// sent, or can't be read.
  package func next(_ client: ClientState) -> Operation.Kind? {
    if case .invalid = client { return nil }
    let sent = item.map { Row(id: key.id, item: $0, version: nil, updatedAt: nil) }
    return Operation(key: key, client: client.item, base: Base(sent ?? .gone(key.id)))?.kind
  }

  /// Returns what the write has brought to the server, by the row that answers it.
  ///
  /// A field that the row lacks isn't there, and stays a change of the item's. `known` is what the base
  /// holds.
  func sent(answeredBy row: Row, over known: Item?) -> Item? {
    if kind == .undelete {
      // The request may have carried the item, or not, and then the row is as the tombstone was.
      let values = row.item.values
      let isCarried = Change(from: known, to: item).fields.allSatisfy { values[$0.name] != $0.old }
      if !isCarried { return known }
    }
    var sent = item
    for name in WriteAnswer(row, to: self, over: known).dropped { sent?.fields[name] = nil }
    return sent
  }
}
