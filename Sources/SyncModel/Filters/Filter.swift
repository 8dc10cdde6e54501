/// A condition on one field of an item; tsync-filter(7).
///
/// ```
///   due.lt=2026-03-01      field, operator, value
///   addr.city=Rom          a member within a field
/// ```
///
/// What the value means is said by the item's field: a number is compared by value, a text by its
/// bytes, a date by its day, anything else by the meaning of its JSON.
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

  /// The name of a field, or the path of a member, as it was typed.
  ///
  /// `id` is the item's id. It is empty where any text of the item is looked through.
  package let field: Text
  /// How it is compared.
  package let comparison: Comparison
  /// The value; several for ``Comparison/isIn`` only.
  package internal(set) var values: [Text]
  /// Whether the values stood in quotes, so that they are texts, whatever they look like.
  package internal(set) var isQuoted = false
  /// What the values mean as dates, if they are; none where nobody has asked.
  package internal(set) var dates: [DateSpan?] = []

  /// Looks for a part of any text of an item.
  package init(anywhere part: Text) {
    (field, comparison, values) = ("", .has, [part])
  }

  /// Reads a word.
  ///
  /// If it has a sign of another language, such as `<=`, the error names the filter that is meant.
  /// What follows the last dot is an operator if it is one, unless an item has the whole name.
  ///
  /// - Parameters:
  ///   - word: The word.
  ///   - isField: Whether an item has a field of that name, or a member at that path.
  /// - Throws: Why it is no filter.
  package init(_ word: Text, isField: (Text) -> Bool = { _ in false }) throws(FilterError) {
    let bytes = word.bytes
    let signs = bytes.drop { !"<>!=".utf8.contains($0) }.prefix { "<>!=".utf8.contains($0) }
    let known = ["<": ".lt", "<=": ".le", ">": ".gt", ">=": ".ge", "!=": ".ne", "<>": ".ne"]
    if let sign = known[String(decoding: signs, as: UTF8.self)], signs.startIndex > 0,
      !isField(Text(decoding: bytes.prefix { $0 != UInt8(ascii: "=") }))
    {
      let (start, end) = (bytes[..<signs.startIndex], bytes[signs.endIndex...])
      throw FilterError(
        "'\(word)' is not a filter; this one is: '\(String(decoding: start, as: UTF8.self))\(sign)=\(String(decoding: end, as: UTF8.self))'"
      )
    }
    guard let sign = bytes.firstIndex(of: UInt8(ascii: "=")) else {
      throw FilterError("a filter must be FIELD=VALUE, but \(word) has no '='")
    }
    let name = Text(decoding: bytes[..<sign])
    let dot = isField(name) ? nil : name.bytes.lastIndex(of: UInt8(ascii: "."))
    let operation = dot.flatMap {
      Comparison(rawValue: String(decoding: name.bytes[$0...], as: UTF8.self))
    }
    comparison = operation ?? .equal
    field =
      operation == nil ? name : Text(decoding: name.bytes[..<(dot ?? 0)])
    guard isField(name) || FieldPath(reading: field) != nil else {
      throw FilterError("the filter \(word) names no field")
    }
    let value = bytes[(sign + 1)...]
    values =
      comparison == .isIn
      ? Self.elements(of: value) : [Text(decoding: value)]
  }

  /// The filter with what its values mean as dates.
  package func reading(dates date: (Text) -> DateSpan?) -> Filter {
    var filter = self
    let dates = isQuoted || comparison == .has || values == [""] ? [] : values.map(date)
    filter.dates = dates
    return filter
  }

  /// Splits words at each `or`: all of one group must hold.
  ///
  /// - Throws: Where nothing stands on a side of an `or`.
  package static func groups(_ words: [Text]) throws(FilterError) -> [[Text]] {
    let groups = words.split(separator: alternative, omittingEmptySubsequences: false).map(
      Array.init)
    guard groups.count == 1 || !groups.contains(where: \.isEmpty) else {
      throw FilterError("'or' must stand between two filters")
    }
    return groups
  }

  /// The word between two groups of filters.
  package static let alternative: Text = "or"

  /// Whether a word is meant as a filter where a command also takes references: one of `=<>` stands in it,
  /// and neither `/` nor `:` before that.
  package static func isFilter(_ word: Text) -> Bool {
    let start = word.bytes.prefix { !"=<>".utf8.contains($0) }
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
    return elements.map { Text(decoding: $0) }
  }
}

/// The reason why a word is not a filter.
package struct FilterError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The fact in words for people: lower case, no period.
  package let description: String

  package init(_ description: String) {
    self.description = description
  }
}
