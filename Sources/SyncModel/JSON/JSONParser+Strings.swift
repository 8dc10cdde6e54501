extension JSONParser {
  /// Reads a string, from its opening quote on.
  mutating func string() throws(JSONFault) -> Text {
    let quote = position
    position += 1
    let start = position
    var ascii = true
    while position < bytes.count {
      let byte = bytes[position]
      if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") || byte < 0x20 { break }
      if byte >= 0x80 { ascii = false }
      position += 1
    }
    if current == UInt8(ascii: "\""), position - start <= limits.string {
      let slice = UnsafeBufferPointer(rebasing: bytes[start..<position])
      position += 1
      if ascii { return Text(decoding: slice) }
      if let text = Text(validating: slice) { return text }
      position = start + Self.invalidOffset(in: slice)
      throw fault("not valid UTF-8")
    }
    position = start
    return try escapedString(from: quote)
  }

  /// Reads a string that has escapes, a fault, or is too long.
  private mutating func escapedString(from quote: Int) throws(JSONFault) -> Text {
    var unescaped: [UInt8] = []
    let start = position
    while let byte = current {
      switch byte {
      case UInt8(ascii: "\""):
        guard unescaped.count <= limits.string else {
          position = quote
          throw fault("a string may have \(limits.string) bytes at most")
        }
        guard let text = Text(validating: unescaped) else {
          let slice = UnsafeBufferPointer(rebasing: bytes[start..<position])
          position = start + Self.invalidOffset(in: slice)
          throw fault("not valid UTF-8")
        }
        position += 1
        return text
      case UInt8(ascii: "\\"): try escape(into: &unescaped)
      case ..<0x20: throw fault("a control character in a string must be escaped")
      default:
        unescaped.append(byte)
        position += 1
      }
    }
    position = quote
    throw fault("a string is not closed")
  }

  private mutating func escape(into text: inout [UInt8]) throws(JSONFault) {
    let backslash = position
    position += 1
    guard let byte = current else { return }
    position += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
    case UInt8(ascii: "b"): text.append(0x08)
    case UInt8(ascii: "f"): text.append(0x0C)
    case UInt8(ascii: "n"): text.append(0x0A)
    case UInt8(ascii: "r"): text.append(0x0D)
    case UInt8(ascii: "t"): text.append(0x09)
    case UInt8(ascii: "u"):
      var unit = try hexadecimal(from: backslash)
      if (0xD800..<0xDC00).contains(unit), current == UInt8(ascii: "\\"),
        position + 1 < bytes.count, bytes[position + 1] == UInt8(ascii: "u")
      {
        position += 2
        let low = try hexadecimal(from: backslash)
        guard (0xDC00..<0xE000).contains(low) else {
          position = backslash
          throw fault("half of a surrogate pair")
        }
        unit = 0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00)
      }
      guard let scalar = Unicode.Scalar(unit) else {
        position = backslash
        throw fault("half of a surrogate pair")
      }
      text.append(contentsOf: UTF8.encode(scalar).map(Array.init) ?? [])
    default:
      position = backslash
      throw fault("not an escape")
    }
  }

  private mutating func hexadecimal(from backslash: Int) throws(JSONFault) -> UInt32 {
    var value: UInt32 = 0
    for _ in 0..<4 {
      guard let digit = current?.hexadecimalDigit else {
        position = backslash
        throw fault("expected four hexadecimal digits after \\u")
      }
      value = value << 4 | UInt32(digit)
      position += 1
    }
    return value
  }

  /// Returns where UTF-8 first goes wrong.
  private static func invalidOffset(in bytes: UnsafeBufferPointer<UInt8>) -> Int {
    var low = 0
    var decoder = UTF8()
    var iterator = bytes.makeIterator()
    while true {
      switch decoder.decode(&iterator) {
      case .scalarValue(let scalar): low += UTF8.width(scalar)
      case .emptyInput, .error: return low
      }
    }
  }
}
