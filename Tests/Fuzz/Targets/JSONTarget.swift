import SyncModel

/// The parser and the writer of JSON.
enum JSONTarget {
  static func run(_ bytes: [UInt8]) throws(Finding) {
    let measures = JSONRecogniser.measures(of: bytes)
    let isItem = measures.map {
      let limits = JSONLimits.item
      return $0.depth <= limits.depth && $0.members <= limits.members
        && $0.number <= limits.number && $0.string <= limits.string
    }
    let isDocument = measures.map { $0.depth <= JSONLimits.document.depth }
    _ = try parse(bytes, .item, isAllowed: isItem ?? false)
    guard let value = try parse(bytes, .document, isAllowed: isDocument ?? false) else { return }
    try writeAndParse(value)
    var numbers: [JSONNumber] = []
    collect(&numbers, in: value)
    try compare(numbers)
  }

  /// Parses a text, and makes sure that it is taken where the grammar and the limits allow it, and
  /// only there.
  private static func parse(
    _ bytes: [UInt8], _ limits: JSONLimits, isAllowed: Bool
  ) throws(Finding) -> JSON? {
    switch Result(catching: { () throws(JSONError) in try JSON(parsing: bytes, limits: limits) }) {
    case .success(let value):
      try ensure(isAllowed, "taken against the grammar or the limits: \(shown(bytes))")
      return value
    case .failure(let fault):
      try ensure(!isAllowed, "refused against the grammar: \(fault): \(shown(bytes))")
      let lines = bytes.count { $0 == 0x0A } + 1
      try ensure((1...lines).contains(fault.line), "a fault in line \(fault.line) of \(lines)")
      try ensure((1...bytes.count + 1).contains(fault.column), "a fault behind the text")
      return nil
    }
  }

  /// Makes sure that every layout says the same value, down to the digits of its numbers.
  private static func writeAndParse(_ value: JSON) throws(Finding) {
    let compact = value.encoded()
    for layout in [JSON.Layout.compact, .indented(), .compactASCII] {
      let text = value.encoded(layout)
      guard let again = try? JSON(parsing: text) else {
        throw Finding(description: "written as no JSON: \(shown(text))")
      }
      try ensure(again == value, "another value once written: \(shown(text))")
      try ensure(again.encoded() == compact, "another text once written: \(shown(text))")
      try ensure(again.duplicate == value.duplicate, "duplicates once written")
    }
    let ascii = value.encoded(.compactASCII)
    try ensure(
      ascii.allSatisfy { (0x20..<0x7F).contains($0) }, "not printable ASCII: \(shown(ascii))")
  }

  private static func collect(_ numbers: inout [JSONNumber], in value: JSON) {
    // What few numbers show of an order, many don't show better.
    guard numbers.count < 4 else { return }
    switch value {
    case .number(let number): numbers.append(number)
    case .array(let elements): for element in elements { collect(&numbers, in: element) }
    case .object(let object):
      for member in object.members { collect(&numbers, in: member.value) }
    case .null, .bool, .string: break
    }
  }

  /// Makes sure that numbers have one order, and that it goes with their equality.
  private static func compare(_ numbers: [JSONNumber]) throws(Finding) {
    for one in numbers {
      try ensure(JSONNumber(one.text)?.text == one.text, "\(one.text) is no number by itself")
      for other in numbers {
        let pair = "\(one.text) and \(other.text)"
        try ensure((one == other) == (other == one), "\(pair) are equal one way round only")
        let found = [one < other, one == other, other < one].count { $0 }
        try ensure(found <= 1, "\(pair) are both less and more or equal")
        for third in numbers where one < other && other < third {
          try ensure(one < third, "\(one.text) < \(other.text) < \(third.text)")
        }
        for third in numbers where one == other && other == third {
          try ensure(one == third, "\(one.text) = \(other.text) = \(third.text)")
        }
      }
    }
  }
}
