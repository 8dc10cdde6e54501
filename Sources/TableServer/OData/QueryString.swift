package import SyncModel

/// The options after the `?` of a request, decoded once.
package struct QueryString: Hashable, Sendable {
  /// One option.
  package struct Option: Hashable, Sendable {
    /// The name.
    package var name: Text
    /// The value; empty where there is no `=`.
    package var value: Text

    /// Whether the protocol keeps the name for itself.
    var isReserved: Bool {
      name.string.utf8.starts(with: "$".utf8) || name.string.utf8.starts(with: "__".utf8)
    }
  }

  /// The options in their order.
  package var options: [Option]

  /// Has no options.
  init() {
    options = []
  }

  /// Reads a query; a `+` is a blank.
  ///
  /// - Throws: `TableError.badRequest` where an escape is none, or the result is no UTF-8.
  package init(_ query: some Collection<UInt8>) throws(TableError) {
    options = []
    for part in query.split(separator: UInt8(ascii: "&")) {
      let name = part.prefix { $0 != UInt8(ascii: "=") }
      let value = part.dropFirst(name.count + 1)
      options.append(
        Option(
          name: try Text(percentDecoding: name, plusIsBlank: true),
          value: try Text(percentDecoding: value, plusIsBlank: true)))
    }
  }

  /// Returns the value of an option whose name is written in any letter case.
  package func value(anyCase name: String) -> Text? {
    options.first { $0.name.isEqual(anyCase: name) }?.value
  }

  /// The option that asks for tombstones, in any letter case.
  static let includeDeleted = "__includeDeleted"
  /// The option that asks for system columns, in any letter case.
  static let systemProperties = "__systemProperties"

  /// Whether tombstones are asked for.
  package var includesDeleted: Bool {
    guard let value = value(anyCase: Self.includeDeleted) else { return false }
    return value.isEqual(anyCase: "true")
  }
}

extension Text {
  /// Decodes what stands in a URL.
  ///
  /// - Throws: `TableError.badRequest` where an escape is none, or the result is no UTF-8.
  package init(
    percentDecoding encoded: some Collection<UInt8>, plusIsBlank: Bool = false
  ) throws(TableError) {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(encoded.count)
    var rest = encoded[...]
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "%"):
        guard let high = rest.popFirst().flatMap(Self.digit),
          let low = rest.popFirst().flatMap(Self.digit)
        else { throw .badRequest("the URL contains a '%' that is not an escape") }
        bytes.append(high << 4 | low)
      case UInt8(ascii: "+") where plusIsBlank: bytes.append(0x20)
      default: bytes.append(byte)
      }
    }
    guard let text = Text(validating: bytes) else { throw .badRequest("the URL is not UTF-8") }
    self = text
  }

  /// The text as it can stand in a URL's path or query: all but unreserved characters escaped.
  package var percentEncoded: String {
    var encoded: [UInt8] = []
    for byte in string.utf8 {
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "."),
        UInt8(ascii: "_"), UInt8(ascii: "~"):
        encoded.append(byte)
      default:
        let digits = Array("0123456789ABCDEF".utf8)
        encoded += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: encoded, as: UTF8.self)
  }

  /// Whether this is a text of ASCII, whatever the case of its letters.
  func isEqual(anyCase other: String) -> Bool {
    string.utf8.count == other.utf8.count
      && zip(string.utf8, other.utf8).allSatisfy { Self.lower($0) == Self.lower($1) }
  }

  /// The text with small letters of ASCII.
  var asciiLowercased: Text { Text(decoding: string.utf8.map(Self.lower)) }

  private static func lower(_ byte: UInt8) -> UInt8 {
    (0x41...0x5A).contains(byte) ? byte | 0x20 : byte
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 0x30...0x39: byte - 0x30
    case 0x41...0x46, 0x61...0x66: (byte | 0x20) - 0x61 + 10
    default: nil
    }
  }
}
