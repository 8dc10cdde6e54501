/// A JSON value that keeps numbers as text and members in their order.
///
/// Two values are equal when they mean the same: the order of members and the way a number is
/// written (`1.0`, `1`) make no difference. RFC 8259.
package enum JSON: Sendable {
  /// The literal `null`.
  case null
  /// The literal `true` or `false`.
  case bool(Bool)
  /// A number, as written.
  case number(JSONNumber)
  /// A string, unescaped.
  case string(Text)
  /// An array.
  case array([JSON])
  /// An object.
  case object(JSONObject)
}

extension JSON {
  /// The string's text; `nil` for every other value.
  package var text: Text? {
    guard case .string(let text) = self else { return nil }
    return text
  }

  /// The boolean's value; `nil` for every other value.
  package var boolean: Bool? {
    guard case .bool(let value) = self else { return nil }
    return value
  }

  /// The object; `nil` for every other value.
  package var object: JSONObject? {
    guard case .object(let object) = self else { return nil }
    return object
  }

  /// The elements of an array; `nil` for every other value.
  package var elements: [JSON]? {
    guard case .array(let elements) = self else { return nil }
    return elements
  }

  /// The number as an integer; `nil` for every other value and where it is none.
  package var integer: Int? {
    guard case .number(let number) = self else { return nil }
    return Int(number.text)
  }

  /// Whether this is `null`.
  package var isNull: Bool {
    guard case .null = self else { return false }
    return true
  }

  /// A name that stands twice in one object, at any depth; `nil` where there is none.
  package var duplicate: Text? {
    switch self {
    case .null, .bool, .number, .string: return nil
    case .array(let elements):
      for element in elements { if let name = element.duplicate { return name } }
      return nil
    case .object(let object):
      if let name = object.duplicate { return name }
      for member in object.members { if let name = member.value.duplicate { return name } }
      return nil
    }
  }

  /// Wraps an integer.
  package static func integer(_ value: Int) -> JSON { .number(JSONNumber(value)) }

  /// Wraps a Swift string.
  package static func string(_ value: String) -> JSON { .string(Text(value)) }
}

extension JSON: Equatable {
  package static func == (left: JSON, right: JSON) -> Bool {
    switch (left, right) {
    case (.null, .null): true
    case (.bool(let one), .bool(let other)): one == other
    case (.number(let one), .number(let other)): one == other
    case (.string(let one), .string(let other)): one == other
    case (.array(let one), .array(let other)): one == other
    case (.object(let one), .object(let other)): one == other
    default: false
    }
  }
}

extension JSON: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral,
  ExpressibleByIntegerLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  package init(stringLiteral value: String) { self = .string(Text(value)) }
  package init(booleanLiteral value: Bool) { self = .bool(value) }
  package init(integerLiteral value: Int) { self = .integer(value) }
  package init(arrayLiteral elements: JSON...) { self = .array(elements) }
  package init(dictionaryLiteral elements: (Text, JSON)...) {
    self = .object(JSONObject(elements.map { JSONObject.Member(name: $0, value: $1) }))
  }
}
