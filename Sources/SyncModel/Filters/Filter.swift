/// A condition on one field of an item; tsync-filter(7).
///
/// ```
///   due.lt=2026-03-01      field, operator, value
/// ```
///
/// What the value means is said by the item's field: a number is compared by value, a text by its
/// bytes, anything else by the meaning of its JSON.
package struct Filter: Equatable, Sendable {
  /// The comparison of a field with the value.
  package enum Comparison: String, CaseIterable, Sendable {
    case equal = ""
    case notEqual = ".ne"
    case less = ".lt"
    case lessOrEqual = ".le"
    case greater = ".gt"
    case greaterOrEqual = ".ge"
    case has = ".has"
    case isIn = ".in"
  }

  /// The field's name; `id` is the item's id.
  package let field: Text
  /// How it is compared.
  package let comparison: Comparison
  /// The value; several for ``Comparison/isIn`` only.
  package internal(set) var values: [Text]
  /// Whether the values stood in quotes, so that they are texts, whatever they look like.
  package internal(set) var isQuoted = false

  /// Reads a word; an operator is what follows the last dot, unless an item has a field of the whole
  /// name.
  ///
  /// - Parameters:
  ///   - word: The word.
  ///   - isField: Whether an item has a field of that name.
  /// - Throws: Why it is no filter.
  package init(_ word: Text, isField: (Text) -> Bool = { _ in false }) throws(FilterError) {
    let bytes = word.bytes
    guard let sign = bytes.firstIndex(of: UInt8(ascii: "=")) else {
      throw FilterError("a filter must be FIELD=VALUE, but \(word) has no '='")
    }
    let name = Text(String(decoding: bytes[..<sign], as: UTF8.self))
    let dot = isField(name) ? nil : name.bytes.lastIndex(of: UInt8(ascii: "."))
    let end = String(decoding: name.bytes[(dot ?? name.bytes.endIndex)...], as: UTF8.self)
    guard let comparison = Comparison(rawValue: end) else {
      let known = Comparison.allCases.dropFirst().map(\.rawValue).joined(separator: " ")
      throw FilterError("\(end) is not an operator, and no item has a field '\(name)': \(known)")
    }
    field = Text(String(decoding: name.bytes[..<(dot ?? name.bytes.endIndex)], as: UTF8.self))
    guard !field.isEmpty else { throw FilterError("the filter \(word) names no field") }
    self.comparison = comparison
    let value = bytes[(sign + 1)...]
    values =
      comparison == .isIn
      ? Self.elements(of: value) : [Text(String(decoding: value, as: UTF8.self))]
  }

  /// Whether a word is meant as a filter where a command also takes references: `=` stands in it,
  /// and neither `/` nor `:` before that.
  package static func isFilter(_ word: Text) -> Bool {
    let start = word.bytes.prefix { $0 != UInt8(ascii: "=") }
    return start.count < word.bytes.count && !start.contains(UInt8(ascii: "/"))
      && !start.contains(UInt8(ascii: ":"))
  }

  /// Splits a value at its commas; `\,` is one that belongs to it.
  private static func elements(of value: ArraySlice<UInt8>) -> [Text] {
    var elements: [[UInt8]] = [[]]
    var rest = value
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "\\"), rest.first == UInt8(ascii: ","), let comma = rest.popFirst() {
        elements[elements.count - 1].append(comma)
      } else if byte == UInt8(ascii: ",") {
        elements.append([])
      } else {
        elements[elements.count - 1].append(byte)
      }
    }
    return elements.map { Text(String(decoding: $0, as: UTF8.self)) }
  }
}

/// The reason why a word is not a filter.
package struct FilterError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The fact in words for people: lower case, no period.
  package let description: String

  /// Makes an error.
  package init(_ description: String) {
    self.description = description
  }
}
