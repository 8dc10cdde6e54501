package import SyncModel
package import TableServer

/// A condition as SQL: every literal and every path is bound, no text of a client is in it.
///
/// It speaks SQLite's SQL on the columns `id`, `created_at`, `updated_at`, `version`, `deleted` and
/// `text`, and calls `FilterFunction`s as `odata_NAME`. What lies deepest is written first wherever
/// the order is free: SQLite's parser has a stack of 100, and needs least of it for what comes first.
package struct SQLFilter: Hashable, Sendable {
  /// The SQL, with a `?` for each argument.
  package private(set) var sql = ""
  /// What is bound, in order.
  package private(set) var arguments: [FilterValue] = []
  /// The members that the SQL calls `m0`, `m1` …: columns of their ``source(_:)``.
  package private(set) var members: [[Text]]
  /// How many pieces SQLite's parser must keep in mind at the deepest place, about.
  package private(set) var nesting = 0
  /// How many it may be: the parser's stack has 100 places, and what stands around a condition needs 11.
  package static let mostNesting = 84
  private var level = 0

  /// Renders a condition, beside others that have named some members.
  package init(_ filter: ODataFilter, members: [[Text]] = []) {
    self.members = members
    append(filter)
  }

  /// Returns the name by which SQL calls a function, with its two values flipped or not.
  package static func name(of function: FilterFunction, isFlipped: Bool) -> String {
    "odata_\(function.rawValue)\(isFlipped ? "_flipped" : "")"
  }

  /// Renders a column, to order by it.
  package init(_ column: RowColumn, members: [[Text]] = []) {
    self.members = members
    append(column)
  }
}

extension SQLFilter {
  private mutating func append(_ filter: ODataFilter) {
    switch filter {
    case .constant(let truth): sql += truth ? "1" : "0"
    case .not(let condition):
      sql += "NOT "
      nest(1) { $0.appendGrouped(condition) }
    case .all(let conditions): append(conditions, joinedBy: " AND ")
    case .any(let conditions): append(conditions, joinedBy: " OR ")
    case .compare(let left, let comparison, let right): append(left, comparison, right)
    }
  }

  private mutating func appendGrouped(_ filter: ODataFilter) {
    sql += "("
    nest(1) { $0.append(filter) }
    sql += ")"
  }

  /// Appends what comes behind pieces that make no whole yet.
  private mutating func nest(_ pieces: Int, _ append: (inout SQLFilter) -> Void) {
    level += pieces
    nesting = max(nesting, level)
    append(&self)
    level -= pieces
  }

  private mutating func append(_ filters: [ODataFilter], joinedBy word: String) {
    for (index, filter) in filters.sorted(by: { $0.depth > $1.depth }).enumerated() {
      if index > 0 { sql += word }
      nest(index > 0 ? 2 : 0) { $0.appendGrouped(filter) }
    }
  }

  private mutating func append(
    _ left: ODataExpression, _ comparison: ODataFilter.Comparison, _ right: ODataExpression
  ) {
    guard left.depth >= right.depth else {
      append(right, comparison.mirrored, left)
      return
    }
    let bothThere = left.isNeverNull && right.isNeverNull
    switch comparison {
    case .equal: append(left, bothThere ? " = " : " IS ", right)
    case .notEqual: append(left, bothThere ? " <> " : " IS NOT ", right)
    case .greater, .greaterOrEqual, .less, .lessOrEqual:
      // NULL would survive a NOT; an index can only be used where nothing is around the column.
      guard !bothThere else { return append(left, comparison.sign, right) }
      sql += "coalesce("
      nest(3) { $0.append(left, comparison.sign, right) }
      sql += ", 0)"
    }
  }

  private mutating func append(
    _ left: ODataExpression, _ sign: String, _ right: ODataExpression
  ) {
    append(left)
    sql += sign
    nest(3) { $0.append(right) }
  }

  private mutating func append(_ expression: ODataExpression) {
    switch expression {
    case .literal(let value): bind(value)
    case .column(let column): append(column)
    case .truth(let condition): appendGrouped(condition)
    case .call(let function, let values):
      let isFlipped = values.count == 2 && values[0].depth < values[1].depth
      sql += Self.name(of: function, isFlipped: isFlipped) + "("
      for (index, value) in (isFlipped ? values.reversed() : values).enumerated() {
        if index > 0 { sql += ", " }
        nest(index > 0 ? 5 : 3) { $0.append(value) }
      }
      sql += ")"
    }
  }

  private mutating func append(_ column: RowColumn) {
    switch column {
    case .id: sql += "id"
    case .createdAt: sql += "created_at"
    case .updatedAt: sql += "updated_at"
    case .version: sql += "version"
    case .deleted: sql += "deleted"
    case .member(let path):
      guard Self.jsonPath(path[...]) != nil else {
        sql += "NULL"
        return
      }
      if !members.contains(path) { members.append(path) }
      sql += "m\(members.firstIndex(of: path) ?? 0)"
    }
  }

  /// Returns what is selected from, and what is bound in it: the rows, with members as columns.
  ///
  /// A member that isn't there by its exact name is looked for in any letter case. A name that is
  /// there, with null for instance, is the first that the second look finds.
  package static func source(_ members: [[Text]]) -> (sql: String, arguments: [FilterValue]) {
    guard !members.isEmpty else { return ("items", []) }
    var (sql, arguments) = ("(SELECT *", [FilterValue]())
    for (number, path) in members.enumerated() {
      sql += """
        , coalesce(json_extract(text, ?), json_extract(text, (SELECT fullkey FROM json_each(text) \
        WHERE key = ? COLLATE NOCASE ORDER BY key <> ?, id LIMIT 1) || ?)) AS m\(number)
        """
      let rest = jsonPath(path.dropFirst()) ?? ""
      arguments += [Text("$\(jsonPath(path[...]) ?? "")"), path[0], path[0], rest].map { .text($0) }
    }
    return (sql + " FROM items)", arguments)
  }

  private mutating func bind(_ value: FilterValue) {
    sql += "?"
    arguments.append(value)
  }

  /// Returns a path as SQLite writes them, `."a"."b"`; `nil` for a name that SQLite can't say.
  ///
  /// SQLite has no escape for a quote in a path, and compares with the name as the JSON text
  /// writes it; names that a query can hold need neither quotes nor escapes.
  private static func jsonPath(_ names: ArraySlice<Text>) -> Text? {
    var path = ""
    for name in names {
      guard !name.string.utf8.contains(where: { $0 < 0x20 || $0 == 0x22 || $0 == 0x5C }) else {
        return nil
      }
      path += ".\"\(name)\""
    }
    return Text(path)
  }
}

extension ODataFilter.Comparison {
  fileprivate var sign: String {
    switch self {
    case .equal: " = "
    case .notEqual: " <> "
    case .greater: " > "
    case .greaterOrEqual: " >= "
    case .less: " < "
    case .lessOrEqual: " <= "
    }
  }

  /// The same with the sides changed.
  fileprivate var mirrored: ODataFilter.Comparison {
    switch self {
    case .equal, .notEqual: self
    case .greater: .less
    case .greaterOrEqual: .lessOrEqual
    case .less: .greater
    case .lessOrEqual: .greaterOrEqual
    }
  }
}

extension ODataFilter {
  /// How many conditions and functions lie in one another.
  fileprivate var depth: Int {
    switch self {
    case .constant: 0
    case .not(let condition): 1 + condition.depth
    case .all(let conditions), .any(let conditions): 1 + (conditions.map(\.depth).max() ?? 0)
    case .compare(let left, _, let right): max(left.depth, right.depth)
    }
  }
}

extension ODataExpression {
  /// How many conditions and functions lie in it.
  fileprivate var depth: Int {
    switch self {
    case .literal, .column: 0
    case .truth(let condition): 1 + condition.depth
    case .call(_, let values): 1 + (values.map(\.depth).max() ?? 0)
    }
  }

  /// Whether the value can't be null, whatever the row.
  fileprivate var isNeverNull: Bool {
    switch self {
    case .literal(let value): value != .null
    case .column(let column): column.isSystem
    case .truth: true
    case .call(let function, _): function.isCondition
    }
  }
}
