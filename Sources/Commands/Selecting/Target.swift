import SyncEngine
import SyncModel

/// The target of a reference: an item, or a file that can't be an item.
struct Target: Equatable {
  /// `nil` if the file's name has no id.
  let key: ItemKey?
  /// The file that can't be an item; `nil` for an item.
  let misnamedFile: InvalidItem?
  let table: TableName

  init(_ key: ItemKey) {
    (self.key, misnamedFile, table) = (key, nil, key.table)
  }

  init(_ misnamedFile: InvalidItem, in table: TableName) {
    (key, self.misnamedFile, self.table) = (nil, misnamedFile, table)
  }

  /// Returns the item; throws ``Problem`` for a file that can't be one.
  func item() throws -> ItemKey {
    guard let key else { throw Problem(invalid: misnamedFile, .usage) }
    return key
  }
}
