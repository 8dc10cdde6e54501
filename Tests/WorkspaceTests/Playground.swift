import Glibc
import SyncEngine
import SyncModel
import TestSupport

@testable import Workspace

/// A fresh workspace on a real disk, and what a person does in it from outside.
///
/// Its clock stands at 2026-03-01T10:15:02Z.
final class Playground {
  static let second: Int64 = 1_772_360_102
  let directory = TemporaryDirectory()
  let table: TableName
  var now = Playground.second * 1_000_000_000

  init() throws {
    table = try TableName("todoitem")
    try Workspace.make(
      at: directory.path, settings: SettingsFile(place: "config.json", text: nil),
      state: WorkspaceState(), tables: [table])
  }

  /// Opens the workspace to change it.
  func open() throws -> Workspace {
    try Workspace(
      at: directory.path, for: .writing(command: "test", patience: 0), clock: { self.now })
  }

  func key(_ id: Text = "a") throws -> ItemKey { ItemKey(table, try ItemID(id)) }

  /// Saves an item's file as an editor does that truncates and writes.
  @discardableResult
  func save(_ text: String, as id: String = "a") -> Digest {
    directory.write(text, to: ".todosync/items/todoitem/\(id).json")
    return Digest(of: text.utf8)
  }

  /// Returns an item's text.
  func text(_ id: String = "a") -> String? {
    directory.text(".todosync/items/todoitem/\(id).json")
  }

  /// Returns the texts in a directory of the trash's, in the order of their names.
  func trash(_ name: String = "items/todoitem") -> [String] {
    directory.names(in: ".todosync/trash/\(name)").compactMap {
      directory.text(".todosync/trash/\(name)/\($0)")
    }
  }

  /// Returns the names of the texts on their way.
  var staged: [String] {
    directory.names(in: ".todosync/trash").filter { $0.hasPrefix(".tmp-") }
  }

  /// Returns the file of an item, with the workspace's parts under it.
  func file(_ workspace: Workspace, _ id: String = "a") throws -> ReplacedFile {
    ReplacedFile(
      kind: "items", table: table,
      directory: try workspace.root.child("items").child("todoitem"), name: "\(id).json",
      trash: workspace.trash)
  }
}

extension Item {
  /// Reads an item from the text of a test.
  init(text: String) throws {
    self.init(try JSONEdit(Array(text.utf8)).object)
  }
}

extension Hint {
  /// The hint as it is printed in the workspace's directory.
  var typed: String {
    pieces.map { piece in
      switch piece {
      case .text(let text): text
      case .command(let words, let places): (words + places).map(Shell.word).joined(separator: " ")
      case .column: ": "
      }
    }.joined()
  }
}
