package import SyncModel

/// What is wrong with a store that only a backup can mend.
package struct StoreDamage: Error, Hashable, Sendable, CustomStringConvertible {
  /// Whether one item is damaged, as far as is known, and the others can be written.
  package let isOfOneItem: Bool
  private let what: String

  /// Makes an error of the whole store; `what` is for whoever runs the server.
  package init(_ what: String) {
    isOfOneItem = false
    self.what = what
  }

  /// Makes an error of one item; `what` is for whoever runs the server.
  package init(item id: Text, _ what: String) {
    isOfOneItem = true
    self.what = "item '\(id)': \(what)"
  }

  package var description: String { "the store is damaged: \(what)" }
}
