extension JSON {
  /// Whether a server that keeps values by the types of its columns may give this value back as
  /// another one.
  ///
  /// That is the same instant, the same double, the text of the same number or boolean, a boolean for a
  /// word or number that means it, or `[object Object]` for an object.
  package func isKept(as other: JSON) -> Bool {
    switch (self, other) {
    case (.string(let one), .string(let other)):
      if one == other { return true }
      guard let instant = Self.instant(one) else { return false }
      return instant == Self.instant(other)
    case (.number(let one), .number(let other)): return one.isDouble(of: other)
    case (.number(let number), .string(let text)), (.string(let text), .number(let number)):
      return JSONNumber(text.string).map(number.isDouble) ?? false
    case (.bool(let value), .string(let text)): return text == Text("\(value)")
    case (.string(let text), .bool(let value)):
      let words = value ? ["true", "yes", "on", "1"] : ["false", "no", "off", "0", ""]
      return words.contains(text.string.lowercased())
    case (.number(let number), .bool(let value)): return number.double == (value ? 1 : 0)
    case (.object, .string(let text)): return text == "[object Object]"
    default: return self == other
    }
  }

  /// Returns the instant that a text says, in ms: servers keep no more; of a date alone its first one in UTC.
  private static func instant(_ text: Text) -> Int64? {
    (Timestamp(text) ?? Timestamp(Text("\(text)T00:00:00Z"))).map {
      $0.ticks / (Timestamp.perSecond / 1_000)
    }
  }
}

extension JSONNumber {
  /// Whether two numbers are the same double (IEEE 754, binary64), none of them beyond its range.
  fileprivate func isDouble(of other: JSONNumber) -> Bool {
    self == other || (double.isFinite && double == other.double)
  }
}
