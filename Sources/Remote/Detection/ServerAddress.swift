package import SyncModel

/// The address of a server: an origin and the path of its tables.
///
/// The path has no `/` at its end; `/tables` and what follows is no part of it.
package struct ServerAddress: Hashable, Sendable {
  /// Scheme, host and port.
  package let origin: Origin
  /// The path before `/tables`, as it was written; empty for the root.
  package let path: Text

  /// The longest address, in bytes.
  private static let limit = 2_000

  /// Reads an address as a person types it.
  ///
  /// - Throws: What is wrong with it; a name or password in it isn't repeated.
  package init(_ text: Text) throws(RemoteError) {
    let bytes = text.bytes
    guard bytes.count <= Self.limit else {
      throw RemoteError("an address can have at most \(Self.limit) bytes")
    }
    let (scheme, afterScheme) = try Self.scheme(of: bytes)
    let authority = afterScheme.prefix { !Self.endsAuthority($0) }
    guard !authority.contains(UInt8(ascii: "@")) else {
      throw RemoteError("an address cannot contain a user name or password", namesUser: true)
    }
    guard bytes.allSatisfy(Self.isAllowed) else {
      throw RemoteError(
        "an address must be printable ASCII without spaces, quotes and '\\', other bytes as %XX")
    }
    let (host, port) = try Self.hostAndPort(authority)
    try Self.refusePlain(scheme, host)
    origin = Origin(scheme: scheme, host: host, port: port ?? scheme.port)
    path = try Self.path(afterScheme[authority.endIndex...])
  }

  /// Returns the URL of a target: the path after the address's own, without `/` before it, and the
  /// query.
  func url(of target: String) -> String { "\(self)/\(target)" }
}

extension ServerAddress: CustomStringConvertible {
  package var description: String { "\(origin)\(path)" }
}

extension ServerAddress {
  private static func scheme(
    of bytes: [UInt8]
  ) throws(RemoteError) -> (Origin.Scheme, ArraySlice<UInt8>) {
    if bytes.begins(withWord: "https://") { return (.https, bytes[8...]) }
    if bytes.begins(withWord: "http://") { return (.http, bytes[7...]) }
    throw RemoteError("an address must begin with https:// or http://")
  }

  private static func endsAuthority(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#")
  }

  /// Whether a byte may stand in a URL at all (RFC 3986 §2).
  private static func isAllowed(_ byte: UInt8) -> Bool {
    byte.isUnreserved || "%:/?#[]!$&'()*+,;=@".utf8.contains(byte)
  }

  private static func hostAndPort(
    _ authority: ArraySlice<UInt8>
  ) throws(RemoteError) -> (Text, Int?) {
    var host = authority
    var port: ArraySlice<UInt8>?
    let bracket = authority.lastIndex(of: UInt8(ascii: "]")) ?? authority.startIndex
    if let colon = authority[bracket...].lastIndex(of: UInt8(ascii: ":")) {
      host = authority[..<colon]
      port = authority[(colon + 1)...]
    }
    guard !host.isEmpty else { throw RemoteError("the address has no host") }
    guard isHost(host) else { throw RemoteError("the host in the address is not valid") }
    let name = Text(decoding: host.map(\.lowered))
    guard let port, !port.isEmpty else { return (name, nil) }
    guard let number = port.decimal, (1...65_535).contains(number) else {
      throw RemoteError("the port in the address is not 1 to 65535")
    }
    return (name, number)
  }

  private static func isHost(_ host: ArraySlice<UInt8>) -> Bool {
    if host.first == UInt8(ascii: "[") {
      let inner = host.dropFirst().dropLast()
      return host.last == UInt8(ascii: "]") && inner.contains(UInt8(ascii: ":"))
        && inner.allSatisfy { byte in
          byte.isDigit || (0x61...0x66).contains(byte.lowered) || byte == UInt8(ascii: ":")
            || byte == UInt8(ascii: ".")
        }
    }
    return host.allSatisfy(\.isUnreserved) && host.first != UInt8(ascii: "-")
      && host.first != UInt8(ascii: ".")
  }

  /// Refuses plain HTTP to an address in numbers that is another machine's.
  ///
  /// Where a name leads is only known by the address that is connected to.
  private static func refusePlain(_ scheme: Origin.Scheme, _ host: Text) throws(RemoteError) {
    let address =
      host.string.utf8.first == UInt8(ascii: "[")
      ? String(decoding: host.bytes.dropFirst().dropLast(), as: UTF8.self) : host.string
    guard scheme == .http, LoopbackAddress.isNumeric(address) else { return }
    guard !LoopbackAddress.contains(address) else { return }
    throw RemoteError("plain http to \(host): use https")
  }

  private static func path(_ rest: ArraySlice<UInt8>) throws(RemoteError) -> Text {
    let written = rest.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
    var segments = written.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    var isCut = false
    if let tables = segments.lastIndex(where: { $0.isWord("tables") }) {
      segments = Array(segments[..<tables])
      isCut = true
    }
    guard isCut || written.endIndex == rest.endIndex else {
      throw RemoteError("an address cannot contain '?' or '#'")
    }
    let isDots = { (segment: ArraySlice<UInt8>) in
      segment.elementsEqual(".".utf8) || segment.elementsEqual("..".utf8)
    }
    guard !segments.contains(where: isDots) else {
      throw RemoteError("the path of an address cannot contain '.' or '..'")
    }
    guard segments.allSatisfy({ $0.percentDecoded != nil }) else {
      throw RemoteError("the address contains a '%' that is not an escape")
    }
    while let last = segments.last, last.isEmpty { segments.removeLast() }
    return Text(decoding: Array(segments.joined(separator: "/".utf8)))
  }
}
