import SyncModel

/// A function that a filter can call.
///
/// This is the only place that says what they do: stores that filter by SQL call them by name.
/// Null, or a value of a kind that a function can't take, makes the result null; for the functions
/// that ask something the answer is then no.
package enum FilterFunction: String, CaseIterable, Hashable, Sendable {
  case startswith, endswith, contains, substringof
  case indexof, length, toupper, tolower, trim, concat, substring, replace
  case year, month, day, hour, minute, second
  case floor, ceiling, round
  case add, sub, mul, div, mod, negate
  /// A moment in milliseconds, of a text with a date.
  case moment
  /// The text of a time of day in its one form that can be compared.
  case timeOfDay
  /// Whether a list, as its JSON text, has an element.
  case any

  /// How many values the function takes.
  package var arity: ClosedRange<Int> {
    switch self {
    case .length, .toupper, .tolower, .trim, .year, .month, .day, .hour, .minute, .second, .floor,
      .ceiling, .round, .negate, .moment, .timeOfDay:
      1...1
    case .startswith, .endswith, .contains, .substringof, .indexof, .concat, .add, .sub, .mul,
      .div, .mod, .any:
      2...2
    case .substring: 2...3
    case .replace: 3...3
    }
  }

  /// Whether the function asks something: its value is 1 or 0.
  package var isCondition: Bool {
    switch self {
    case .startswith, .endswith, .contains, .substringof, .any: true
    default: false
    }
  }

  /// Whether a query can call the function by this name; the others stand for operators.
  var isCallable: Bool {
    switch self {
    case .add, .sub, .mul, .div, .mod, .negate, .moment, .timeOfDay, .any: false
    default: true
    }
  }

  /// Returns what the function makes of values, as many as ``arity`` says.
  package func value(of arguments: [FilterValue]) -> FilterValue {
    guard arity.contains(arguments.count) else { return .null }
    return switch self {
    case .startswith, .endswith, .contains, .substringof: FilterValue(answer(arguments))
    case .indexof, .length, .toupper, .tolower, .trim, .concat, .substring, .replace:
      text(arguments)
    case .year, .month, .day, .hour, .minute, .second: part(of: arguments[0])
    case .floor, .ceiling, .round: rounded(arguments[0])
    case .add, .sub, .mul, .div, .mod: arithmetic(arguments[0], arguments[1])
    case .negate: Self.sub.arithmetic(.integer(0), arguments[0])
    case .moment: Self.moment(arguments[0]).map { .integer($0.milliseconds) } ?? .null
    case .timeOfDay: Self.timeOfDay(arguments[0]).map { .text($0) } ?? .null
    case .any: FilterValue(Self.has(arguments[0], arguments[1]))
    }
  }
}

extension FilterFunction {
  private func answer(_ arguments: [FilterValue]) -> Bool {
    guard case .text(let one) = arguments[0], case .text(let two) = arguments[1] else {
      return false
    }
    return switch self {
    case .startswith: one.bytes.starts(with: two.bytes)
    case .endswith: one.bytes.reversed().starts(with: two.bytes.reversed())
    case .contains: one.bytes.firstRange(of: two.bytes) != nil || two.isEmpty
    default: two.bytes.firstRange(of: one.bytes) != nil || one.isEmpty
    }
  }

  private static func has(_ list: FilterValue, _ element: FilterValue) -> Bool {
    guard case .text(let text) = list, text.bytes.first == UInt8(ascii: "["),
      let elements = (try? JSON(parsing: text.bytes))?.elements
    else { return false }
    return elements.contains { FilterValue($0) == element }
  }

  private func part(of value: FilterValue) -> FilterValue {
    let clock = [.hour, .minute, .second].contains(self) ? Self.timeOfDay(value) : nil
    let moment = clock.map { Moment("1970-01-01T\($0)".utf8) } ?? Self.moment(value)
    guard let time = moment?.calendar else { return .null }
    return switch self {
    case .year: .integer(Int64(time.year))
    case .month: .integer(Int64(time.month))
    case .day: .integer(Int64(time.day))
    case .hour: .integer(Int64(time.hour))
    case .minute: .integer(Int64(time.minute))
    default: .integer(Int64(time.second))
    }
  }

  /// Reads `09:52`, `09:52:35` or `09:52:35.123`, and writes it with seven digits after the point:
  /// these texts are ordered as the times are.
  private static func timeOfDay(_ value: FilterValue) -> Text? {
    guard case .text(let text) = value, text.bytes.allSatisfy({ (0x2E...0x3A).contains($0) }),
      Moment("1970-01-01T\(text)".utf8) != nil
    else { return nil }
    let form = "00:00:00.0000000"
    return Text(String("\(text)\(form.dropFirst(text.bytes.count))".prefix(form.count)))
  }

  private static func moment(_ value: FilterValue) -> Moment? {
    switch value {
    // What a Double can count exactly is 285,000 years.
    case .integer(let number) where number.magnitude < 1 << 53: Moment(milliseconds: number)
    case .text(let text): Moment(text.string.utf8)
    default: nil
    }
  }

  private func rounded(_ value: FilterValue) -> FilterValue {
    guard case .real(let number) = value else { return value.number == nil ? .null : value }
    return switch self {
    case .floor: .real(number.rounded(.down))
    case .ceiling: .real(number.rounded(.up))
    default: .real(number.rounded(.toNearestOrAwayFromZero))
    }
  }

  /// Calculates with integers where both are and the result is one that fits, else with doubles.
  private func arithmetic(_ left: FilterValue, _ right: FilterValue) -> FilterValue {
    if case .integer(let one) = left, case .integer(let two) = right {
      let (result, overflow) =
        switch self {
        case .add: one.addingReportingOverflow(two)
        case .sub: one.subtractingReportingOverflow(two)
        case .mul: one.multipliedReportingOverflow(by: two)
        case .div where !one.isMultiple(of: two): (one, true)
        case .div: one.dividedReportingOverflow(by: two)
        default: one.remainderReportingOverflow(dividingBy: two)
        }
      if !overflow { return .integer(result) }
    }
    guard let one = left.number, let two = right.number else { return .null }
    switch self {
    case .add: return FilterValue(one + two)
    case .sub: return FilterValue(one - two)
    case .mul: return FilterValue(one * two)
    case .div: return two == 0 ? .null : FilterValue(one / two)
    default: return two == 0 ? .null : FilterValue(one.truncatingRemainder(dividingBy: two))
    }
  }
}
