extension JSONNumber: Comparable {
  /// Whether a number is less than another by its decimal value; no binary floating point is
  /// involved.
  package static func < (left: JSONNumber, right: JSONNumber) -> Bool {
    let (one, other) = (Decimal(left.text), Decimal(right.text))
    if one.isNegative != other.isNegative { return one.isNegative }
    return one.isNegative ? other.isLess(than: one) : one.isLess(than: other)
  }
}

/// A number as ±0.DIGITS × 10^exponent, without zeros at either end; zero has no digits and no sign.
struct Decimal: Equatable {
  private(set) var isNegative = false
  private var digits: [UInt8] = []
  private var exponent = 0
  /// Whether the exponent is within counting; one that isn't is as large as any that can be counted.
  private(set) var isCounted = true

  /// Takes a number's text apart.
  init(_ text: String) {
    var pointSeen = false
    var rest = text.utf8[...]
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "-"): isNegative = true
      case UInt8(ascii: "."): pointSeen = true
      case UInt8(ascii: "e"), UInt8(ascii: "E"):
        let limit = 1 << 60
        let most = rest.first == UInt8(ascii: "-") ? -limit : limit
        let written = Int(Substring(rest)) ?? most
        isCounted = written.magnitude < limit
        exponent += isCounted ? written : most
        rest = rest[rest.endIndex...]
      case UInt8(ascii: "0") where digits.isEmpty:
        if pointSeen { exponent -= 1 }
      default:
        digits.append(byte)
        if !pointSeen { exponent += 1 }
      }
    }
    while digits.last == UInt8(ascii: "0") { digits.removeLast() }
    if digits.isEmpty { (isNegative, exponent, isCounted) = (false, 0, true) }
  }

  /// The digits and the sign; `nil` where the number isn't whole, or has more than 40 digits.
  var whole: String? {
    guard isCounted, digits.count <= exponent, exponent <= 40 else { return nil }
    let zeros = repeatElement(UInt8(ascii: "0"), count: max(exponent, 1) - digits.count)
    return (isNegative ? "-" : "") + String(decoding: digits + zeros, as: UTF8.self)
  }

  /// Whether the number without its sign is less than another one.
  func isLess(than other: Decimal) -> Bool {
    if digits.isEmpty || other.digits.isEmpty { return digits.isEmpty && !other.digits.isEmpty }
    if exponent != other.exponent { return exponent < other.exponent }
    return digits.lexicographicallyPrecedes(other.digits)
  }
}
