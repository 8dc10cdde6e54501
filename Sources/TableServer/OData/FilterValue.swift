package import SyncModel

/// What an expression of a filter comes to, for one row.
///
/// Booleans are the integers 1 and 0, moments are integers in milliseconds, and arrays and objects
/// are their compact JSON text: the values that SQL can compare. A text ends at a U+0000, as
/// SQLite's do.
package enum FilterValue: Hashable, Sendable {
  /// Nothing: `null`, or a member that isn't there.
  case null
  /// A whole number, a boolean, or a moment.
  case integer(Int64)
  /// A number with a fraction, or beyond 64 bits; never NaN.
  case real(Double)
  /// A text, compared by its bytes.
  case text(Text)
}

extension FilterValue {
  /// Takes a number, NaN being nothing.
  init(_ number: Double) {
    self = number.isNaN ? .null : .real(number)
  }

  /// Takes a truth.
  init(_ truth: Bool) {
    self = .integer(truth ? 1 : 0)
  }

  /// Takes a member's value.
  init(_ value: JSON?) {
    switch value {
    case nil, .null: self = .null
    case .bool(let truth): self.init(truth)
    case .number(let number): self.init(number: number.text)
    case .string(let text):
      let isWhole = !text.string.utf8.contains(0)
      self = .text(isWhole ? text : Text(String(Substring(text.string.utf8.prefix { $0 != 0 }))))
    case .array, .object:
      self = .text(Text(decoding: value?.encoded() ?? []))
    }
  }

  /// Reads a number's text: an integer where it is written as one and fits 64 bits.
  init(number text: String) {
    if let integer = Int64(text) {
      self = .integer(integer)
    } else {
      self.init(Double(text) ?? .nan)
    }
  }

  /// The value as a number; `nil` for null and text.
  var number: Double? {
    switch self {
    case .integer(let value): Double(value)
    case .real(let value): value
    case .null, .text: nil
    }
  }
}

/// The order of all values: null, then numbers, then texts.
extension FilterValue: Comparable {
  package static func == (left: FilterValue, right: FilterValue) -> Bool {
    left.compared(to: right) == 0
  }

  package static func < (left: FilterValue, right: FilterValue) -> Bool {
    left.compared(to: right) < 0
  }

  package func hash(into hasher: inout Hasher) {
    switch self {
    case .null: hasher.combine(0)
    // 1 and 1.0 are equal, so both are hashed as the same thing.
    case .integer(let value): hasher.combine(Double(value))
    case .real(let value): hasher.combine(value)
    case .text(let text): hasher.combine(text)
    }
  }

  private func compared(to other: FilterValue) -> Int {
    switch (self, other) {
    case (.integer(let one), .integer(let two)): Self.sign(one, two)
    case (.real(let one), .real(let two)): Self.sign(one, two)
    case (.integer(let one), .real(let two)): Self.sign(one, two)
    case (.real(let one), .integer(let two)): -Self.sign(two, one)
    case (.text(let one), .text(let two)): Self.sign(one, two)
    default: rank - other.rank
    }
  }

  private var rank: Int {
    switch self {
    case .null: 0
    case .integer, .real: 1
    case .text: 2
    }
  }

  private static func sign<Value: Comparable>(_ one: Value, _ two: Value) -> Int {
    one < two ? -1 : (two < one ? 1 : 0)
  }

  /// Compares without rounding the integer to what a `Double` can hold.
  private static func sign(_ one: Int64, _ two: Double) -> Int {
    if two >= 0x1p63 { return -1 }
    if two < -0x1p63 { return 1 }
    let whole = Int64(two)
    return one == whole ? sign(Double(whole), two) : sign(one, whole)
  }
}
