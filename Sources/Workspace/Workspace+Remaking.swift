import CLinux
import Glibc
package import SyncModel
import SystemPackage

extension Workspace {
  /// Makes the directory of all items anew where it was removed; it survives a power loss.
  ///
  /// It shows up with all of its files or not at all: what is not there looks deleted.
  ///
  /// - Parameters:
  ///   - keys: The items, each once.
  ///   - text: Gives the bytes of an item's file; `nil` where it has none.
  /// - Throws: ``WorkspaceError/file(place:_:)``, what `text` throws.
  package func remakeItems(_ keys: [ItemKey], text: (ItemKey) throws -> [UInt8]?) throws {
    requireLock()
    // What an earlier one left that was stopped.
    root.removeTree(Layout.items + Layout.new)
    do {
      let items = try root.child(Layout.items + Layout.new, creating: true)
      for key in keys {
        guard let text = try text(key) else { continue }
        let directory = try items.child(key.table.text.string, creating: true)
        let name = try Layout.file(of: key)
        let file = try directory.open(name, O_WRONLY | O_CREAT | O_EXCL)
        defer { close(file) }
        try FileBytes.write(text, to: file, place: directory.place(of: name))
      }
      let here = root.descriptor.rawValue
      try WorkspaceError.checking(Layout.directory) { tsync_syncfs(here) }
      // Whatever lies there meanwhile stays, but for an empty directory.
      try WorkspaceError.checking(Layout.items) {
        renameat(here, Layout.items + Layout.new, here, Layout.items)
      }
    } catch {
      root.removeTree(Layout.items + Layout.new)
      throw error
    }
    try root.synchronize()
  }
}
