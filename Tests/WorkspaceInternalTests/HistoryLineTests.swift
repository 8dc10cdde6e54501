import SyncModel
import TestSupport
import Testing
import WorkspaceSupport

@testable import Workspace

@Suite struct HistoryLineTests {
  private let playground: Playground

  init() throws { playground = try Playground() }

  @Test("A line of history has at most 64 KiB, and says how many files found no room")
  func limitsHistoryLines() throws {
    var workspace = try playground.open()
    let key = try playground.key()
    let place = Text("trash/items/todoitem/a.20260301T101502Z.1.json")
    workspace.displaced = (0..<5_000).map { _ in
      History.Displaced(key: key, old: Digest(of: []), new: nil, place: place)
    }
    try workspace.finish(Text("rm " + String(repeating: "x", count: 100_000)), status: 0)
    try workspace.finish("two", status: 0)
    let text = try #require(playground.directory.read(".todosync/history.jsonl"))
    let lines = text.split(separator: 0x0A)
    #expect(lines.map(\.count).max() ?? 0 <= 64 << 10)
    #expect(try workspace.history().map(\.command.string.utf8.count) == [4_096, 3])
    let first = try #require(try JSON(parsing: Array(lines[1])).object)
    let (kept, more) = (first["displaced"]?.elements?.count ?? 0, first["more"]?.integer ?? 0)
    #expect(kept > 100 && kept + more == 5_000)
  }
}
