/// How a person lays a JSON text out, as far as a rewriting has to go by it.
struct JSONStyle {
  /// The line end.
  let newLine: [UInt8]
  /// The indentation of the line that the outermost object's closing brace stands on.
  let base: [UInt8]
  /// What each level is indented by.
  let unit: [UInt8]
  /// What stands between a name and its value.
  let colon: [UInt8]
  /// What stands after a comma where no line ends.
  let gap: [UInt8]

  /// Finds the style of a text by its outermost object.
  init(of text: [UInt8], _ outline: JSONOutline) {
    newLine = Self.lineEnd(in: text)
    guard let first = outline.members.first, let last = outline.members.last else {
      (base, unit, colon, gap) = ([], Self.twoBlanks, Array(": ".utf8), Self.blank)
      return
    }
    let written = Array(text[first.name.upperBound..<first.value.lowerBound])
    colon = written.contains(where: Self.isLineEnd) ? Array(": ".utf8) : written
    gap = colon.last == UInt8(ascii: ":") ? [] : Self.blank
    let inner = Self.indentation(of: text[(outline.start + 1)..<first.name.lowerBound])
    base = Self.indentation(of: text[last.value.upperBound..<outline.end]) ?? []
    if let inner, inner.starts(with: base), inner.count > base.count {
      unit = Array(inner[base.count...])
    } else {
      unit = Self.twoBlanks
    }
  }

  /// Appends a value's text; without the indentation of its first line it stays on one line.
  func write(_ value: JSON, into text: inout [UInt8], indentation: [UInt8]?) {
    switch value {
    case .array(let elements) where !elements.isEmpty:
      writeParts(elements, in: "[]", into: &text, indentation) { element, text, inner in
        write(element, into: &text, indentation: inner)
      }
    case .object(let object) where !object.members.isEmpty:
      writeParts(object.members, in: "{}", into: &text, indentation) { member, text, inner in
        member.name.writeQuoted(into: &text)
        text += colon
        write(member.value, into: &text, indentation: inner)
      }
    default: value.write(into: &text)
    }
  }

  private func writeParts<Part>(
    _ parts: [Part], in braces: StaticString, into text: inout [UInt8], _ indentation: [UInt8]?,
    write: (Part, inout [UInt8], [UInt8]?) -> Void
  ) {
    text.append(braces.utf8Start[0])
    let inner = indentation.map { $0 + unit }
    for (index, part) in parts.enumerated() {
      if index > 0 { text.append(UInt8(ascii: ",")) }
      if let inner { text += newLine + inner } else if index > 0 { text += gap }
      write(part, &text, inner)
    }
    if let indentation { text += newLine + indentation }
    text.append(braces.utf8Start[1])
  }

  /// Returns whether a byte ends a line.
  static func isLineEnd(_ byte: UInt8) -> Bool { byte == 0x0A || byte == 0x0D }

  /// The first line end of a text; in valid JSON it stands between tokens.
  private static func lineEnd(in text: [UInt8]) -> [UInt8] {
    guard let index = text.firstIndex(where: isLineEnd) else { return [0x0A] }
    let isPair = text[index] == 0x0D && index + 1 < text.count && text[index + 1] == 0x0A
    return isPair ? [0x0D, 0x0A] : [text[index]]
  }

  private static func indentation(of blanks: ArraySlice<UInt8>) -> [UInt8]? {
    blanks.lastIndex(where: isLineEnd).map { Array(blanks[($0 + 1)...]) }
  }

  private static let blank: [UInt8] = [0x20]
  private static let twoBlanks: [UInt8] = [0x20, 0x20]
}
