import SyncEngine
import SyncModel

/// Rows of the server's that can't be items, as received: `quarantine/TABLE/FINGERPRINT.json`.
struct Quarantine {
  private let root: Directory

  init(root: Directory) {
    self.root = root
  }

  /// Keeps a row; the same text is kept once.
  ///
  /// A power loss may take it back: the server has it.
  ///
  /// - Returns: The place of the file.
  /// - Throws: ``WorkspaceError/file(place:_:)``.
  func keep(_ row: RefusedRow, of table: TableName) throws(WorkspaceError) -> String {
    let directory = try root.child(Layout.quarantine, creating: true)
      .child(table.text.string, creating: true)
    let file = PrivateFile(directory: directory, name: "\(Digest(of: row.text)).json")
    if try file.read() == nil { try file.write(row.text, durably: false) }
    return directory.place(of: file.name)
  }

  /// Returns how many rows of a table are kept.
  ///
  /// - Throws: ``WorkspaceError/file(place:_:)``.
  func count(of table: TableName) throws(WorkspaceError) -> Int {
    let directory = try root.existingChild(Layout.quarantine)?
      .existingChild(table.text.string)
    return try directory?.names().count { $0.utf8.first != UInt8(ascii: ".") } ?? 0
  }
}
