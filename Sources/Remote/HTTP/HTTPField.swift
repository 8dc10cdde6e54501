/// One header field of a request or an answer.
package struct HTTPField: Hashable, Sendable {
  /// The field's name as written; it is compared without regard to ASCII case.
  package var name: String
  /// The field's value, without surrounding blanks.
  package var value: String

  package init(_ name: String, _ value: String) {
    self.name = name
    self.value = value
  }
}
