package import SyncModel

/// A condition on rows, as `$filter` states it.
///
/// Comparisons are two-valued: `eq` and `ne` hold or don't hold for null as well, the others don't
/// hold where a side is null. Values of different kinds are ordered as ``FilterValue`` says.
package indirect enum ODataFilter: Hashable, Sendable {
  /// Holds for all rows or for none.
  case constant(Bool)
  /// Holds where two values stand so to each other.
  case compare(ODataExpression, Comparison, ODataExpression)
  /// Holds where all of them hold.
  case all([ODataFilter])
  /// Holds where at least one of them holds.
  case any([ODataFilter])
  /// Holds where it doesn't hold.
  case not(ODataFilter)

  /// How two values stand to each other.
  package enum Comparison: String, Hashable, Sendable {
    case equal = "eq"
    case notEqual = "ne"
    case greater = "gt"
    case greaterOrEqual = "ge"
    case less = "lt"
    case lessOrEqual = "le"
  }
}

/// A value on one side of a comparison.
package indirect enum ODataExpression: Hashable, Sendable {
  /// The same for all rows.
  case literal(FilterValue)
  /// What the row holds.
  case column(RowColumn)
  /// A function of other values.
  case call(FilterFunction, [ODataExpression])
  /// Whether a condition holds, as 1 or 0.
  case truth(ODataFilter)
}

/// A part of a row that has a name.
package enum RowColumn: Hashable, Sendable {
  case id
  case createdAt
  case updatedAt
  case version
  case deleted
  /// A member of the body; a path where objects lie in one another.
  case member([Text])

  /// Takes a name from a query, in which `prefix` stands before the system columns; names are
  /// parted by `/`.
  ///
  /// - Throws: `ODataError` for a name with the prefix that is no column, and for a column without
  ///   it: no row that this client sees has such a member.
  init(path: [Text], prefix: String) throws(ODataError) {
    if path.count == 1, let column = Self.named(path[0], prefix: prefix) {
      self = column
      return
    }
    if !prefix.isEmpty, let name = path.first, name != "id" {
      let hasPrefix = name.string.utf8.starts(with: prefix.utf8)
      guard !hasPrefix, Self.named(name, prefix: "") == nil else {
        throw ODataError(
          "there is no column '\(name)': system columns begin with \(prefix)")
      }
    }
    self = .member(path)
  }

  /// Returns the system column of a name in any letter case; `nil` where it is none.
  static func named(_ name: Text, prefix: String) -> RowColumn? {
    if name.isEqual(anyCase: "id") { return .id }
    return system.first { name.isEqual(anyCase: prefix + $0.name) }?.column
  }

  /// The system columns beside the id, in the order in which a row has them, with their names.
  static let system: [(column: RowColumn, name: String)] = [
    (.createdAt, "createdAt"), (.updatedAt, "updatedAt"), (.version, "version"),
    (.deleted, "deleted"),
  ]

  /// Whether the values are moments.
  var isMoment: Bool { self == .createdAt || self == .updatedAt }

  /// Whether every row has it.
  package var isSystem: Bool {
    guard case .member = self else { return true }
    return false
  }
}
