/// The name of a table: an ASCII letter or `_`, then letters, digits and `_`, 64 bytes at most.
///
/// That is what every backend of the family takes. Names are lower case by
/// custom, and compared byte by byte.
package struct TableName: Hashable, Comparable, Sendable {
  /// The name as text.
  package let text: Text

  /// Takes a text as a table's name.
  ///
  /// - Throws: What is wrong with it.
  package init(_ text: Text) throws(NameError) {
    let bytes = text.string.utf8
    let isName = { (byte: UInt8) in
      (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || byte == 0x5F
        || (0x61...0x7A).contains(byte)
    }
    guard let first = bytes.first, bytes.count <= 64, bytes.allSatisfy(isName),
      !(0x30...0x39).contains(first)
    else {
      throw NameError(
        "a table name must be a letter, then letters, digits and '_', 64 at most")
    }
    self.text = text
  }

  package static func < (left: TableName, right: TableName) -> Bool { left.text < right.text }
}

extension TableName: CustomStringConvertible {
  package var description: String { text.string }
}
