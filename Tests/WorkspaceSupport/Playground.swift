package import SyncModel
package import TestSupport
package import Workspace

/// A fresh workspace on a real disk, and what a person does in it from outside.
///
/// Its clock stands at 2026-03-01T10:15:02Z.
package final class Playground {
  package static let second: Int64 = 1_772_360_102
  package let directory = TemporaryDirectory()
  package let table: TableName
  package var now = Playground.second * 1_000_000_000

  package init() throws {
    table = try TableName("todoitem")
    try Workspace.make(
      at: directory.path, settings: SettingsFile(place: "config.json", text: nil),
      state: WorkspaceState(), tables: [table])
  }

  /// Opens the workspace to change it.
  package func open() throws -> Workspace {
    try Workspace(
      at: directory.path, for: .writing(command: "test", patience: 0), clock: { self.now })
  }

  package func key(_ id: Text = "a") throws -> ItemKey { ItemKey(table, try ItemID(id)) }

  /// Saves an item's file as an editor does that truncates and writes.
  @discardableResult
  package func save(_ text: String, as id: String = "a") -> Digest {
    directory.write(text, to: ".todosync/items/todoitem/\(id).json")
    return Digest(of: text.utf8)
  }

  /// Returns an item's text.
  package func text(_ id: String = "a") -> String? {
    directory.text(".todosync/items/todoitem/\(id).json")
  }

  /// Returns the texts in a directory of the trash's, in the order of their names.
  package func trash(_ name: String = "items/todoitem") -> [String] {
    directory.names(in: ".todosync/trash/\(name)").compactMap {
      directory.text(".todosync/trash/\(name)/\($0)")
    }
  }

  /// Returns the names of the texts on their way.
  package var staged: [String] {
    directory.names(in: ".todosync/trash").filter { $0.hasPrefix(".tmp-") }
  }
}

extension Item {
  /// Reads an item from the text of a test.
  package init(text: String) throws {
    self.init(try JSONEdit(Array(text.utf8)).object)
  }
}
