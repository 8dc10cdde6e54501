/// The encoding of bytes as Base64 text (RFC 4648 §4, §5).
package enum Base64 {
  private static let letters = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  /// Returns the letters for bytes, without padding.
  package static func letters(for bytes: [UInt8]) -> [UInt8] {
    var text: [UInt8] = []
    text.reserveCapacity((bytes.count + 2) / 3 * 4)
    var bits = 0
    var buffer: UInt32 = 0
    for byte in bytes {
      buffer = buffer << 8 | UInt32(byte)
      bits += 8
      while bits >= 6 {
        bits -= 6
        text.append(letters[Int(buffer >> UInt32(bits) & 63)])
      }
    }
    if bits > 0 { text.append(letters[Int(buffer << UInt32(6 - bits) & 63)]) }
    return text
  }

  /// Returns the text of bytes, padded.
  package static func text(of bytes: [UInt8]) -> String {
    let text = letters(for: bytes)
    let padding = repeatElement(UInt8(ascii: "="), count: (4 - text.count % 4) % 4)
    return String(decoding: text + padding, as: UTF8.self)
  }

  /// Returns the bytes of a text; `nil` where it is not as ``text(of:)`` writes it.
  package static func bytes(of text: String) -> [UInt8]? {
    guard let bytes = bytes(for: text.utf8), self.text(of: bytes).utf8.elementsEqual(text.utf8)
    else { return nil }
    return bytes
  }

  /// Returns the bytes that letters of either alphabet stand for, padded or not; `nil` where one is
  /// no letter.
  package static func bytes(for letters: some Sequence<UInt8>) -> [UInt8]? {
    var bytes: [UInt8] = []
    var bits = 0
    var buffer: UInt32 = 0
    for letter in letters where letter != UInt8(ascii: "=") {
      guard let value = value(of: letter) else { return nil }
      buffer = buffer << 6 | value
      bits += 6
      if bits >= 8 {
        bits -= 8
        bytes.append(UInt8(truncatingIfNeeded: buffer >> UInt32(bits)))
      }
    }
    return bytes
  }

  private static func value(of letter: UInt8) -> UInt32? {
    switch letter {
    case 0x41...0x5A: UInt32(letter - 0x41)
    case 0x61...0x7A: UInt32(letter - 0x61 + 26)
    case 0x30...0x39: UInt32(letter - 0x30 + 52)
    case UInt8(ascii: "+"), UInt8(ascii: "-"): 62
    case UInt8(ascii: "/"), UInt8(ascii: "_"): 63
    default: nil
    }
  }
}
