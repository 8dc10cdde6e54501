import Glibc
import SyncEngine
import SyncModel
import TestSupport
import Testing
import Workspace

@testable import Commands

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

  @Test("a removal that was cut off after the first item is finished by the same command")
  func removes() {
    #expect(anna.run("rm", "one").status == 0)
    let again = anna.run("rm", "one", "two")
    #expect(again == Outcome(status: 0, output: "removed two  Two\n", error: ""))
    #expect(anna.run("rm", "one", "two").status == 2)
    #expect(anna.run("push").output == "deleted one  One\ndeleted two  Two\n")
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
      try workspace.append(
        [
          Row(
            id: ItemID("one"), item: Item(JSONObject([.init(name: "text", value: "Theirs")])),
            version: row["version"]?.text.flatMap(Version.init),
            updatedAt: row["updatedAt"]?.text.flatMap(Timestamp.init))
        ], to: TableName("todoitem"))
      try workspace.settle()
    }
    let pulled = anna.run(word, "--json")
    #expect(pulled.status == 1, "\(pulled)")
    #expect(pulled.error.contains("1 of them in conflict"), "\(pulled)")
    #expect(pulled.output.contains(#""deleted":0,"conflicts":1}"#), "\(pulled)")
    #expect(pulled.output.contains(#""did":"conflict""#), "\(pulled)")
    #expect(anna.run("pull").status == 0)
  }

  @Test("a resolution that was cut off is told as done by the same command, which goes on")
  func resolves() throws {
    for id in ["one", "two"] {
      anna.run("set", id, "text=Mine")
      try server.request("PATCH", "tables/todoitem/\(id)", #"{"text": "Theirs"}"#)
    }
    #expect(anna.run("pull").status == 1)
    do {
      var workspace = try anna.workspace()
      let key = ItemKey(try TableName("todoitem"), try ItemID("one"))
      let client = try workspace.client(key)
      let open = try #require(workspace.journal.conflicts[key])
      try workspace.append(
        [
          .resolve(
            key,
            Resolution(
              item: client.item, digest: client.digest, server: open.server, copy: nil,
              client: client.item))
        ], durably: true)
    }
    let resolved = anna.run("resolve", "--client", "one", "two")
    #expect(resolved.status == 0)
    #expect(resolved.output == "resolved one  Mine (as was decided)\nresolved two  Mine (client)\n")
    #expect(
      resolved.error == """
        tsync: resolve: finished what an interrupted command had left: 1 item
        2 resolved                                       tsync push

        """)
    #expect(anna.run("push").output == "updated one  Mine\nupdated two  Mine\n")
  }

  @Test("a clone goes into a directory in which another was cut off, and nothing of that is left")
  func clones() {
    let ben = Person()
    ben.directory.write("{", to: "list/.todosync.tmp-123/journal.jsonl.new")
    ben.environment = [("HOME", ben.directory.path)]
    let cloned = ben.run("-C", ben.directory.path, "clone", server.url, "list")
    #expect(cloned.status == 0, "\(cloned)")
    #expect(ben.directory.names(in: "list") == [".todosync"])
    #expect(ben.item("one") != nil)
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
