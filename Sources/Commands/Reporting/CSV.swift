import SyncModel

/// Comma-separated values, for other programs (RFC 4180).
enum CSV {
  /// Returns a line of values, with a line feed at its end.
  ///
  /// An empty value by itself is quoted, because many programs skip an empty line.
  static func line(_ values: [JSON?]) -> [UInt8] {
    let fields = values.map(field)
    if fields == [[]] { return [quote, quote, 0x0A] }
    return Array(fields.joined(separator: [comma])) + [0x0A]
  }

  /// Returns a text as it is, no value as nothing, and any other value as JSON.
  private static func field(_ value: JSON?) -> [UInt8] {
    let bytes: [UInt8]
    switch value {
    case nil, .null?: return []
    case .string(let text)?: bytes = text.bytes
    case let value?: bytes = value.encoded()
    }
    guard bytes.contains(where: signs.contains) else { return bytes }
    let doubled = bytes.flatMap { $0 == quote ? [quote, quote] : [$0] }
    return [quote] + doubled + [quote]
  }

  private static let quote = UInt8(ascii: "\"")
  private static let comma = UInt8(ascii: ",")
  private static let signs: [UInt8] = [quote, comma, 0x0A, 0x0D]
}
