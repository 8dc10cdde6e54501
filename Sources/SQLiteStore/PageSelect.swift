package import GRDB
import SyncModel
package import TableServer

/// A page as a SELECT: a ``SQLFilter`` with what belongs around it.
package struct PageSelect {
  private let request: PageRequest
  private let rows: String
  private let order: String
  private let rowsArguments: [any DatabaseValueConvertible]

  /// Makes the SELECT for the table with a number.
  package init(_ request: PageRequest, in table: Int64) {
    self.request = request
    var condition = "tbl = ?"
    var arguments: [any DatabaseValueConvertible] = [table]
    var members: [[Text]] = []
    if !request.includesDeleted { condition += " AND deleted = 0" }
    // The parts of an AND stand side by side, where SQLite looks for an index.
    for part in request.filter?.parts ?? [] {
      let filter = SQLFilter(part, members: members)
      members = filter.members
      condition += " AND (\(filter.sql))"
      arguments += filter.arguments.map(\.databaseValue)
    }
    var terms: [String] = []
    var isByID = false
    for order in request.order where !isByID {
      let column = SQLFilter(order.column, members: members)
      members = column.members
      terms.append(column.sql + (order.isDescending ? " DESC" : ""))
      isByID = order.column == .id
    }
    if !isByID { terms.append("id") }
    order = terms.joined(separator: ", ")
    let source = SQLFilter.source(members)
    rows = "\(source.sql) WHERE \(condition)"
    rowsArguments = source.arguments.map(\.databaseValue) + arguments
  }

  /// Returns the page; the statements of some shapes of queries are kept for the next one.
  func page(_ database: Database, keeping shapes: QueryShapes) throws -> Page {
    let (sql, arguments) = query
    var page = Page(expecting: request.limit, total: try total(database))
    let statement =
      try request.isLikePulls && shapes.keep(sql)
      ? database.cachedStatement(sql: sql) : database.makeStatement(sql: sql)
    let cursor = try ColumnBytes.fetchCursor(statement, arguments: arguments)
    while let text = try cursor.next() {
      guard page.append(text.bytes) else { break }
    }
    return page
  }

  /// The SELECT, and what is bound in it.
  package var query: (sql: String, arguments: StatementArguments) {
    let sql = """
      SELECT text FROM \(rows)
      ORDER BY \(order) LIMIT ? OFFSET ?
      """
    return (sql, StatementArguments(rowsArguments + [request.limit, request.offset]))
  }

  /// Returns how many rows match; `nil` where nobody asks.
  private func total(_ database: Database) throws -> Int? {
    guard request.countsAll else { return nil }
    return try Int.fetchOne(
      database, sql: "SELECT count(*) FROM \(rows)", arguments: StatementArguments(rowsArguments))
  }
}

extension PageRequest {
  /// Whether it asks as pulls do: by id and updatedAt, upwards, for rows beyond some of these.
  package var isLikePulls: Bool {
    let parts = filter?.parts ?? []
    return order.count <= 2 && order.allSatisfy { $0.column.isOfPulls && !$0.isDescending }
      && parts.count <= 4
      && parts.allSatisfy {
        guard case .compare(.column(let column), _, .literal) = $0 else { return false }
        return column.isOfPulls
      }
  }
}

extension RowColumn {
  fileprivate var isOfPulls: Bool { self == .id || self == .updatedAt }
}

extension FilterValue {
  /// The value as SQLite binds it.
  var databaseValue: DatabaseValue {
    switch self {
    case .null: .null
    case .integer(let value): value.databaseValue
    case .real(let value): value.databaseValue
    case .text(let text): text.string.databaseValue
    }
  }

  /// Takes what SQLite hands to a function.
  init(_ value: DatabaseValue) {
    switch value.storage {
    case .null, .blob: self = .null
    case .int64(let value): self = .integer(value)
    case .double(let value): self = .real(value)
    case .string(let value): self = .text(Text(value))
    }
  }
}

extension DatabaseFunction {
  /// Makes a function of filters callable from SQL, as `odata_NAME`; flipped, its two values change
  /// places.
  convenience init(_ function: FilterFunction, isFlipped: Bool) {
    self.init(SQLFilter.name(of: function, isFlipped: isFlipped), pure: true) { arguments in
      let values = arguments.map(FilterValue.init)
      return function.value(of: isFlipped ? values.reversed() : values).databaseValue
    }
  }
}
