import SyncModel

/// A field's value on one line, for people.
enum ValueText {
  /// Returns a one-line text as it is, `-` for no value, and any other value as JSON.
  static func of(_ value: JSON?) -> String {
    switch value {
    case nil, .null?: return "-"
    case .string(let text)?:
      let hasLines = text.string.utf8.contains { $0 == 0x0A || $0 == 0x0D }
      guard hasLines || text.isEmpty else { return text.string }
      return String(decoding: JSON.string(text).encoded(), as: UTF8.self)
    case let value?: return String(decoding: value.encoded(), as: UTF8.self)
    }
  }
}
