import SyncModel

extension ODataParser {
  mutating func primary() throws(ODataError) -> Term {
    let taken = token
    switch taken {
    case .open:
      try advance()
      let term = try nested { parser throws(ODataError) in try parser.disjunction() }
      try expect(.close)
      return term
    case .text(let text):
      try advance()
      return try count(.value(.literal(.text(text))))
    case .number(let number):
      try advance()
      return try count(.value(.literal(number)))
    case .moment(let moment):
      try advance()
      return try count(.value(.literal(.integer(moment.milliseconds)), kind: .moment))
    case .timeOfDay(let time):
      let value = FilterFunction.timeOfDay.value(of: [.text(time)])
      guard value != .null else { throw lexer.error("'\(time)' is not a time of day") }
      try advance()
      return try count(.value(.literal(value), kind: .timeOfDay))
    case .word(let word): return try count(try named(word))
    default: throw lexer.error("expected a value, not \(taken.name)")
    }
  }

  private mutating func named(_ word: Text) throws(ODataError) -> Term {
    // What is cast may be no token at all, so the lexer must not look at it first.
    if word == "cast" { return try cast() }
    try advance()
    switch word {
    case "true": return .condition(.constant(true))
    case "false": return .condition(.constant(false))
    case "null": return .value(.literal(.null))
    default: break
    }
    if token == .open { return try call(word) }
    let (column, isList) = try path(from: word)
    if isList { return try anyElement(of: column) }
    return .value(.column(column), kind: column.isMoment ? .moment : nil)
  }

  /// Reads names; the last may be `any` with a parenthesis behind it, which is no name.
  private mutating func path(
    from word: Text
  ) throws(ODataError) -> (column: RowColumn, isList: Bool) {
    var (names, isList) = ([word], false)
    while token == .slash {
      try advance()
      guard case .word(let name) = token else { throw lexer.error("expected a name after '/'") }
      try advance()
      isList = name == "any" && token == .open
      if isList { break }
      names.append(name)
    }
    return (try RowColumn(path: names, prefix: columnPrefix), isList)
  }

  /// `NAME/any(t:t eq VALUE)`: one element of a list has a value.
  private mutating func anyElement(of column: RowColumn) throws(ODataError) -> Term {
    try expect(.open)
    guard case .word(let variable) = token else {
      throw lexer.error("expected a name after 'any('")
    }
    try advance()
    for expected in [.colon, .word(variable), .word("eq")] as [ODataToken] { try expect(expected) }
    let element = try nested { parser throws(ODataError) in try parser.sum() }
    try expect(.close)
    return .value(.call(.any, [.column(column), value(element)]))
  }

  private mutating func call(_ word: Text) throws(ODataError) -> Term {
    guard let function = FilterFunction(rawValue: word.string), function.isCallable else {
      throw lexer.error("there is no function '\(word)'")
    }
    try expect(.open)
    var arguments: [ODataExpression] = []
    while token != .close || !arguments.isEmpty {
      let term = try nested { parser throws(ODataError) in try parser.disjunction() }
      arguments.append(value(term))
      guard token == .comma else { break }
      try advance()
    }
    try expect(.close)
    guard function.arity.contains(arguments.count) else {
      throw lexer.error("\(word) cannot take \(arguments.count) values")
    }
    return .value(.call(function, arguments))
  }

  /// `cast(VALUE,Edm.TYPE)`; `cast` alone is a name like any other.
  private mutating func cast() throws(ODataError) -> Term {
    try advance()
    guard token == .open else { return .value(.column(try path(from: "cast").column)) }
    if let raw = lexer.raw() {
      try advance()
      return try cast(raw, to: try castType())
    }
    try advance()
    let term = try nested { parser throws(ODataError) in try parser.disjunction() }
    return Self.cast(value(term), to: try castType())
  }

  private mutating func castType() throws(ODataError) -> Text {
    try expect(.comma)
    guard case .word(let type) = token else {
      throw lexer.error("expected a type, such as Edm.Guid")
    }
    try advance()
    try expect(.close)
    return type
  }

  private mutating func cast(_ raw: Text, to type: Text) throws(ODataError) -> Term {
    if let kind = Self.kind(of: type) {
      let literal = kind.value(of: [.text(raw)])
      if literal != .null { return .value(.literal(literal), kind: kind) }
    }
    // Dates without a time and GUIDs are compared as the text they are.
    if ["Edm.Date", "Edm.Guid"].contains(type) {
      return .value(.literal(.text(raw)))
    }
    let (value, isWhole) = try value(in: raw)
    guard isWhole else { throw lexer.error("'\(raw)' can't be cast to \(type)") }
    return Self.cast(value, to: type)
  }

  private static func cast(_ value: ODataExpression, to type: Text) -> Term {
    guard let kind = kind(of: type) else { return .value(value) }
    return .value(read(value, as: kind), kind: kind)
  }

  /// The function that reads values of a type; `nil` where they are compared as they are.
  private static func kind(of type: Text) -> FilterFunction? {
    switch type {
    case "Edm.DateTimeOffset", "Edm.DateTime": .moment
    case "Edm.TimeOfDay": .timeOfDay
    default: nil
    }
  }
}
