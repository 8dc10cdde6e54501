/// The reason why a text cannot be an id or a table name.
package struct NameError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The fact in words for people: lower case, no period.
  package let description: String

  package init(_ description: String) {
    self.description = description
  }
}
