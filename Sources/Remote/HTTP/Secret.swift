package import SyncModel

/// A token that never appears in descriptions, dumps, traces and errors.
package struct Secret: Sendable {
  private let text: Text

  /// Takes a text as a token, blanks around it left out.
  ///
  /// - Throws: What is wrong with it: it is sent in a header field, so it is printable ASCII.
  package init(_ text: Text) throws(RemoteError) {
    let bytes = text.bytes.trimmed
    guard !bytes.isEmpty else { throw RemoteError("the token is empty") }
    guard bytes.count <= 16_384 else { throw RemoteError("the token is longer than 16 KiB") }
    guard bytes.allSatisfy({ (0x21..<0x7F).contains($0) }) else {
      throw RemoteError(
        "the token contains a space, a line end or another byte that cannot be sent")
    }
    self.text = Text(decoding: bytes)
  }

  /// Lends the token to who sends it.
  func reveal() -> String { text.string }

  /// The user that the token names in its `sub`, where it is a JSON Web Token (RFC 7519 §4.1.2).
  ///
  /// The signature isn't looked at: the server judges it, this only tells users apart.
  package var subject: Text? {
    let parts = text.string.utf8.split(separator: UInt8(ascii: "."))
    guard parts.count == 3, let claims = Base64.bytes(for: parts[1]),
      let object = (try? JSON(parsing: claims, limits: .item))?.object
    else { return nil }
    return object["sub"]?.text
  }

  /// Returns bytes with every trace of the token replaced: plain, percent-encoded, in base64 with
  /// either alphabet (RFC 4648 §4, §5).
  func redacted(from bytes: [UInt8]) -> [UInt8] {
    let packed = Base64.traces(of: text.bytes)
    let forms = [text.bytes] + escapes + packed + packed.map { $0.map(Base64.urlSafe) }
    return forms.filter { $0.count >= Self.shortestTrace }.reduce(bytes) { rest, form in
      Self.replacing(form, in: rest)
    }
  }

  /// The token percent-encoded, with capital and with small digits.
  private var escapes: [[UInt8]] {
    let capital = Array(text.percentEncoded.utf8)
    var small = capital
    for place in capital.indices where capital[place] == UInt8(ascii: "%") {
      for digit in place + 1...place + 2 { small[digit] = capital[digit].lowered }
    }
    return [capital, small]
  }

  // Shorter pieces are in every text, and tell nothing.
  private static let shortestTrace = 6

  private static func replacing(_ form: [UInt8], in bytes: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    var rest = bytes[...]
    while let first = rest.first {
      if first == form[0], rest.starts(with: form) {
        result += "[token]".utf8
        rest = rest.dropFirst(form.count)
      } else {
        result.append(first)
        rest = rest.dropFirst()
      }
    }
    return result
  }
}

extension Base64 {
  /// Returns a letter as the alphabet for URLs has it.
  fileprivate static func urlSafe(_ letter: UInt8) -> UInt8 {
    switch letter {
    case UInt8(ascii: "+"): UInt8(ascii: "-")
    case UInt8(ascii: "/"): UInt8(ascii: "_")
    default: letter
    }
  }

  /// Returns what of some bytes' letters is the same wherever the bytes lie in a longer text, for
  /// each of the three ways in which they can lie.
  fileprivate static func traces(of bytes: [UInt8]) -> [[UInt8]] {
    (0..<3).map { shift in
      let text = letters(for: [UInt8](repeating: 0, count: shift) + bytes)
      let first = (shift * 8 + 5) / 6
      let end = (shift + bytes.count) * 8 / 6
      return first < end ? Array(text[first..<end]) : []
    }
  }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  package var description: String { "[token]" }
  package var debugDescription: String { "[token]" }
  package var customMirror: Mirror { Mirror(self, children: []) }
}
