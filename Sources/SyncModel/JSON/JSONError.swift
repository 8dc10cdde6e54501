/// The reason and the place at which a text is not valid JSON, or not within the limits.
package struct JSONError: Error, Hashable, Sendable {
  /// The line of the fault, from 1.
  package var line: Int
  /// The column of the fault, from 1, counted in Unicode scalars.
  package var column: Int
  /// The fact in words for people: lower case, no period.
  package var message: String

  /// Makes an error from the offset, in bytes, at which a text is at fault.
  package init(at offset: Int, of text: some Sequence<UInt8>, _ message: String) {
    var line = 1
    var column = 1
    for byte in text.prefix(offset) {
      if byte == UInt8(ascii: "\n") {
        line += 1
        column = 1
      } else if byte & 0xC0 != 0x80 {
        column += 1
      }
    }
    self.line = line
    self.column = column
    self.message = message
  }
}

extension JSONError: CustomStringConvertible {
  package var description: String { "\(line):\(column): \(message)" }
}
