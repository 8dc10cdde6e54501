/// Bytes as text by RFC 4648 §4, with padding.
enum Base64 {
  private static let digits = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  /// Returns the text of some bytes.
  static func text(of bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let group = bytes[start..<min(start + 3, bytes.count)]
      let value = group.reduce(UInt32(0)) { $0 << 8 | UInt32($1) } << (8 * (3 - group.count))
      for index in 0..<4 {
        let digit = digits[Int(value >> (18 - 6 * index) & 63)]
        text.append(index <= group.count ? digit : UInt8(ascii: "="))
      }
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Returns the bytes of a text; `nil` where it is not as ``text(of:)`` writes it.
  static func bytes(of text: String) -> [UInt8]? {
    let values = text.utf8.map { digits.firstIndex(of: $0) }
    guard values.count % 4 == 0 else { return nil }
    let padding = text.utf8.reversed().prefix { $0 == UInt8(ascii: "=") }.count
    guard padding <= 2 else { return nil }
    var bytes: [UInt8] = []
    for start in stride(from: 0, to: values.count, by: 4) {
      let isLast = start + 4 == values.count
      var group: UInt32 = 0
      for (index, value) in values[start..<(start + 4)].enumerated() {
        guard let value = value ?? (isLast && index >= 4 - padding ? 0 : nil) else { return nil }
        group = group << 6 | UInt32(value)
      }
      let count = isLast ? 3 - padding : 3
      bytes += [16, 8, 0].prefix(count).map { UInt8(truncatingIfNeeded: group >> $0) }
    }
    return self.text(of: bytes).utf8.elementsEqual(text.utf8) ? bytes : nil
  }
}
