import Commands
import SyncEngine
import SyncModel
import TestSupport
import Testing
import Workspace

@Suite("What status says of a pull")
struct StatesTests {
  @Test("one that was stopped is told, but not one that runs, and no row of it is a change")
  func stoppedPull() throws {
    let world = ScriptWorld()
    let table = try TableName("todoitem")
    func row(_ id: Text) throws -> Row {
      Row(id: try ItemID(id), item: Item(JSONObject()), version: Version("1"), updatedAt: nil)
    }
    func open() throws -> Workspace {
      try Workspace(at: world.current, for: .writing(command: "test"), clock: { world.now })
    }
    world.tsync(["init"])
    do {
      var workspace = try open()
      let (old, new) = (try row("old"), try row("new"))
      try workspace.setBase([old], in: table, durably: true)
      try workspace.bring([new], to: table)
      for row in [old, new] {
        _ = try workspace.write(row.item, to: ItemKey(table, row.id), expecting: nil)
      }
      #expect(world.tsync(["status", "-s"]) == 0)
      #expect(world.error == "")
      withExtendedLifetime(workspace) {}
    }
    #expect(world.tsync(["status", "-s"]) == 0)
    #expect(world.output == "")
    #expect(
      world.error == "tsync: status: a newer row of todoitem/new waits; to apply it: tsync pull\n"
    )
  }
}
