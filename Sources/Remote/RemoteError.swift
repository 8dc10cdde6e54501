package import SyncEngine

/// An error in an address or a token, found before anything is sent.
package struct RemoteError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The fact in words for people: lower case, no period; it names no secret.
  package let description: String
  /// The command that leads on, where there is one.
  package let hint: Hint?

  init(_ description: String, hint: Hint? = nil) {
    self.description = description
    self.hint = hint
  }
}
