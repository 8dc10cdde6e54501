import SyncModel

/// What a list request asks for: its `$` options, read.
package struct ListQuery: Hashable, Sendable {
  /// The condition on the rows.
  package var filter: ODataFilter?
  /// The order of the rows.
  package var order: [PageRequest.Order] = []
  /// How many rows are wanted in all; `nil` where the page's size decides.
  package var top: Int?
  /// How many rows are passed over.
  package var skip = 0
  /// The members wanted; `nil` for all.
  package var columns: [RowColumn]?
  /// Whether the number of all rows is wanted.
  package var wantsCount = false
  /// Whether tombstones are wanted.
  package var includesDeleted = false

  /// Reads the options; names with neither `$` nor a meaning are passed over.
  ///
  /// `columnPrefix` stands before the names of the system columns.
  ///
  /// - Throws: `TableError.badRequest` for a `$` option that is unknown, twice there or no good.
  package init(_ query: QueryString, columnPrefix: String = "") throws(TableError) {
    var seen: Set<Text> = []
    for option in query.options where option.name.string.utf8.first == UInt8(ascii: "$") {
      guard seen.insert(option.name).inserted else {
        throw .badRequest("\(option.name) appears twice")
      }
      try read(option, columnPrefix)
    }
    includesDeleted = query.includesDeleted
  }

  /// The options that begin with `$`.
  static let options = [
    "$filter", "$orderby", "$select", "$top", "$skip", "$count", "$inlinecount",
  ]

  private mutating func read(
    _ option: QueryString.Option, _ prefix: String
  ) throws(TableError) {
    let value = option.value
    do throws(ODataError) {
      switch option.name {
      case "$filter": filter = value.isEmpty ? nil : try ODataFilter(value, columnPrefix: prefix)
      case "$orderby": order = value.isEmpty ? [] : try Self.order(value, prefix)
      case "$select": columns = value.isEmpty ? nil : try Self.columns(value, prefix)
      case "$top": top = try Self.number(value, upTo: ServedLimits.top)
      case "$skip": skip = try Self.number(value, upTo: 1 << 31)
      case "$count": wantsCount = try Self.word(value, yes: "true", no: "false")
      case "$inlinecount": wantsCount = try Self.word(value, yes: "allpages", no: "none")
      default: throw ODataError("the option is unknown")
      }
    } catch {
      throw .badRequest("\(option.name): \(error)")
    }
  }

  private static func number(_ text: Text, upTo limit: Int) throws(ODataError) -> Int {
    guard let number = Int(text.string), number >= 0,
      text.string.utf8.allSatisfy({ (0x30...0x39).contains($0) })
    else { throw ODataError("'\(text)' is not a whole number of 0 or more") }
    guard number <= limit else { throw ODataError("the largest number is \(limit)") }
    return number
  }

  private static func word(_ text: Text, yes: Text, no: Text) throws(ODataError) -> Bool {
    guard text == yes || text == no else { throw ODataError("it must be \(yes) or \(no)") }
    return text == yes
  }

  private static func columns(
    _ text: Text, _ prefix: String
  ) throws(ODataError) -> [RowColumn] {
    var reader = try ColumnReader(text, prefix)
    return try reader.terms { reader throws(ODataError) in try reader.column() }
  }

  private static func order(
    _ text: Text, _ prefix: String
  ) throws(ODataError) -> [PageRequest.Order] {
    var reader = try ColumnReader(text, prefix)
    return try reader.terms { reader throws(ODataError) in
      let column = try reader.column()
      let isDescending = try reader.take(.word("desc"))
      if !isDescending { _ = try reader.take(.word("asc")) }
      return PageRequest.Order(column, isDescending: isDescending)
    }
  }
}

/// Reads names with commas between them.
private struct ColumnReader {
  private var lexer: ODataLexer
  private var token: ODataToken
  private let prefix: String

  init(_ text: Text, _ prefix: String) throws(ODataError) {
    lexer = ODataLexer(text)
    self.prefix = prefix
    token = try lexer.next()
  }

  mutating func take(_ expected: ODataToken) throws(ODataError) -> Bool {
    guard token == expected else { return false }
    token = try lexer.next()
    return true
  }

  mutating func column() throws(ODataError) -> RowColumn {
    var path: [Text] = []
    repeat {
      guard case .word(let name) = token else {
        throw lexer.error("expected a name, not \(token.name)")
      }
      path.append(name)
      token = try lexer.next()
    } while try take(.slash)
    return try RowColumn(path: path, prefix: prefix)
  }

  mutating func terms<Term>(
    _ read: (inout ColumnReader) throws(ODataError) -> Term
  ) throws(ODataError) -> [Term] {
    var terms: [Term] = []
    repeat { terms.append(try read(&self)) } while try take(.comma)
    guard token == .end else { throw lexer.error("unexpected \(token.name)") }
    guard terms.count <= ServedLimits.terms else {
      throw ODataError("at most \(ServedLimits.terms) names are allowed")
    }
    return terms
  }
}
