import SyncEngine
import SyncModel
import Workspace

extension OpenWorkspace {
  /// Returns the path of an item's file, relative to the directory that holds the workspace.
  func path(of key: ItemKey) throws -> String {
    let path = try workspace.path(of: key)
    return PathName.part(of: path, below: workspace.path) ?? path
  }

  /// Returns an item's place as people are shown it: relative to `.todosync`.
  func place(of key: ItemKey) throws -> String {
    let path = try path(of: key)
    guard let slash = path.utf8.firstIndex(of: UInt8(ascii: "/")) else { return path }
    return String(path[path.utf8.index(after: slash)...])
  }

  /// Returns an absolute path as people are shown it: relative to `.todosync` where it lies there.
  func place(ofPath path: String) -> String {
    PathName.part(of: path, below: "\(workspace.path)/.todosync") ?? path
  }

  /// Returns the names of the directories below `items` that are no table of the workspace.
  func unknownDirectories() throws -> [String] {
    let found = try workspace.directories()
    return found.tables.filter { !configuration.tables.contains($0) }.map(\.description)
      + found.others
  }
}

extension OpenWorkspace {
  /// Makes sure that no directory is missing whose table has rows here: its files would look deleted,
  /// and the directory be made anew (decisions.md 78).
  ///
  /// - Throws: ``Failure`` with the ways on, ``WorkspaceError``.
  func requireDirectories() throws {
    let found = try workspace.directories().tables
    for table in tables where !found.contains(table) {
      let count = try workspace.liveIDs(in: table).count
      guard count > 0 else { continue }
      let place = ".todosync/items/\(table)"
      throw Failure(
        .unsafe, "items/\(table) is missing",
        hints: [
          "to bring its items back: \(typed: "restore", "-a", "-t", "\(table)")",
          "to delete them on the server: \(shell: "mkdir", places: [place]) && \(typed: "push", "--max-delete", "\(count)")",
        ])
    }
  }

  /// Returns what to do where no row of an item is known: the server may have one, as long as its table
  /// was never pulled, or was forgotten since.
  func wayToRow(of key: ItemKey) throws -> [Hint] {
    guard configuration.remote != nil, try workspace.token(of: key.table) == nil else { return [] }
    return ["should the server have one, it comes with: \(typed: "pull")"]
  }

  /// Whether the directory of the items is gone.
  var lacksItems: Bool {
    get throws(WorkspaceError) {
      do throws(WorkspaceError) {
        _ = try workspace.directories()
        return false
      } catch {
        guard case .missing = error else { throw error }
        return true
      }
    }
  }
}
