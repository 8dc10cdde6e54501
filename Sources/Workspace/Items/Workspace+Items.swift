import CLinux
import Glibc
package import SyncEngine
package import SyncModel
import SystemPackage

// The items and the sides of conflicts; `candidates(in:)` stands in Workspace+Rows.swift.
extension Workspace: ItemDisk {
  package func client(_ key: ItemKey) throws -> ClientState {
    guard let directory = try itemDirectory(of: key.table) else { return .absent }
    let file = try Layout.file(of: key)
    if let known = rows.client(key, in: directory, file) { return known }
    let state = try ItemFile.read(file, in: directory, as: key).state
    guard case .invalid(let invalid) = state else { return state }
    return .invalid(try invalid.advised(as: key, in: directory, rows.log(of: key.table)))
  }

  package mutating func keep(_ item: Item, of key: ItemKey) throws {
    requireLock()
    _ = try trash.keep(
      ItemFile.text(of: item, id: key.id), named: Layout.stem(of: key),
      suffix: FileName.suffix.string, in: trash.directory(Layout.items, key.table))
  }

  // MARK: Conflicts

  package mutating func writeConflict(_ conflict: Conflict, of key: ItemKey) throws {
    requireLock()
    var current: [UInt8]?
    if let directory = try itemDirectory(of: key.table),
      case .file(let bytes, _) = try FileReading(
        Layout.file(of: key), in: directory, limit: ItemFile.limit)
    {
      current = bytes
    }
    if let place = try conflicts.write(conflict, of: key, current: current) {
      laterNotices.append(
        "the file that was in the place of a conflict file of \(key) is now \(place)")
    }
  }

  package mutating func removeConflict(of key: ItemKey, as end: ConflictEnd) throws {
    requireLock()
    let isEmpty = try conflicts.bytes(.edit, of: key) == []
    let place = try conflicts.remove(of: key)
    if end == .decided, let arrival = try arrivalInConflict(of: key) {
      try record(decided: arrival, of: key)
    }
    guard end == .byItself, !isEmpty, let place else { return }
    let fact = try isInConflict(key) ? "is resolved" : "has no open conflict"
    laterNotices.append("\(key) \(fact); your unfinished merge of it is now \(place)")
  }

  package func conflictClient(of key: ItemKey) throws -> ClientState {
    try conflicts.client(of: key)
  }

  /// The files of the conflicts.
  var conflicts: ConflictFiles { ConflictFiles(root: root, trash: trash) }

  // MARK: Directories

  /// Returns the directory of a table's items; `nil` where there is none.
  func itemDirectory(of table: TableName) throws(WorkspaceError) -> Directory? {
    try root.existingChild(Layout.items)?.existingChild(table.text.string)
  }

  /// Returns an item's file; the table's directory is made where it is absent.
  ///
  /// `items` itself is not: without it, every item would look as if its user had deleted it.
  func itemFile(of key: ItemKey) throws(WorkspaceError) -> ReplacedFile {
    guard let items = try root.existingChild(Layout.items) else {
      throw .missing(place: Layout.items)
    }
    let directory = try items.child(key.table.text.string, creating: true)
    return ReplacedFile(
      kind: Layout.items, table: key.table, directory: directory,
      name: try Layout.file(of: key), trash: trash)
  }
}
