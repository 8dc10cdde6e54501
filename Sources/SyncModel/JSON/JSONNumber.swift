/// A JSON number as it was written, compared by its decimal value.
///
/// `1.10`, `1.1` and `11e-1` are equal; `9007199254740993` and `9007199254740992` are not, because
/// no binary floating point is involved.
package struct JSONNumber: Sendable {
  /// The number's text; it follows the grammar of RFC 8259 §6.
  package let text: String

  /// Wraps a text that a parser has found to be a number.
  init(checked text: String) {
    self.text = text
  }

  /// Wraps an integer.
  package init(_ value: Int) {
    text = String(value)
  }

  /// Reads a text as a number; `nil` where it isn't one by RFC 8259 §6.
  package init?(_ text: String) {
    guard let first = text.utf8.first, first == 0x2D || (0x30...0x39).contains(first),
      case .number(let number)? = try? JSON(parsing: Array(text.utf8)),
      number.text.utf8.count == text.utf8.count
    else { return nil }
    self = number
  }

  /// The number as binary floating point, for arithmetic where that is enough.
  package var double: Double { Double(text) ?? .nan }
}

extension JSONNumber: Equatable {
  package static func == (left: JSONNumber, right: JSONNumber) -> Bool {
    if left.text.utf8.elementsEqual(right.text.utf8) { return true }
    let one = Decimal(left.text)
    return one.isCounted && one == Decimal(right.text)
  }
}
