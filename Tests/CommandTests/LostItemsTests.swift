import CommandSupport
import Commands
import Glibc
import SyncEngine
import SyncModel
import TestSupport
import Testing
import Workspace

/// `restore --missing` where the directory of all items is gone.
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
    let would = anna.run("restore", "-n", "--missing")
    let back = anna.run("restore", "--missing")
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

  @Test("What has become another item comes back as that one only")
  func comesBackAsMoved() throws {
    world.disturb { $0.method == "GET" ? .answer(.dropped) : .loseAnswer }
    anna.run("mv", "milk", "oat")
    #expect(anna.run("push").status == 5)
    lose()
    #expect(anna.run("restore", "--missing").output == "restored oat  Milk\nrestored tea  Tea\n")
    world.disturb { _ in .forward }
    #expect(anna.run("push").status == 0)
    #expect(anna.run("list").output == "oat  Milk\ntea  Tea\n")
    #expect(world.writes.last == "DELETE")
  }
}
