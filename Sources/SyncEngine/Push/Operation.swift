package import SyncModel

/// A pending change of one row on the server.
package struct Operation: Equatable, Sendable {
  /// The kind of an operation.
  package enum Kind: String, CaseIterable, Sendable {
    /// A row is made.
    case insert
    /// A row's fields are changed.
    case update
    /// A row is deleted.
    case delete
    /// A tombstone becomes a row again.
    case undelete
  }

  /// Which item.
  package let key: ItemKey
  /// What is to happen.
  package let kind: Kind
  /// The item as it is to be; `nil` for a delete.
  package let item: Item?
  /// The row that the change is based on; `nil` for an insert.
  package let base: Row?

  package init(key: ItemKey, kind: Kind, item: Item?, base: Row?) {
    self.key = key
    self.kind = kind
    self.item = item
    self.base = base
  }

  /// Returns the operation that brings the server where the client is; `nil` where it is there.
  package init?(key: ItemKey, client: Item?, base: Base) {
    switch (client, base) {
    case (nil, .neverSeen), (nil, .tombstone): return nil
    case (let item?, .neverSeen): self.init(key: key, kind: .insert, item: item, base: nil)
    case (let item?, .tombstone(let row)):
      if row.version == nil {
        self.init(key: key, kind: .insert, item: item, base: nil)
      } else {
        self.init(key: key, kind: .undelete, item: item, base: row)
      }
    case (nil, .row(let row)): self.init(key: key, kind: .delete, item: nil, base: row)
    case (let item?, .row(let row)):
      if item == row.item { return nil }
      self.init(key: key, kind: .update, item: item, base: row)
    }
  }

  /// How the item differs from the row it is based on.
  package var change: Change {
    Change(from: kind == .undelete ? nil : base?.item, to: item)
  }
}
