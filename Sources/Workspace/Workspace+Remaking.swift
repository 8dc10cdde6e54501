import Glibc
package import SyncModel
import SystemPackage

extension Workspace {
  /// Makes the directory of all items anew, or where that is there those of tables, which were removed;
  /// they survive a power loss.
  ///
  /// A directory shows up with all of its files or not at all: what is not there looks deleted.
  ///
  /// - Parameters:
  ///   - files: The items and the bytes of their files, each once; all those of a directory.
  ///   - before: Is called before each of them; what it throws leaves everything as it was.
  /// - Throws: ``WorkspaceError``, what `before` throws.
  package func remakeItems(
    _ files: [(key: ItemKey, text: [UInt8])], before: () throws -> Void
  ) throws {
    requireLock()
    let new = Layout.items + Layout.new
    // What an earlier one left that was stopped, or anybody else has put there.
    if try root.names().contains(new) { _ = try trash.take(new, from: root, named: new) }
    let here = root.descriptor.rawValue
    do {
      let items = try root.child(new, creating: true)
      for (key, text) in files {
        try before()
        let directory = try items.child(key.table.text.string, creating: true)
        let name = try Layout.file(of: key)
        let file = try directory.open(name, O_WRONLY | O_CREAT | O_EXCL)
        defer { close(file) }
        try FileBytes.write(text, to: file, place: directory.place(of: name))
      }
      try root.synchronizeAll()
      // This replaces an empty directory only.
      if let there = try root.existingChild(Layout.items) {
        for table in Set(files.map(\.key.table.text.string)).sorted() {
          try WorkspaceError.checking(there.place(of: table)) {
            renameat(items.descriptor.rawValue, table, there.descriptor.rawValue, table)
          }
        }
        try there.synchronize()
        root.removeTree(new)
      } else {
        try WorkspaceError.checking(Layout.items) { renameat(here, new, here, Layout.items) }
      }
    } catch {
      root.removeTree(new)
      throw error
    }
    try root.synchronize()
    for (key, text) in files { try record(key, from: nil, to: text, place: nil) }
  }
}
