/// The `updatedAt` at which the next incremental pull begins.
package struct DeltaToken: Hashable, Sendable {
  /// The timestamp's text as the server wrote it.
  package let text: Text

  /// Takes a text as a token, as it was stored.
  package init(_ text: Text) {
    self.text = text
  }

  /// What the text means; `nil` where it isn't a timestamp.
  package var timestamp: Timestamp? { Timestamp(text) }
}
