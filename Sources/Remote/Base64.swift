/// Base64 as far as tokens need it (RFC 4648 §4, §5).
enum Base64 {
  private static let letters = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  /// Returns the letters for bytes, six bits each, without padding.
  static func encoded(_ bytes: [UInt8]) -> [UInt8] {
    var text: [UInt8] = []
    var bits = 0
    var held: UInt32 = 0
    for byte in bytes {
      held = held << 8 | UInt32(byte)
      bits += 8
      while bits >= 6 {
        bits -= 6
        text.append(letters[Int(held >> UInt32(bits) & 63)])
      }
    }
    if bits > 0 { text.append(letters[Int(held << UInt32(6 - bits) & 63)]) }
    return text
  }

  /// Returns the bytes that letters of either alphabet stand for; `nil` where one is no letter.
  static func decoded(_ text: some Sequence<UInt8>) -> [UInt8]? {
    var bytes: [UInt8] = []
    var bits = 0
    var held: UInt32 = 0
    for letter in text where letter != UInt8(ascii: "=") {
      let plain =
        switch letter {
        case UInt8(ascii: "-"): UInt8(ascii: "+")
        case UInt8(ascii: "_"): UInt8(ascii: "/")
        default: letter
        }
      guard let value = letters.firstIndex(of: plain) else { return nil }
      held = held << 6 | UInt32(value)
      bits += 6
      if bits >= 8 {
        bits -= 8
        bytes.append(UInt8(truncatingIfNeeded: held >> UInt32(bits)))
      }
    }
    return bytes
  }

  /// Returns what of some bytes' letters is the same wherever the bytes lie in a longer text, for
  /// each of the three ways in which they can lie.
  static func traces(of bytes: [UInt8]) -> [[UInt8]] {
    (0..<3).map { shift in
      let text = encoded([UInt8](repeating: 0, count: shift) + bytes)
      let first = (shift * 8 + 5) / 6
      let end = (shift + bytes.count) * 8 / 6
      return first < end ? Array(text[first..<end]) : []
    }
  }
}
