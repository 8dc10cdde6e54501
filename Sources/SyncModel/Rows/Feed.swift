/// What a pull asks a table for, with a delta token of its own: all its rows, those of a query, or of the
/// rows that have changed no more than their ids.
package struct Feed: Hashable, Sendable {
  /// The table.
  package let table: TableName
  /// The query's name; `nil` stands for the whole table.
  package let query: Text?
  /// Which rows are asked for: a condition in the words of the server, OData's `$filter`; `nil` for all.
  package let filter: Text?

  /// Makes a feed; without a query it is the whole table.
  package init(_ table: TableName, query: Text? = nil, filter: Text? = nil) {
    self.table = table
    self.query = query
    self.filter = filter
  }

  /// Returns the ids of a table that change: what has left its queries is among them.
  package static func ids(of table: TableName) -> Feed { Feed(table, query: "*") }

  /// Whether it brings ids alone.
  package var isIDs: Bool { query == "*" }
}

extension Feed: CustomStringConvertible {
  /// What people call it: the query's name, or the table's.
  package var description: String { query?.string ?? table.description }
}
