/// What a pull asks a table for, with a delta token of its own: all its rows, or those of a query.
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
}

extension Feed: CustomStringConvertible {
  /// What people call it: the query's name, or the table's.
  package var description: String { query?.string ?? table.description }
}
