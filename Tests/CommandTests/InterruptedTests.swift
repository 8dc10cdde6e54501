import CommandSupport
import Commands
import Glibc
import SyncEngine
import SyncModel
import TestSupport
import Testing
import Workspace

/// Commands whose first run was cut off: the same command line goes on.
@Suite struct InterruptedTests {
  private let server: RunningServer
  private let anna: Person

  init() throws {
    server = try RunningServer()
    anna = try Person(cloning: server.url)
    anna.run("new", "-s", "id=one", "One")
    anna.run("new", "-s", "id=two", "Two")
    anna.run("push")
  }

  @Test(
    "conflicts in what an interrupted pull had read are the next pull's",
    arguments: ["pull", "sync"])
  func pulls(word: String) throws {
    anna.run("set", "one", "text=Mine")
    try server.request("PATCH", "tables/todoitem/one", #"{"text": "Theirs"}"#)
    let row = try #require(try server.rows("one").first)
    do {
      var workspace = try anna.workspace()
      // As a pull that was killed leaves it: read, and not yet taken over.
      try workspace.bring(
        [
          Row(
            id: ItemID("one"), item: Item(JSONObject([.init(name: "text", value: "Theirs")])),
            version: row["version"]?.text.flatMap(Version.init),
            updatedAt: row["updatedAt"]?.text.flatMap(Timestamp.init))
        ], to: TableName("todoitem"))
    }
    let pulled = anna.run(word, "--json")
    #expect(pulled.status == 1, "\(pulled)")
    #expect(pulled.error.contains("1 of them in conflict"), "\(pulled)")
    #expect(pulled.output.contains(#""deleted":0,"conflicts":1}"#), "\(pulled)")
    #expect(pulled.output.contains(#""did":"conflict""#), "\(pulled)")
    #expect(anna.run("pull").status == 0)
  }

  @Test("a resolution that was cut off is done again by the same command, which goes on")
  func resolves() throws {
    for id in ["one", "two"] {
      anna.run("set", id, "text=Mine")
      try server.request("PATCH", "tables/todoitem/\(id)", #"{"text": "Theirs"}"#)
    }
    #expect(anna.run("pull").status == 1)
    do {
      var workspace = try anna.workspace()
      // The item was to stay as it is here, and its files are as decided.
      try workspace.removeConflict(of: ItemKey(try TableName("todoitem"), try ItemID("one")))
    }
    let resolved = anna.run("resolve", "--client", "one", "two")
    #expect(resolved.status == 0)
    #expect(resolved.output == "resolved one  Mine (client)\nresolved two  Mine (client)\n")
    #expect(resolved.error == "2 resolved                                       tsync push\n")
    #expect(anna.run("push").output == "updated one  Mine\nupdated two  Mine\n")
  }
}

extension Person {
  /// Opens the person's workspace as another command would.
  fileprivate func workspace() throws -> Workspace {
    try Workspace(
      at: directory.path(of: "list"), for: .writing(command: "test"),
      clock: { Int64(time(nil)) * 1_000_000_000 })
  }
}
