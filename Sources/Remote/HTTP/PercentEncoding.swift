import SyncModel

extension Text {
  /// The text as one segment of a URL's path: every byte but the unreserved ones as `%XX`
  /// (RFC 3986 §2.3).
  var percentEncoded: String {
    Self.escaped(string.utf8) { $0.isUnreserved }
  }

  /// The text as the value of a query option: `$ ' ( ) , :` stay as they are, since some servers
  /// look for them before they decode; `+` and the blank are escaped.
  var queryEncoded: String {
    let plain = Set("$'(),:".utf8)
    return Self.escaped(string.utf8) { $0.isUnreserved || plain.contains($0) }
  }

  private static func escaped(_ bytes: String.UTF8View, keeping isPlain: (UInt8) -> Bool) -> String
  {
    let digits = Array("0123456789ABCDEF".utf8)
    var text: [UInt8] = []
    text.reserveCapacity(bytes.count)
    for byte in bytes {
      if isPlain(byte) {
        text.append(byte)
      } else {
        text += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: text, as: UTF8.self)
  }
}
