/// Steps over the parts of a JSON text by its quotes, brackets and commas.
///
/// The rest of the grammar is not looked at: a value that is no JSON spoils nothing but itself.
package struct JSONScanner {
  /// The text, in UTF-8.
  package let text: UnsafeBufferPointer<UInt8>
  /// Where the scanner stands.
  package var position: Int

  /// Stands before a part of a text.
  @inlinable package init(_ text: UnsafeBufferPointer<UInt8>, at position: Int = 0) {
    (self.text, self.position) = (text, position)
  }

  /// The byte that comes next; `nil` at the end.
  @inlinable package var next: UInt8? { position < text.count ? text[position] : nil }

  /// Steps over a byte; answers whether it comes next.
  @inlinable package mutating func take(_ byte: Unicode.Scalar) -> Bool {
    guard next == UInt8(ascii: byte) else { return false }
    position += 1
    return true
  }

  /// Steps over the blanks of RFC 8259 §2.
  @inlinable package mutating func skipBlanks() {
    while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 {
      position += 1
    }
  }

  /// Steps over a string; answers where it is, the quotes included, or `nil` where it doesn't end.
  package mutating func string() -> Range<Int>? {
    let start = position
    position += 1
    while position < text.count {
      switch text[position] {
      case UInt8(ascii: "\""):
        position += 1
        return start..<position
      case UInt8(ascii: "\\"): position += 2
      default: position += 1
      }
    }
    return nil
  }

  /// Steps over a value; answers where it is, or `nil` where it doesn't end.
  ///
  /// Where none begins, the place is empty.
  package mutating func value() -> Range<Int>? {
    let start = position
    var depth = 0
    while position < text.count {
      switch text[position] {
      case UInt8(ascii: "\""):
        guard string() != nil else { return nil }
        if depth == 0 { return start..<position }
        continue
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        if depth == 0 { return start..<position }
        depth -= 1
        if depth == 0 {
          position += 1
          return start..<position
        }
      case UInt8(ascii: ","), 0x20, 0x0A, 0x0D, 0x09:
        if depth == 0 { return start..<position }
      default: break
      }
      position += 1
    }
    return depth == 0 ? start..<position : nil
  }
}
