package import SyncModel

/// A write that is about to be sent or was sent, with the data to send it again and to find its
/// outcome.
package struct Intent: Equatable, Sendable {
  /// Which item.
  package var key: ItemKey
  /// What is to happen.
  package var kind: Operation.Kind
  /// The exact request.
  package var request: Request
  /// The version that guards the write, of the row it is based on; `nil` for an insert.
  package var version: Version?
  /// The item as it is sent; `nil` for a delete.
  package var item: Item?
  /// The fingerprint of the file it was read from; `nil` for a delete.
  package var digest: Digest?
  /// How often it was handed to the network, this time included.
  package var attempt: Int

  /// Makes an intent.
  package init(
    key: ItemKey, kind: Operation.Kind, request: Request, version: Version?, item: Item?,
    digest: Digest?, attempt: Int = 1
  ) {
    self.key = key
    self.kind = kind
    self.request = request
    self.version = version
    self.item = item
    self.digest = digest
    self.attempt = attempt
  }
}

extension Intent {
  /// Whether a row, the base's, is still the one that the write is based on: nothing has become the base
  /// since.
  package func isBased(on row: Row?) -> Bool { row?.version == (kind == .insert ? nil : version) }

  /// Returns the kind of the change that waits behind the write; `nil` where the item is as it was
  /// sent, or can't be read.
  package func next(_ client: ClientState) -> Operation.Kind? {
    if case .invalid = client { return nil }
    let sent = item.map { Row(id: key.id, item: $0, version: nil, updatedAt: nil) }
    return Operation(key: key, client: client.item, base: Base(sent ?? .gone(key.id)))?.kind
  }
}
