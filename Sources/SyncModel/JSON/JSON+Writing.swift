extension JSON {
  /// The layout of a written value.
  package enum Layout: Hashable, Sendable {
    /// On one line, without blanks.
    case compact
    /// A member or element a line, indented by two spaces a level, after `level` levels.
    case indented(level: Int = 0)
    /// On one line, with everything but printable ASCII escaped: safe for a terminal.
    case compactASCII
  }

  /// Returns the value's text, in UTF-8.
  package func encoded(_ layout: Layout = .compact) -> [UInt8] {
    var text: [UInt8] = []
    write(into: &text, layout)
    return text
  }

  /// Appends the value's text.
  package func write(into text: inout [UInt8], _ layout: Layout = .compact) {
    switch self {
    case .null: text.append(contentsOf: "null".utf8)
    case .bool(let value): text.append(contentsOf: (value ? "true" : "false").utf8)
    case .number(let number): text.append(contentsOf: number.text.utf8)
    case .string(let string): string.writeQuoted(into: &text, asciiOnly: layout == .compactASCII)
    case .array(let elements):
      Self.write(elements, between: "[", and: "]", into: &text, layout) { element, inner, text in
        element.write(into: &text, inner)
      }
    case .object(let object):
      Self.write(object.members, between: "{", and: "}", into: &text, layout) {
        member, inner, text in
        member.name.writeQuoted(into: &text, asciiOnly: layout == .compactASCII)
        text.append(UInt8(ascii: ":"))
        if case .indented = inner { text.append(UInt8(ascii: " ")) }
        member.value.write(into: &text, inner)
      }
    }
  }

  private static func write<Part>(
    _ parts: [Part], between open: Unicode.Scalar, and close: Unicode.Scalar,
    into text: inout [UInt8], _ layout: Layout, part: (Part, Layout, inout [UInt8]) -> Void
  ) {
    text.append(UInt8(ascii: open))
    var inner = layout
    if case .indented(let level) = layout { inner = .indented(level: level + 1) }
    for (index, element) in parts.enumerated() {
      if index > 0 { text.append(UInt8(ascii: ",")) }
      newLine(inner, into: &text)
      part(element, inner, &text)
    }
    if !parts.isEmpty { newLine(layout, into: &text) }
    text.append(UInt8(ascii: close))
  }

  private static func newLine(_ layout: Layout, into text: inout [UInt8]) {
    guard case .indented(let level) = layout else { return }
    text.append(UInt8(ascii: "\n"))
    text.append(contentsOf: repeatElement(UInt8(ascii: " "), count: 2 * level))
  }
}

extension Text {
  /// Appends the text as a JSON string: quoted, with the escapes that RFC 8259 §7 demands.
  ///
  /// With `asciiOnly`, DEL and everything beyond ASCII is escaped too.
  package func writeQuoted(into text: inout [UInt8], asciiOnly: Bool = false) {
    text.append(UInt8(ascii: "\""))
    if asciiOnly {
      for unit in string.utf16 { Self.writeEscaped(unit, into: &text) }
    } else {
      for byte in string.utf8 {
        if byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
          Self.writeEscaped(UInt16(byte), into: &text)
        } else {
          text.append(byte)
        }
      }
    }
    text.append(UInt8(ascii: "\""))
  }

  private static func writeEscaped(_ unit: UInt16, into text: inout [UInt8]) {
    switch unit {
    case 0x22: text.append(contentsOf: "\\\"".utf8)
    case 0x5C: text.append(contentsOf: "\\\\".utf8)
    case 0x0A: text.append(contentsOf: "\\n".utf8)
    case 0x0D: text.append(contentsOf: "\\r".utf8)
    case 0x09: text.append(contentsOf: "\\t".utf8)
    case 0x20..<0x7F: text.append(UInt8(unit))
    default:
      text.append(contentsOf: "\\u".utf8)
      text.append(contentsOf: unit.hexadecimal.utf8)
    }
  }
}
