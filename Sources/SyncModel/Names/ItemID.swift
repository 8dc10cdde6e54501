/// The name of an item in its table: 1 to 255 bytes of UTF-8.
///
/// Ids are compared byte by byte: `A` and `a` are two ids, and so are the composed and the
/// decomposed `é`.
package struct ItemID: Hashable, Comparable, Sendable {
  /// The id as text.
  package let text: Text

  /// Takes a text as an id.
  ///
  /// - Throws: What is wrong with it: empty, `.` or `..`, longer than 255 bytes, only blanks, or a
  ///   control character in it.
  package init(_ text: Text) throws(NameError) {
    let bytes = text.string.utf8
    guard !bytes.isEmpty else { throw NameError("an id can't be empty") }
    guard bytes.count <= 255 else { throw NameError("an id may have 255 bytes at most") }
    guard !text.hasControlCharacter else { throw NameError("an id can't hold a control character") }
    guard bytes.contains(where: { $0 != 0x20 }) else {
      throw NameError("an id can't be blanks only")
    }
    guard text != ".", text != ".." else { throw NameError("an id can't be '.' or '..'") }
    self.text = text
  }

  package static func < (left: ItemID, right: ItemID) -> Bool { left.text < right.text }
}

extension ItemID: CustomStringConvertible {
  package var description: String { text.string }
}

extension Text {
  /// Whether a C0 or C1 control character or DEL is in it (Unicode general category Cc).
  package var hasControlCharacter: Bool {
    string.unicodeScalars.contains { $0.value < 0x20 || (0x7F..<0xA0).contains($0.value) }
  }
}
