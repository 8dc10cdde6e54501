import Remote

extension HTTPRequest {
  /// Whether the URL's scheme is `http`, without TLS.
  var isPlain: Bool { hasScheme("http") }

  /// The URL's scheme, host and port: what messages may name.
  var origin: String {
    let bytes = url.utf8
    return String(bytes[..<authority.endIndex]) ?? ""
  }

  /// Why the request is not sent at all, or `nil` when it may go.
  ///
  /// It looks at bytes, not at Characters, which may hold a line break inside.
  var refusal: TransportError? {
    guard Self.methods.contains(where: { $0.utf8.elementsEqual(method.utf8) }) else {
      return Self.refused("the request's method is not one of GET, POST, PATCH, PUT, DELETE")
    }
    guard url.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
      return Self.refused("the URL has a byte that must be percent-encoded")
    }
    guard hasScheme("http") || hasScheme("https"), !authority.isEmpty else {
      return Self.refused("the URL is not of the form http://HOST/… or https://HOST/…")
    }
    guard !authority.contains(UInt8(ascii: "@")), !authority.contains(UInt8(ascii: "\\")) else {
      return Self.refused("the URL contains a user name")
    }
    guard headers.allSatisfy({ Self.isName($0.name) && Self.isValue($0.value) }) else {
      return Self.refused("a header field of the request has a byte that is not allowed")
    }
    return nil
  }

  private static let methods = ["GET", "POST", "PATCH", "PUT", "DELETE"]

  /// The URL's bytes between `://` and the path, the query or the fragment.
  private var authority: Substring.UTF8View {
    let bytes = url.utf8
    guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")),
      bytes[colon...].starts(with: "://".utf8)
    else { return bytes[bytes.endIndex...] }
    return bytes[colon...].dropFirst("://".utf8.count).prefix { !"/?#".utf8.contains($0) }
  }

  private func hasScheme(_ scheme: String) -> Bool {
    let start = "\(scheme)://"
    // Setting bit 5 lowers letters and leaves `:` and `/` as they are.
    return url.utf8.prefix(start.utf8.count).elementsEqual(start.utf8) { $0 | 0x20 == $1 }
  }

  private static func refused(_ message: String) -> TransportError {
    TransportError(.malformed, message, nothingSent: true)
  }

  /// Tells whether a text is a token (RFC 9110 §5.6.2).
  private static func isName(_ text: String) -> Bool {
    !text.isEmpty
      && text.utf8.allSatisfy { byte in
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
      }
  }

  private static func isValue(_ text: String) -> Bool {
    text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
  }
}
