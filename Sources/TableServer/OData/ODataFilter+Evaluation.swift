import SyncModel

extension ODataFilter {
  /// Whether the condition holds for a row.
  ///
  /// - Throws: `StoreDamage` where the stored text is no JSON.
  package func holds(for row: StoredRow) throws -> Bool {
    var subject = FilterSubject(row: row)
    return try holds(for: &subject)
  }

  fileprivate func holds(for row: inout FilterSubject) throws -> Bool {
    switch self {
    case .constant(let truth): return truth
    case .not(let condition): return try !condition.holds(for: &row)
    case .all(let conditions):
      for condition in conditions where try !condition.holds(for: &row) { return false }
      return true
    case .any(let conditions):
      for condition in conditions where try condition.holds(for: &row) { return true }
      return false
    case .compare(let left, let comparison, let right):
      return comparison.holds(try left.value(in: &row), try right.value(in: &row))
    }
  }
}

extension ODataFilter.Comparison {
  fileprivate func holds(_ left: FilterValue, _ right: FilterValue) -> Bool {
    switch self {
    case .equal: return left == right
    case .notEqual: return left != right
    default: break
    }
    guard left != .null, right != .null else { return false }
    return switch self {
    case .greater: left > right
    case .greaterOrEqual: left >= right
    case .less: left < right
    default: left <= right
    }
  }
}

extension ODataExpression {
  fileprivate func value(in row: inout FilterSubject) throws -> FilterValue {
    switch self {
    case .literal(let value): value
    case .column(let column): try row.value(of: column)
    case .call(let function, let arguments):
      function.value(of: try arguments.map { try $0.value(in: &row) })
    case .truth(let condition): FilterValue(try condition.holds(for: &row))
    }
  }
}

/// A row whose body is parsed when the first condition asks for a member.
package struct FilterSubject {
  private let row: StoredRow
  private var members: JSONObject?

  /// Takes a row.
  package init(row: StoredRow) {
    self.row = row
  }

  /// Returns what the row holds under a name; null where there is nothing.
  ///
  /// - Throws: `JSONError` where the stored text is no JSON.
  package mutating func value(of column: RowColumn) throws -> FilterValue {
    switch column {
    case .id: return .text(row.id.text)
    case .createdAt: return .integer(row.createdAt.milliseconds)
    case .updatedAt: return .integer(row.updatedAt.milliseconds)
    case .version: return .text(row.version.text)
    case .deleted: return FilterValue(row.isDeleted)
    case .member(let path):
      let root = try members ?? row.members()
      members = root
      var value = root.member(anyCase: path[0])?.value
      for name in path.dropFirst() { value = value?.object?[name] }
      return FilterValue(value)
    }
  }
}
