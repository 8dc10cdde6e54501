extension JSONNumber: Comparable {
  /// Whether a number is less than another by its decimal value; no binary floating point is
  /// involved.
  package static func < (left: JSONNumber, right: JSONNumber) -> Bool {
    let (one, other) = (Magnitude(left.text), Magnitude(right.text))
    if one.isNegative != other.isNegative { return one.isNegative }
    return one.isNegative ? other.isLess(than: one) : one.isLess(than: other)
  }
}

/// A number without its sign, as 0.DIGITS × 10^exponent; zero has no digits and no sign.
private struct Magnitude {
  var isNegative = false
  private var digits: [UInt8] = []
  private var exponent = 0

  /// Takes a number's text apart.
  init(_ text: String) {
    var pointSeen = false
    var rest = text.utf8[...]
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "-"): isNegative = true
      case UInt8(ascii: "."): pointSeen = true
      case UInt8(ascii: "e"), UInt8(ascii: "E"):
        exponent += Self.clamped(String(Substring(rest)))
        rest = rest[rest.endIndex...]
      case UInt8(ascii: "0") where digits.isEmpty:
        if pointSeen { exponent -= 1 }
      default:
        digits.append(byte)
        if !pointSeen { exponent += 1 }
      }
    }
    while digits.last == UInt8(ascii: "0") { digits.removeLast() }
    if digits.isEmpty { (isNegative, exponent) = (false, 0) }
  }

  /// Reads an exponent; one beyond counting is as large as any that can be counted.
  private static func clamped(_ text: String) -> Int {
    let limit = 1 << 60
    return Int(text).map { min(max($0, -limit), limit) }
      ?? (text.utf8.first == UInt8(ascii: "-") ? -limit : limit)
  }

  func isLess(than other: Magnitude) -> Bool {
    if digits.isEmpty || other.digits.isEmpty { return digits.isEmpty && !other.digits.isEmpty }
    if exponent != other.exponent { return exponent < other.exponent }
    return digits.lexicographicallyPrecedes(other.digits)
  }
}
