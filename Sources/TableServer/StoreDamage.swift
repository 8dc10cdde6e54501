/// What is wrong with a store that only a backup can mend.
package struct StoreDamage: Error, Hashable, Sendable, CustomStringConvertible {
  private let what: String

  /// Makes an error; `what` is for whoever runs the server.
  package init(_ what: String) {
    self.what = what
  }

  package var description: String { "the store is damaged: \(what)" }
}
