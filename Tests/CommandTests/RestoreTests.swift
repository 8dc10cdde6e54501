import SyncModel
import TestSupport
import Testing

@testable import Commands

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

  /// Edits an item's file and its side of the conflict, differently.
  private static func edit(_ id: String, of person: Person) {
    person.directory.write("{\"id\": \"\(id)\", \"text\": \"One\"}", to: person.file(id))
    person.directory.write(
      "{\"id\": \"\(id)\", \"text\": \"Two\"}",
      to: "list/.todosync/conflicts/todoitem/\(id).client.json")
  }

  @Test("an item that changes meanwhile is named and left, and the others are restored")
  func goesOn() {
    let (anna, count) = (anna, Counter())
    anna.signal = {
      // Between two items it is looked for; now the first one is about to be restored.
      if count.next() == 1 { Self.edit("milk", of: anna) }
      return nil
    }
    #expect(
      anna.run("restore", "milk", "tea")
        == Outcome(
          status: 3, output: "restored tea  Theirs\n",
          error: "tsync: restore: todoitem/milk was changed meanwhile, and stays as it is\n"))
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
          error: "tsync: restore: todoitem/milk was changed meanwhile, and stays as it is\n"))
    #expect(anna.item("milk") == mended)
    let line = anna.directory.text("list/.todosync/history.jsonl")?.split(separator: "\n").last
    let entry = try JSON(parsing: Array((line ?? "").utf8)).object
    let displaced = (entry?["displaced"]?.elements ?? []).compactMap(\.object)
    #expect(displaced.allSatisfy { $0["id"]?.text == "tea" })
    let texts = displaced.compactMap { $0["trash"]?.text }
      .map { anna.directory.text("list/.todosync/\($0)") }
    #expect(texts.first == "{\"x\": }", "\(displaced)")
    // The file, and the three sides of the conflict.
    #expect(texts.count == 4, "\(displaced)")
  }

  @Test("where an item that is named can't be restored, none is")
  func doesNothing() {
    Self.edit("tea", of: anna)
    let before = anna.item("milk")
    let refused = anna.run("restore", "milk", "tea")
    #expect(refused.status == 2)
    #expect(refused.output == "")
    #expect(refused.error.contains("were both edited, and differ"), "\(refused)")
    #expect(anna.item("milk") == before)
  }

  @Test("where the edited side of a conflict can't be read, a file that isn't valid stays, too")
  func asksForTheSide() {
    let side = "list/.todosync/conflicts/todoitem/milk.client.json"
    for place in [anna.file("milk"), side] { anna.directory.write("{", to: place) }
    let kept = anna.directory.names(in: "list/.todosync/trash/items/todoitem")
    let refused = anna.run("restore", "milk")
    #expect(refused.status == 2, "\(refused)")
    #expect(refused.output == "")
    #expect(refused.error.contains("conflicts/todoitem/milk.client.json:1:2: "), "\(refused)")
    #expect(anna.item("milk") == "{")
    #expect(anna.directory.text(side) == "{")
    #expect(anna.directory.names(in: "list/.todosync/trash/items/todoitem") == kept)
    // With the side mended the server's row comes back.
    anna.directory.write(#"{"id": "milk", "text": "Mended"}"#, to: side)
    #expect(anna.run("restore", "milk").output == "restored milk  Theirs\n")
    #expect(anna.item("milk")?.contains("Theirs") == true)
  }

  @Test("what came back from the trash and was refused by the server can be given up")
  func givesUpRefused() throws {
    let world = try CaseWorld(#"{"id": "milk", "text": "Milk"}"#)
    let anna = world.anna
    anna.run("rm", "milk")
    anna.run("push")
    anna.run("restore", "milk")
    world.disturb { $0.method == "GET" ? .forward : .answer(.json("{}", status: 400)) }
    #expect(anna.run("push").status == 3)
    #expect(anna.run("restore", "milk").output == "dropped milk  Milk\n")
    #expect(anna.run("status", "--porcelain").output.contains("milk") == false)
  }

  @Test("what another has changed before deleting it comes back, and isn't undone")
  func restoresLast() throws {
    let world = try CaseWorld(#"{"id": "milk", "text": "Milk", "notes": "old"}"#)
    try world.server.request("PATCH", "tables/todoitem/milk", #"{"text": "Call 555"}"#)
    try world.server.request("DELETE", "tables/todoitem/milk")
    world.anna.run("pull")
    #expect(world.anna.run("restore", "milk").output == "restored milk  Call 555\n")
    #expect(world.anna.run("push").output == "undeleted milk  Call 555\n")
    #expect(try world.row("milk").contains("Call 555"))
    world.anna.expectSound()
  }

  @Test(
    "so it does when the client's side of an item wins that another has changed and deleted",
    arguments: [["--client"], ["--tool", #"sed -i "/^<<</d;/^|||/,/^>>>/d" "$RESULT""#]])
  func revivesLast(words: [String]) throws {
    let world = try CaseWorld(#"{"id": "milk", "text": "Milk", "notes": "old"}"#)
    world.anna.run("set", "milk", "text=Mine")
    try world.server.request(
      "PATCH", "tables/todoitem/milk", #"{"notes": "555", "text": "Theirs"}"#)
    try world.server.request("DELETE", "tables/todoitem/milk")
    world.anna.run("pull")
    #expect(world.anna.run(["resolve"] + words + ["milk"]).status == 0)
    #expect(world.anna.run("push").output == "undeleted milk  Mine\n")
    let row = try world.row("milk")
    #expect(row.contains("555") && row.contains("Mine"), "\(row)")
    world.anna.expectSound()
  }

  @Test("and when the server's has won, and the item is brought back after all")
  func restoresResolved() throws {
    let world = try CaseWorld(#"{"id": "milk", "text": "Milk", "notes": "old"}"#)
    world.anna.run("set", "milk", "text=Mine")
    try world.server.request("PATCH", "tables/todoitem/milk", #"{"notes": "555"}"#)
    try world.server.request("DELETE", "tables/todoitem/milk")
    world.anna.run("pull")
    world.anna.run("resolve", "--server", "milk")
    #expect(world.anna.run("restore", "milk").output == "restored milk  Milk\n")
    #expect(world.anna.item("milk")?.contains("555") == true)
    #expect(world.anna.trashed().contains { $0.contains("Mine") })
    #expect(world.anna.run("push").status == 0)
    world.anna.expectSound()
  }

  @Test(
    "so it does where it was removed here, and the push finds it deleted",
    arguments: ["tsync rm -q milk", "rm .todosync/items/todoitem/milk.json"])
  func restoresRemoved(removal: String) throws {
    let world = try CaseWorld(#"{"id": "milk", "text": "Milk", "notes": "old"}"#)
    let command = removal.replacing("tsync", with: "\(Programs.directory)/tsync")
    #expect(try world.anna.shell(command).status == 0)
    try world.server.request("PATCH", "tables/todoitem/milk", #"{"notes": "555"}"#)
    try world.server.request("DELETE", "tables/todoitem/milk")
    #expect(world.anna.run("push").output == "deleted milk  Milk (already there)\n")
    #expect(world.anna.run("restore", "milk").output == "restored milk  Milk\n")
    #expect(world.anna.run("push").status == 0)
    #expect(try world.row("milk").contains("555"))
    world.anna.expectSound()
  }

  @Test("and where a rule decides for a side", arguments: ["client", "server"])
  func restoresRuled(rule: String) throws {
    let world = try CaseWorld(#"{"id": "milk", "text": "Milk", "notes": "old"}"#)
    world.anna.run("config", "merge", rule)
    world.anna.run("set", "milk", "text=Mine")
    try world.server.request("PATCH", "tables/todoitem/milk", #"{"notes": "555"}"#)
    try world.server.request("DELETE", "tables/todoitem/milk")
    let pulled = world.anna.run("pull")
    #expect(pulled.output == "merged milk  Mine (\(rule))\n", "\(pulled)")
    if rule == "server" { #expect(world.anna.run("restore", "milk").status == 0) }
    #expect(world.anna.item("milk")?.contains("555") == true)
    #expect(world.anna.item("milk")?.contains("Mine") == (rule == "client"))
    #expect(world.anna.run("push").status == 0)
    #expect(try world.row("milk").contains("555"))
    world.anna.expectSound()
  }

  @Test("a field that another has cleared before stays so")
  func restoresCleared() throws {
    let world = try CaseWorld(#"{"id": "milk", "text": "Milk", "notes": "old"}"#)
    try world.server.request("PATCH", "tables/todoitem/milk", #"{"notes": null}"#)
    try world.server.request("DELETE", "tables/todoitem/milk")
    world.anna.run("pull")
    #expect(world.anna.run("restore", "milk").status == 0)
    #expect(world.anna.item("milk")?.contains("Milk") == true)
    #expect(world.anna.item("milk")?.contains("old") == false)
    #expect(world.anna.run("push").status == 0)
    #expect(try world.row("milk").contains("old") == false)
    world.anna.expectSound()
  }

  @Test("what loses where the client's side wins is shown, and kept")
  func keepsLosingLast() throws {
    let world = try CaseWorld(#"{"id": "milk", "text": "Milk", "notes": "old"}"#)
    world.anna.run("set", "milk", "text=Mine")
    try world.server.request("PATCH", "tables/todoitem/milk", #"{"text": "Theirs"}"#)
    try world.server.request("DELETE", "tables/todoitem/milk")
    world.anna.run("pull")
    let shown = world.anna.run("diff", "--conflict").output
    #expect(shown.contains("server (deleted)") && shown.contains("Theirs"), "\(shown)")
    #expect(world.anna.run("resolve", "--client", "milk").status == 0)
    let kept = world.anna.trashed()
    #expect(kept.contains { $0.contains("Theirs") })
    #expect(world.anna.run("push").status == 0)
    world.anna.expectSound()
  }

  @Test("what another has changed before deleting it once more is kept under a pending undelete")
  func keepsLaterLast() throws {
    let world = try CaseWorld(#"{"id": "milk", "text": "Milk", "notes": "old"}"#)
    try world.server.request("DELETE", "tables/todoitem/milk")
    world.anna.run("pull")
    world.anna.run("restore", "milk")
    try world.server.request("POST", "tables/todoitem/milk")
    try world.server.request("PATCH", "tables/todoitem/milk", #"{"notes": "555"}"#)
    try world.server.request("DELETE", "tables/todoitem/milk")
    world.anna.run("pull")
    let kept = world.anna.trashed()
    #expect(kept.contains { $0.contains("555") }, "\(kept)")
    #expect(world.anna.run("push").status == 0)
    world.anna.expectSound()
  }
}
