/// A text, and what a parser of JSON makes of it.
package struct JSONRow: CustomStringConvertible, Sendable {
  /// The text; not always UTF-8.
  package let text: [UInt8]
  /// What is written again, without blanks; `nil` where the text is refused.
  package let written: [UInt8]?
  /// The first fault with its line and column; `nil` where the text is accepted.
  package let fault: String?

  package var description: String {
    String(decoding: text.prefix(60), as: UTF8.self).debugDescription
  }

  /// Makes the row of a text that is accepted, and written as it was where nothing else is said.
  package static func yes(_ text: String, _ written: String? = nil) -> JSONRow {
    JSONRow(text: Array(text.utf8), written: Array((written ?? text).utf8), fault: nil)
  }

  /// Makes the row of a text that is refused.
  package static func no(_ text: String, _ fault: String) -> JSONRow {
    JSONRow(text: Array(text.utf8), written: nil, fault: fault)
  }

  /// Makes the row of bytes that are refused; each scalar is one of them.
  package static func no(bytes: String, _ fault: String) -> JSONRow {
    JSONRow(
      text: bytes.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }, written: nil,
      fault: fault)
  }
}
