/// Bytes of ASCII text, looked at without Swift's idea of a character.
extension UInt8 {
  /// Whether the byte is one of `0` to `9`.
  @inlinable package var isDigit: Bool { (0x30...0x39).contains(self) }

  /// Whether the byte is one of `A` to `Z` and `a` to `z`.
  @inlinable package var isLetter: Bool { (0x61...0x7A).contains(self | 0x20) }

  /// Whether RFC 3986 §2.3 lets the byte stand for itself everywhere in a URL.
  @inlinable package var isUnreserved: Bool {
    isDigit || isLetter || self == UInt8(ascii: "-") || self == UInt8(ascii: ".")
      || self == UInt8(ascii: "_") || self == UInt8(ascii: "~")
  }

  /// The byte with a capital of ASCII made small.
  @inlinable package var lowered: UInt8 { (0x41...0x5A).contains(self) ? self | 0x20 : self }

  /// The value of a hexadecimal digit; `nil` for every other byte.
  @inlinable package var hexadecimalDigit: UInt8? {
    switch self {
    case 0x30...0x39: self - 0x30
    case 0x41...0x46, 0x61...0x66: lowered - 0x61 + 10
    default: nil
    }
  }

  /// The byte as `%XX` (RFC 3986 §2.1).
  var percentEscape: [UInt8] { Array("%\(hexadecimal.uppercased())".utf8) }
}

extension Collection<UInt8> {
  /// The bytes with those that `%XX` stands for; `nil` where a `%` begins no escape.
  @inlinable package var percentDecoded: [UInt8]? {
    var decoded: [UInt8] = []
    decoded.reserveCapacity(count)
    var rest = self[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        decoded.append(byte)
        continue
      }
      guard let high = rest.popFirst()?.hexadecimalDigit,
        let low = rest.popFirst()?.hexadecimalDigit
      else { return nil }
      decoded.append(high << 4 | low)
    }
    return decoded
  }
}

extension FixedWidthInteger where Self: UnsignedInteger {
  /// The number in hexadecimal digits, lower case: two a byte.
  package var hexadecimal: String {
    let digits = String(self, radix: 16)
    return String(repeating: "0", count: Self.bitWidth / 4 - digits.utf8.count) + digits
  }
}

extension Text {
  /// Returns the text with every byte as `%XX` but those that stay.
  package func escaped(keeping isPlain: (UInt8) -> Bool) -> String {
    var escaped: [UInt8] = []
    escaped.reserveCapacity(string.utf8.count)
    for byte in string.utf8 {
      if isPlain(byte) { escaped.append(byte) } else { escaped += byte.percentEscape }
    }
    return String(decoding: escaped, as: UTF8.self)
  }

  /// The text as it can stand anywhere in a URL: all but unreserved characters escaped.
  package var percentEncoded: String { escaped { $0.isUnreserved } }
}
