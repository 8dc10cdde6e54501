import SyncModel

/// A field's value, for people.
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

  /// Returns the lines of a text that has line feeds, and any other value on one line.
  static func lines(of value: JSON) -> [String] {
    guard let text = value.text?.string.utf8, text.contains(0x0A) else { return [of(value)] }
    return text.split(separator: 0x0A, omittingEmptySubsequences: false).map {
      String(Substring($0))
    }
  }
}
