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

  @Test("rows that had waited for a file are told one by one, and no command was interrupted")
  func takesWhatWaited() throws {
    for id in ["four", "three"] { anna.run("new", "-s", "id=\(id)", "Item") }
    anna.run("push")
    let former = ["four", "one", "three", "two"].map { ($0, anna.item($0) ?? "") }
    for (id, _) in former { anna.directory.write("{", to: anna.file(id)) }
    try server.request("PATCH", "tables/todoitem/four", #"{"text": "Theirs"}"#)
    try server.request("PATCH", "tables/todoitem/one", #"{"text": "Theirs"}"#)
    try server.request("PATCH", "tables/todoitem/three", #"{"text": "Theirs"}"#)
    try server.request("DELETE", "tables/todoitem/two")
    #expect(anna.run("pull").status == 3)
    for (id, text) in former {
      let isEdited = ["four", "one"].contains(id)
      let mine = isEdited ? "{\"id\": \"\(id)\", \"text\": \"Mine\"}" : text
      anna.directory.write(mine, to: anna.file(id))
    }
    anna.run("config", "merge", "server")
    let told = anna.run("new", "-s", "id=five", "Five")
    #expect(
      told
        == Outcome(
          status: 0, output: "added five  Five\n",
          error: """
            tsync: new: rows that had waited were taken over: 4 items
            tsync: new: merged four  Theirs (text: server)
            tsync: new: merged one  Theirs (text: server)
            tsync: new: changed three  Theirs
            tsync: new: deleted two  Two

            """))
    #expect(anna.run("new", "-s", "id=six", "Six").error == "")
  }

  @Test("a conflict that a row had waited for is named, and is no interrupted command's")
  func laysWhatWaited() throws {
    anna.directory.write("{", to: anna.file("one"))
    try server.request("PATCH", "tables/todoitem/one", #"{"text": "Theirs"}"#)
    #expect(anna.run("pull").status == 3)
    anna.directory.write(#"{"id": "one", "text": "Mine"}"#, to: anna.file("one"))
    #expect(
      anna.run("set", "two", "due=x").error == """
        tsync: set: rows that had waited were taken over: 1 item
        tsync: set: conflict one  Mine (text)
        tsync: set: 1 of them in conflict: tsync status

        """)
  }

  @Test("a restore that was cut off before it did anything has settled no conflict")
  func resolvesNothing() throws {
    do {
      var workspace = try anna.workspace()
      let key = ItemKey(try TableName("todoitem"), try ItemID("one"))
      let row = try #require(try workspace.base(of: key).row)
      let resolution = Resolution(item: row.item, digest: nil, server: row, client: nil)
      try workspace.append([.resolve(key, resolution)], durably: true)
    }
    anna.directory.write(#"{"id": "one", "text": "Mine"}"#, to: anna.file("one"))
    let resolved = anna.run("resolve", "--client", "-a")
    #expect(resolved.status == 0)
    #expect(resolved.output == "")
    #expect(resolved.error.hasPrefix("nothing to resolve  "))
    #expect(resolved.error.hasSuffix("  tsync push\n"))
    #expect(anna.run("push").output == "updated one  Mine\n")
  }

  @Test("a clone goes into a directory in which another was cut off, and nothing of that is left")
  func clones() {
    let ben = Person()
    ben.directory.write("{", to: "list/.todosync.tmp-4194305-7/journal.jsonl.new")
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
