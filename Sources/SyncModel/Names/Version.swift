/// The version that the server gave a row: opaque, compared for equality only.
///
/// It is the unquoted value, as in the row's `version` member.
package struct Version: Hashable, Sendable {
  /// The version as text, 1 to 1,024 bytes, without control characters.
  package let text: Text

  /// Takes a text as a version; `nil` where it can't be one.
  package init?(_ text: Text) {
    guard !text.isEmpty, text.string.utf8.count <= 1_024, !text.hasControlCharacter else {
      return nil
    }
    self.text = text
  }
}

extension Version: CustomStringConvertible {
  package var description: String { text.string }
}
