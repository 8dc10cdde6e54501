/// An error in an address or a token, found before anything is sent.
package struct RemoteError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The fact in words for people: lower case, no period; it names no secret.
  package let description: String
  /// Whether an address names who asks.
  package let namesUser: Bool

  init(_ description: String, namesUser: Bool = false) {
    self.description = description
    self.namesUser = namesUser
  }
}
