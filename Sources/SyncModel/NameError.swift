/// Why a text can't be an id or the name of a table.
package struct NameError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The fact in words for people: lower case, no period.
  package let description: String

  /// Makes an error.
  package init(_ description: String) {
    self.description = description
  }
}
