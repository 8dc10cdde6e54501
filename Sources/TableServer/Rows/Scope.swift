package import SyncModel

/// The rows of a table that have one order of stamps: everybody's, or one owner's.
package struct Scope: Hashable, Comparable, Sendable {
  /// The table.
  package let table: TableName
  /// Whose rows these are; empty where they are everybody's.
  package let owner: Text

  package init(_ table: TableName, owner: Text = "") { (self.table, self.owner) = (table, owner) }

  /// By the table's bytes, then the owner's: the order in which transactions lock clocks.
  package static func < (one: Scope, other: Scope) -> Bool {
    one.table == other.table ? one.owner < other.owner : one.table < other.table
  }
}

/// A write and where it belongs.
package struct ScopedWrite: Equatable, Sendable {
  /// The write.
  package var write: RowWrite
  /// The rows among which it is.
  package var scope: Scope

  /// Makes a write to a scope.
  package init(_ write: RowWrite, in scope: Scope) { (self.write, self.scope) = (write, scope) }
}
