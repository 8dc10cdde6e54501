import SyncEngine
import SyncModel
import Workspace

extension Session {
  /// Returns an item's path for messages, relative to `.todosync`.
  func place(of key: ItemKey) throws -> String {
    try place(ofPath: workspace.path(of: key))
  }

  /// Returns an absolute path for messages, relative to `.todosync` if it is below.
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

extension Session {
  /// Refuses if a table with rows has no directory: its items would look deleted (decisions.md 78).
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

  /// Returns a hint to pull if the table has no delta token: the server may have a row then.
  func pullHint(of key: ItemKey) throws -> [Hint] {
    guard configuration.remote != nil, try workspace.token(of: key.table) == nil else { return [] }
    return ["if the server has one, to receive it: \(typed: "pull")"]
  }

  /// Whether the directory of the items is missing.
  var lacksItems: Bool {
    get throws {
      do {
        _ = try workspace.directories()
        return false
      } catch WorkspaceError.missing {
        return true
      }
    }
  }
}
