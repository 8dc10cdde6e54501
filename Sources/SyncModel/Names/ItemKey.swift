/// The table and id of an item.
package struct ItemKey: Hashable, Comparable, Sendable {
  /// The table.
  package let table: TableName
  /// The id in the table.
  package let id: ItemID

  package init(_ table: TableName, _ id: ItemID) {
    self.table = table
    self.id = id
  }

  package static func < (left: ItemKey, right: ItemKey) -> Bool {
    left.table == right.table ? left.id < right.id : left.table < right.table
  }
}

extension ItemKey: CustomStringConvertible {
  package var description: String { "\(table)/\(id)" }
}
