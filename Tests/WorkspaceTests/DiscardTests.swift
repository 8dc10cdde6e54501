import Glibc
import SyncEngine
import SyncModel
import TestSupport
import Testing

@testable import Workspace

/// Moving what isn't an item to the trash.
@Suite struct DiscardTests {
  let playground: Playground

  init() throws { playground = try Playground() }

  /// Returns what is wrong with the item's file.
  private func fault(_ workspace: Workspace) throws -> InvalidItem {
    guard case .invalid(let invalid) = try workspace.client(playground.key()) else {
      throw WorkspaceError.missing(place: "a")
    }
    return invalid
  }

  @Test("What isn't valid goes to the trash, and the history says where")
  func discards() throws {
    var workspace = try playground.open()
    let digest = playground.save("{")
    let key = try playground.key()
    #expect(try workspace.discard(fault(workspace), of: key, in: key.table))
    #expect(playground.text() == nil)
    #expect(playground.trash() == ["{"])
    try workspace.finish("test")
    let displaced = try History(root: workspace.root, trash: workspace.trash).entries()
      .flatMap(\.displaced)
    #expect(
      displaced == [
        History.Displaced(
          key: key, old: digest, new: nil, place: "trash/items/todoitem/a.20260301T101502Z.1.json")
      ])
    // It is gone: nothing is left to do.
    playground.save("{")
    let seen = try fault(workspace)
    unlink(playground.directory.path(of: ".todosync/items/todoitem/a.json"))
    #expect(try workspace.discard(seen, of: key, in: key.table))
  }

  @Test("What has changed since it was seen stays", arguments: [#"{"n": 1}"#, #"{"n": 1"#])
  func leavesChanges(text: String) throws {
    var workspace = try playground.open()
    playground.save("{")
    let seen = try fault(workspace)
    playground.save(text)
    let key = try playground.key()
    #expect(try !workspace.discard(seen, of: key, in: key.table))
    #expect(playground.text() == text)
    #expect(playground.trash() == [])
  }
}
