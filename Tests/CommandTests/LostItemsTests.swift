import Glibc
import SyncEngine
import SyncModel
import TestSupport
import Testing
import Workspace

@testable import Commands

/// `restore -a` where the directory of all items is gone.
@Suite struct LostItemsTests {
  private let world: CaseWorld
  private var anna: Person { world.anna }

  init() throws {
    world = try CaseWorld(
      #"{"id": "milk", "text": "Milk", "n": 1}"#, #"{"id": "tea", "text": "Tea", "n": 1}"#)
  }

  /// The directory of all items goes.
  private func lose() {
    let own = anna.directory.path(of: "list/.todosync")
    #expect(rename("\(own)/items", anna.directory.path(of: "elsewhere")) == 0)
  }

  private var hasItems: Bool {
    anna.directory.names(in: "list/.todosync").contains("items")
  }

  @Test(
    "What was being sent comes back, and isn't taken for removed",
    arguments: [
      (["set", "milk", "text=Oat"], "milk  Oat"), (["new", "-s", "id=new", "New"], "new  New"),
    ])
  func comesBackAsSent(words: [String], line: String) throws {
    world.disturb { $0.method == "GET" ? .answer(.dropped) : .loseAnswer }
    anna.run(words)
    #expect(anna.run("push").status == 5)
    lose()
    let would = anna.run("restore", "-n", "-a")
    let back = anna.run("restore", "-a")
    #expect(back.status == 0 && back.error == "", "\(back)")
    #expect(back.output.contains("restored \(line)\n"), "\(back)")
    #expect(back.output.contains("restored tea  Tea\n"), "\(back)")
    #expect(would.output == back.output.replacing("restored", with: "would restore"))
    let list = anna.run("list").output
    world.disturb { _ in .forward }
    let pushed = anna.run("push")
    #expect(pushed.status == 0 && !pushed.output.contains("deleted"), "\(pushed)")
    #expect(anna.run("list").output == list)
    #expect(anna.run("status", "-s").output == "")
    #expect(try world.row(words[0] == "new" ? "new" : "milk").contains("\"deleted\":false"))
  }

  @Test("The client's side of a conflict comes back")
  func comesBackAsInConflict() throws {
    anna.run("set", "milk", "text=Mine")
    anna.run("rm", "tea")
    for id in ["milk", "tea"] {
      try world.server.request("PATCH", "tables/todoitem/\(id)", #"{"text": "Theirs"}"#)
    }
    #expect(anna.run("pull").status == 1)
    lose()
    #expect(
      anna.run("restore", "-a")
        == Outcome(
          status: 0, output: "restored milk  Mine\n",
          error: "2 conflicts are left                             tsync resolve\n"))
    #expect(anna.run("resolve", "--client", "milk", "tea").status == 0)
    #expect(anna.run("push").output == "updated milk  Mine\ndeleted tea  Theirs\n")
  }

  @Test("Where it is stopped in its midst, nothing is back and nothing is pushed")
  func isWhole() {
    lose()
    let count = Counter()
    anna.signal = { count.next() == 2 ? SIGINT : nil }
    let stopped = anna.run("restore", "-a")
    #expect(stopped.status == 128 + SIGINT && stopped.output == "", "\(stopped)")
    anna.signal = { nil }
    #expect(!hasItems)
    #expect(anna.run("push").status == 6)
    #expect(anna.run("restore", "-a").output == "restored milk  Milk\nrestored tea  Tea\n")
    #expect(!anna.directory.names(in: "list/.todosync").contains("items.new"))
  }

  @Test("What a purge that was stopped has forgotten doesn't come back")
  func leavesForgotten() throws {
    var workspace: Workspace? = try Workspace(
      at: anna.directory.path(of: "list"), for: .writing(command: "purge"), clock: { 0 })
    try workspace?.append([.purge(TableName("todoitem"))], durably: true)
    workspace = nil
    lose()
    #expect(
      anna.run("restore", "-a") == Outcome(status: 0, output: "", error: "nothing changed\n"))
    #expect(hasItems)
    #expect(anna.run("list").output == "")
  }

  @Test("What the server made of it counts where its answer had been taken over")
  func comesBackAsAnswered() throws {
    let key = try ItemKey(TableName("todoitem"), ItemID("milk"))
    var workspace: Workspace? = try Workspace(
      at: anna.directory.path(of: "list"), for: .writing(command: "push"), clock: { 0 })
    let row = try #require(try workspace?.base(of: key).row)
    let text = try JSON(parsing: Array(#"{"text": "Sent"}"#.utf8))
    let sent = Intent(
      key: key, kind: .update, request: Request(method: "PATCH", target: "/"),
      version: Version("older"), item: Item(text.object ?? JSONObject()), digest: nil)
    try workspace?.append([.intent(sent), .result(key, row)], durably: true)
    workspace = nil
    lose()
    #expect(anna.run("restore", "-a").output == "restored milk  Milk\nrestored tea  Tea\n")
    #expect(anna.run("status", "-s").output == "")
  }

  @Test("What has become another item comes back as that one only")
  func comesBackAsMoved() throws {
    world.disturb { $0.method == "GET" ? .answer(.dropped) : .loseAnswer }
    anna.run("mv", "milk", "oat")
    #expect(anna.run("push").status == 5)
    lose()
    #expect(anna.run("restore", "-a").output == "restored oat  Milk\nrestored tea  Tea\n")
    world.disturb { _ in .forward }
    #expect(anna.run("push").status == 0)
    #expect(anna.run("list").output == "oat  Milk\ntea  Tea\n")
    #expect(world.writes.last == "DELETE")
  }

  @Test("What has become another item that is gone comes back, also where it is in conflict")
  func comesBackAsItWas() throws {
    anna.run("mv", "milk", "oat")
    try world.server.request("PATCH", "tables/todoitem/milk", #"{"text": "Theirs"}"#)
    #expect(anna.run("pull").status == 1)
    lose()
    #expect(anna.run("restore", "-a").output == "restored milk  Milk\nrestored tea  Tea\n")
  }

  @Test("What lies where the items are made anew is kept")
  func keepsOthers() {
    lose()
    anna.directory.write("mine", to: "list/.todosync/items.new/notes")
    #expect(anna.run("restore", "-a").status == 0)
    let kept = anna.directory.names(in: "list/.todosync/trash").first { $0.hasPrefix("items.new.") }
    #expect(anna.directory.text("list/.todosync/trash/\(kept ?? "")/notes") == "mine")
    #expect(anna.item("tea")?.contains("Tea") == true)
  }
}
