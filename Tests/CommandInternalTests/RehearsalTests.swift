import SyncEngine
import SyncModel
import TestSupport
import Testing

@testable import Commands

@Suite("A rehearsal") struct RehearsalTests {
  private static func file(_ id: String) -> [UInt8] { Array(#"{"id":"\#(id)"}"#.utf8) }

  @Test("a moved file is found, and one that was mended is none")
  func moved() throws {
    let table = try TableName("todoitem")
    func key(_ id: Text) throws -> ItemKey { ItemKey(table, try ItemID(id)) }
    var memory = MemoryDisk()
    let row = try Row(
      JSONObject([.init(name: "id", value: "a"), .init(name: "version", value: "1")]))
    try memory.setBase([row], in: table, durably: true)
    memory.save(Self.file("a"), as: try key("a"))
    #expect(try Rehearsal(on: memory).strays(in: table).isEmpty)
    memory.save(nil as [UInt8]?, as: try key("a"))
    memory.save(Self.file("a"), as: try key("b"))
    let rehearsal = Rehearsal(on: memory)
    #expect(try Array(rehearsal.strays(in: table).keys) == [key("a").id])
    #expect(try rehearsal.moved(key("a"))?.otherID == key("a").id)
    memory.save(Self.file("b"), as: try key("b"))
    #expect(try Rehearsal(on: memory).strays(in: table).isEmpty)
  }

  @Test("what is removed in a dry run is removed last")
  func removedLast() throws {
    let (table, id) = (try TableName("todoitem"), try ItemID("a"))
    var rehearsal = Rehearsal(on: MemoryDisk())
    try rehearsal.append([.marked(id, .removed())], to: table, durably: false)
    #expect(try rehearsal.state(of: table).marks[id] == .removed(time: .max))
  }
}
