import CommandSupport
import Commands
import SyncModel
import TestSupport
import Testing

/// Restoring several items, one of which can't be.
@Suite struct RestoreTests {
  private let anna: Person

  /// Milk and tea are in conflict.
  init() throws {
    let world = try CaseWorld(#"{"id": "milk", "text": "Milk"}"#, #"{"id": "tea", "text": "Tea"}"#)
    anna = world.anna
    anna.run("set", "milk", "tea", "text=Mine")
    for id in ["milk", "tea"] {
      try world.server.request("PATCH", "tables/todoitem/\(id)", #"{"text": "Theirs"}"#)
    }
    #expect(anna.run("pull").status == 1)
  }

  @Test("an item that changes meanwhile is named and left, and the others are restored")
  func goesOn() {
    let (anna, count) = (anna, Counter())
    anna.signal = {
      // Between two items it is looked for; now the first one is about to be restored.
      guard count.next() == 1 else { return nil }
      let side = "list/.todosync/conflicts/todoitem/milk.client.json"
      anna.directory.write(#"{"id": "milk", "text": "One"}"#, to: anna.file("milk"))
      anna.directory.write(#"{"id": "milk", "text": "Two"}"#, to: side)
      return nil
    }
    #expect(
      anna.run("restore", "milk", "tea")
        == Outcome(
          status: 3, output: "restored tea  Theirs\n",
          error: "tsync: restore: another program changed todoitem/milk; it was not restored\n"))
    #expect(anna.item("milk")?.contains("One") == true)
    #expect(anna.run("status", "--porcelain").output.contains("todoitem/milk"))
  }

  @Test("a file that is mended meanwhile is named and left; the history has the other one")
  func leavesMendedFiles() throws {
    for id in ["milk", "tea"] { anna.directory.write("{\"x\": }", to: anna.file(id)) }
    let (anna, count) = (anna, Counter())
    let mended = #"{"id": "milk", "text": "Mended"}"#
    anna.signal = {
      if count.next() == 1 { anna.directory.write(mended, to: anna.file("milk")) }
      return nil
    }
    #expect(
      anna.run("restore", "milk", "tea")
        == Outcome(
          status: 3, output: "restored tea  Theirs\n",
          error: "tsync: restore: another program changed todoitem/milk; it was not restored\n"))
    #expect(anna.item("milk") == mended)
    let line = anna.directory.text("list/.todosync/history.jsonl")?.split(separator: "\n").last
    let entry = try JSON(parsing: Array((line ?? "").utf8)).object
    let changes = (entry?["changes"]?.elements ?? []).compactMap(\.object)
    #expect(changes.allSatisfy { $0["id"]?.text == "tea" })
    let texts = changes.compactMap { $0["trash"]?.text }
      .map { anna.directory.text("list/.todosync/\($0)") }
    #expect(texts == ["{\"x\": }"], "\(changes)")
  }
}
