import SyncModel

extension FilterFunction {
  /// Applies the functions of text; places and lengths are counted in Unicode scalars.
  func text(_ arguments: [FilterValue]) -> FilterValue {
    guard case .text(let subject) = arguments[0] else { return .null }
    switch self {
    case .length: return .integer(Int64(subject.string.unicodeScalars.count))
    case .toupper: return .text(Text(subject.string.uppercased()))
    case .tolower: return .text(Text(subject.string.lowercased()))
    case .trim: return .text(Self.trimmed(subject))
    case .substring: return Self.part(of: subject, arguments)
    default: break
    }
    guard case .text(let second) = arguments[1] else { return .null }
    switch self {
    case .concat: return .text(Text(subject.string + second.string))
    case .indexof:
      if second.isEmpty { return .integer(0) }
      guard let place = subject.bytes.firstRange(of: second.bytes)?.lowerBound else {
        return .integer(-1)
      }
      let before = subject.bytes[..<place].count { $0 & 0xC0 != 0x80 }
      return .integer(Int64(before))
    default:
      guard case .text(let third) = arguments[2] else { return .null }
      return Self.replaced(second.bytes, by: third.bytes, in: subject.bytes)
    }
  }

  private static func trimmed(_ text: Text) -> Text {
    let scalars = text.string.unicodeScalars
    guard let first = scalars.firstIndex(where: { !$0.properties.isWhitespace }),
      let last = scalars.lastIndex(where: { !$0.properties.isWhitespace })
    else { return Text("") }
    return Text(String(String.UnicodeScalarView(scalars[first...last])))
  }

  private static func part(of text: Text, _ arguments: [FilterValue]) -> FilterValue {
    guard case .integer(let start) = arguments[1] else { return .null }
    let rest = text.string.unicodeScalars.dropFirst(clamp(start))
    guard arguments.count == 3 else { return .text(Text(String(rest))) }
    guard case .integer(let length) = arguments[2] else { return .null }
    return .text(Text(String(rest.prefix(clamp(length)))))
  }

  private static func clamp(_ count: Int64) -> Int { Int(max(0, min(count, 1 << 30))) }

  /// Replaces every occurrence; a result beyond what an item may hold is null.
  private static func replaced(
    _ old: [UInt8], by new: [UInt8], in text: [UInt8]
  ) -> FilterValue {
    guard !old.isEmpty else { return .text(Text(decoding: text)) }
    var result: [UInt8] = []
    var rest = text[...]
    while let range = rest.firstRange(of: old) {
      result += rest[..<range.lowerBound] + new
      rest = rest[range.upperBound...]
      guard result.count <= ServedLimits.item else { return .null }
    }
    return .text(Text(decoding: result + rest))
  }
}
