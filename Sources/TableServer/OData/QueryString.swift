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
    let encoded = plusIsBlank ? encoded.map { $0 == UInt8(ascii: "+") ? 0x20 : $0 } : Array(encoded)
    guard let bytes = encoded.percentDecoded else {
      throw .badRequest("the URL contains a '%' that is not an escape")
    }
    guard let text = Text(validating: bytes) else { throw .badRequest("the URL is not UTF-8") }
    self = text
  }

  /// Whether this is a text of ASCII, whatever the case of its letters.
  func isEqual(anyCase other: String) -> Bool {
    string.utf8.count == other.utf8.count
      && zip(string.utf8, other.utf8).allSatisfy { $0.lowered == $1.lowered }
  }

  /// The text with small letters of ASCII; those that differ in no more are equal in any case.
  var asciiLowercased: Text { Text(decoding: string.utf8.map(\.lowered)) }
}
