package import SyncModel

/// What is wrong with a store that only a backup can mend.
package struct StoreDamage: Error, Hashable, Sendable, CustomStringConvertible {
  /// The one item that is damaged, as far as is known, while the others can be written; `nil` where
  /// it isn't known, or is the whole store.
  package let item: Text?
  private let what: String

  /// Makes an error of the whole store; `what` is for whoever runs the server.
  package init(_ what: String) {
    item = nil
    self.what = what
  }

  /// Makes an error of one item; `what` is for whoever runs the server.
  package init(item id: Text, _ what: String) {
    item = id
    self.what = "item '\(id)': \(what)"
  }

  package var description: String { "the store is damaged: \(what)" }
}

extension Result where Success == StoredRow, Failure == StoreDamage {
  /// Reads a row whose id a store has as `id`; whatever is wrong is the row's damage.
  package init(item id: Text, reading row: (ItemID) throws -> StoredRow) {
    do { self = .success(try row(ItemID(id))) } catch {
      self = .failure(error as? StoreDamage ?? StoreDamage(item: id, "\(error)"))
    }
  }
}
