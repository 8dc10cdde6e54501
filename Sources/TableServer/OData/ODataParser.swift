package import SyncModel

extension ODataFilter {
  /// Reads a `$filter`: the grammar of tsync-server(8) with `in`, `contains` and `cast`.
  ///
  /// `columnPrefix` stands before the names of the system columns.
  ///
  /// - Throws: What is wrong, and at which byte.
  package init(_ text: Text, columnPrefix: String = "") throws(ODataError) {
    guard text.string.utf8.count <= ServedLimits.filter else {
      throw ODataError("a filter may have \(ServedLimits.filter) bytes at most")
    }
    var parser = try ODataParser(text, columnPrefix)
    self = try parser.filter()
  }
}

/// Reads a filter by recursive descent, one method a level of precedence.
struct ODataParser {
  var lexer: ODataLexer
  var token: ODataToken
  let columnPrefix: String
  private var nodes = 0
  private var depth = 0

  init(_ text: Text, _ columnPrefix: String) throws(ODataError) {
    lexer = ODataLexer(text)
    self.columnPrefix = columnPrefix
    token = try lexer.next()
  }

  /// Reads a value that stands alone in a text within this one; the limits are those of the whole.
  mutating func value(in text: Text) throws(ODataError) -> (ODataExpression, isWhole: Bool) {
    var inner = try ODataParser(text, columnPrefix)
    (inner.nodes, inner.depth) = (nodes, depth)
    let term = try inner.sum()
    nodes = inner.nodes
    return (value(term), inner.token == .end)
  }

  mutating func filter() throws(ODataError) -> ODataFilter {
    let filter = try condition(try disjunction())
    guard token == .end else { throw lexer.error("unexpected \(token.name)") }
    return filter
  }

  /// What has been read: a condition, or a value, perhaps of a kind that a function reads.
  enum Term {
    case condition(ODataFilter)
    case value(ODataExpression, kind: FilterFunction? = nil)
  }

  mutating func advance() throws(ODataError) {
    token = try lexer.next()
  }

  mutating func expect(_ expected: ODataToken) throws(ODataError) {
    guard token == expected else {
      throw lexer.error("expected \(expected.name), not \(token.name)")
    }
    try advance()
  }

  mutating func count(_ term: Term) throws(ODataError) -> Term {
    nodes += 1
    guard nodes <= ServedLimits.filterNodes else {
      throw ODataError("a filter may have \(ServedLimits.filterNodes) parts at most")
    }
    return term
  }

  /// Reads something that lies within something else.
  mutating func nested(
    _ read: (inout ODataParser) throws(ODataError) -> Term
  ) throws(ODataError) -> Term {
    try deepen()
    let term = try read(&self)
    depth -= 1
    return term
  }

  private mutating func deepen() throws(ODataError) {
    depth += 1
    guard depth <= ServedLimits.filterDepth else {
      throw ODataError("a filter may be nested \(ServedLimits.filterDepth) deep at most")
    }
  }
}

extension ODataParser {
  mutating func disjunction() throws(ODataError) -> Term {
    try chain(of: "or", { parser throws(ODataError) in try parser.conjunction() }) { .any($0) }
  }

  private mutating func conjunction() throws(ODataError) -> Term {
    try chain(of: "and", { parser throws(ODataError) in try parser.comparison() }) { .all($0) }
  }

  private mutating func chain(
    of word: Text, _ read: (inout ODataParser) throws(ODataError) -> Term,
    _ make: ([ODataFilter]) -> ODataFilter
  ) throws(ODataError) -> Term {
    let first = try read(&self)
    guard token == .word(word) else { return first }
    var conditions = [try condition(first)]
    while token == .word(word) {
      try advance()
      conditions.append(try condition(try count(try read(&self))))
    }
    return .condition(make(conditions))
  }

  private mutating func comparison() throws(ODataError) -> Term {
    let before = nodes
    var left = try sum()
    var isFirst = true
    let outer = depth
    defer { depth = outer }
    while case .word(let word) = token {
      let comparison = ODataFilter.Comparison(rawValue: word.string)
      guard comparison != nil || word == "in" else { break }
      // As in a sum, each further operator takes what stands before it into itself.
      if !isFirst { try deepen() }
      isFirst = false
      try advance()
      if let comparison {
        left = try count(.condition(compare(left, comparison, try sum())))
      } else {
        left = try membership(of: left, size: nodes - before)
      }
    }
    return left
  }

  /// `x in ('a','b')`, which is the same as `x eq 'a' or x eq 'b'`, and as large.
  private mutating func membership(of left: Term, size: Int) throws(ODataError) -> Term {
    try expect(.open)
    var conditions: [ODataFilter] = []
    while true {
      if !conditions.isEmpty { nodes += size }
      let right = try sum()
      guard case .condition(let equal) = try count(.condition(compare(left, .equal, right)))
      else { break }
      conditions.append(equal)
      guard token == .comma else { break }
      try advance()
    }
    try expect(.close)
    return .condition(.any(conditions))
  }

  mutating func sum() throws(ODataError) -> Term {
    try arithmetic([.add, .sub]) { parser throws(ODataError) in try parser.product() }
  }

  private mutating func product() throws(ODataError) -> Term {
    try arithmetic([.mul, .div, .mod]) { parser throws(ODataError) in try parser.signed() }
  }

  private mutating func arithmetic(
    _ functions: [FilterFunction], _ read: (inout ODataParser) throws(ODataError) -> Term
  ) throws(ODataError) -> Term {
    var left = try read(&self)
    let outer = depth
    defer { depth = outer }
    while case .word(let word) = token, let function = FilterFunction(rawValue: word.string),
      functions.contains(function)
    {
      try advance()
      // Each operator takes what stands before it into itself.
      try deepen()
      let right = try read(&self)
      left = try count(.value(.call(function, [value(left), value(right)])))
    }
    return left
  }

  private mutating func signed() throws(ODataError) -> Term {
    switch token {
    case .word("not"):
      try advance()
      let term = try nested { parser throws(ODataError) in try parser.signed() }
      return try count(.condition(.not(try condition(term))))
    case .minus:
      try advance()
      let term = try nested { parser throws(ODataError) in try parser.signed() }
      if case .value(.literal(let literal), _) = term, literal.number != nil {
        return .value(.literal(FilterFunction.negate.value(of: [literal])))
      }
      return try count(.value(.call(.negate, [value(term)])))
    default: return try primary()
    }
  }
}

extension ODataParser {
  /// Takes what has been read as a condition.
  private func condition(_ term: Term) throws(ODataError) -> ODataFilter {
    switch term {
    case .condition(let condition): return condition
    case .value(.column(let column), _) where column == .deleted || !column.isSystem:
      return .compare(.column(column), .equal, .literal(FilterValue(true)))
    case .value(.call(let function, let arguments), _) where function.isCondition:
      return .compare(.call(function, arguments), .equal, .literal(FilterValue(true)))
    case .value: throw lexer.error("expected a condition before this")
    }
  }

  /// Takes what has been read as a value.
  func value(_ term: Term) -> ODataExpression {
    switch term {
    case .condition(.constant(let truth)): .literal(FilterValue(truth))
    case .condition(let condition): .truth(condition)
    case .value(let value, _): value
    }
  }

  /// Compares; a value beside a moment or a time of day is read as one as well.
  private func compare(
    _ left: Term, _ comparison: ODataFilter.Comparison, _ right: Term
  ) -> ODataFilter {
    guard case .value(let one, let first) = left, case .value(let two, let second) = right,
      first != second
    else { return .compare(value(left), comparison, value(right)) }
    let kind = [first, second].contains(.timeOfDay) ? FilterFunction.timeOfDay : .moment
    return .compare(
      first == kind ? one : Self.read(one, as: kind), comparison,
      second == kind ? two : Self.read(two, as: kind))
  }

  static func read(_ value: ODataExpression, as kind: FilterFunction) -> ODataExpression {
    guard case .literal(let literal) = value else { return .call(kind, [value]) }
    return .literal(kind.value(of: [literal]))
  }
}
