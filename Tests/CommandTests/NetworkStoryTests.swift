import TestSupport
import Testing

@testable import Commands

/// The story of the field: two people, one item, `Hello world 3`.
@Suite struct NetworkStoryTests {
  private let server: RunningServer
  private let anna, ben: Person

  /// Anna has pushed `Hello world 13`; Ben's file says `Hello world 23`, and his push has met it.
  init() throws {
    server = try RunningServer()
    anna = try Person(cloning: server.url)
    anna.run("new", "-s", "id=hello", "Hello world 3")
    anna.run("push")
    ben = try Person(cloning: server.url)
    anna.directory.write(#"{"id": "hello", "text": "Hello world 13"}"#, to: anna.file("hello"))
    anna.run("push")
    ben.directory.write(#"{"id": "hello", "text": "Hello world 23"}"#, to: ben.file("hello"))
    let met = ben.run("push")
    #expect(met.status == 1)
    #expect(met.output == "conflict hello  Hello world 23 (text)\n")
    #expect(met.error == "1 conflict                                       tsync resolve\n")
  }

  private var onServer: String {
    get throws { try server.request("GET", "tables/todoitem/hello") }
  }

  @Test("the sides lie side by side, and the file stays as it was")
  func laysSides() {
    #expect(ben.conflicts == ["hello.base.json", "hello.client.json", "hello.server.json"])
    #expect(ben.item("hello") == #"{"id": "hello", "text": "Hello world 23"}"#)
  }

  @Test("--client sends the client's side")
  func takesClient() throws {
    #expect(
      ben.run("resolve", "--client", "hello").output
        == "resolved hello  Hello world 23 (client)\n")
    #expect(ben.run("push").output == "updated hello  Hello world 23\n")
    #expect(try onServer.contains("Hello world 23"))
    #expect(anna.run("pull").status == 0)
    #expect(anna.item("hello") == #"{"id": "hello", "text": "Hello world 23"}"#)
  }

  @Test("--server takes the server's side, and nothing is left to push")
  func takesServer() throws {
    #expect(
      ben.run("resolve", "--server", "-a").output == "resolved hello  Hello world 13 (server)\n")
    #expect(ben.item("hello") == #"{"id": "hello", "text": "Hello world 13"}"#)
    #expect(ben.run("push") == Outcome(status: 0, output: "", error: "nothing to push\n"))
  }

  @Test("--both keeps the client's side as a new item")
  func keepsBoth() throws {
    let resolved = ben.run("resolve", "--both", "hello").output
    #expect(resolved.hasPrefix("resolved hello  Hello world 13 (both: new item "), "\(resolved)")
    let pushed = ben.run("push")
    #expect(pushed.error == "1 pushed\n")
    #expect(pushed.output.contains("Hello world 23"))
    #expect(ben.item("hello")?.contains("Hello world 13") == true)
  }

  @Test("a conflict that is left stays, and the next push says so again")
  func leaves() {
    let left = ben.run("resolve")
    #expect(left.status == 1)
    #expect(left.output == "left hello  Hello world 23 (text)\n")
    #expect(
      left.error
        == "1 left                                           "
        + "SIDE is client, server or both: tsync resolve --SIDE REF\n")
    let again = ben.run("push")
    #expect(again.status == 1)
    #expect(again.output == "conflict hello  Hello world 23 (text)\n")
  }

  @Test("-n says what would become of it, and changes nothing")
  func rehearses() {
    #expect(
      ben.run("resolve", "-n", "--client", "hello").output
        == "would resolve hello  Hello world 23 (client)\n")
    #expect(ben.conflicts.count == 3)
  }

  @Test("a field gets a value of its own by -f")
  func settlesAField() throws {
    let resolved = ben.run("resolve", "--push", "-f", "text=Hello world 33", "hello")
    #expect(resolved.status == 0)
    #expect(
      resolved.output
        == "resolved hello  Hello world 33 (text: Hello world 33)\nupdated hello  Hello world 33\n")
    #expect(try onServer.contains("Hello world 33"))
  }

  @Test("while a resolution waits the server moves on in another field: the push merges")
  func mergesWhatMovedOn() throws {
    ben.run("resolve", "--client", "hello")
    try server.request("PATCH", "tables/todoitem/hello", #"{"notes": "by hand"}"#)
    let pushed = ben.run("push")
    #expect(pushed.status == 0)
    #expect(pushed.output == "updated hello  Hello world 23 (merged notes: server)\n")
    #expect(ben.item("hello")?.contains("by hand") == true)
    #expect(try onServer.contains("Hello world 23"))
  }

  @Test("while a resolution waits the server moves on in the same field: it is asked again")
  func asksAgain() throws {
    ben.run("resolve", "--client", "hello")
    try server.request("PATCH", "tables/todoitem/hello", #"{"text": "Hello world 43"}"#)
    let met = ben.run("push")
    #expect(met.status == 1)
    #expect(met.output == "conflict hello  Hello world 23 (text)\n")
    let pushed = ben.run("resolve", "--client", "--push", "hello")
    #expect(pushed.status == 0)
    #expect(try onServer.contains("Hello world 23"))
  }

  @Test("the marked document with a mistake left is opened again")
  func editsTwice() throws {
    ben.directory.write(
      """
      #!/bin/sh
      # The first time the marks stay.
      if [ ! -e "$0.once" ]; then touch "$0.once"; sed -i 's/world 23/world 33/' "$1"
      else sed -i '/^<<<<<<<\\|^|||||||\\|^=======\\|^>>>>>>>/d; /world 3"/d; /world 13"/d' "$1"; fi
      """, to: "editor")
    ben.environment = [("EDITOR", "sh \(ben.directory.path(of: "editor"))")]
    ben.types = ["?", "", "e"]
    let resolved = ben.run("resolve", "--push")
    #expect(resolved.status == 0)
    #expect(
      resolved.error.withoutDigests.contains(
        "tsync: resolve: conflicts/todoitem/hello.edit-DIGEST.json:3:1: a mark of the conflict is left\n"
      ))
    #expect(resolved.error.contains("[c]lient, [s]erver, [e]dit, [b]oth, [l]eave, [q]uit? [e] "))
    #expect(resolved.output.contains("resolved hello  Hello world 33 (edited)\n"))
    #expect(try onServer.contains("Hello world 33"))
    #expect(ben.conflicts == [])
  }

  @Test("an editor that changes nothing leaves the conflict")
  func leavesUnchanged() {
    ben.environment = [("EDITOR", "true")]
    ben.types = ["e"]
    #expect(ben.run("resolve").status == 1)
    #expect(ben.conflicts.map(\.withoutDigests).contains("hello.edit-DIGEST.json"))
  }

  @Test("the table shows the three sides")
  func showsTable() {
    ben.types = ["l"]
    let lines = ben.run("resolve").error.split(separator: "\n")
    #expect(lines.first == "edited here and on the server")
    #expect(lines.dropFirst().first == "todoitem/hello  Hello world 23")
    #expect(
      lines.dropFirst(3).first?.hasPrefix("! text    Hello world 3  Hello world 23") == true)
  }

  @Test("a handler of the user's decides without a terminal, in push --resolve")
  func asksHandler() throws {
    ben.directory.write(#"{"resolve.command": "echo client"}"#, to: "config/tsync/config.json")
    let pushed = ben.run("push", "--resolve")
    #expect(pushed.status == 0)
    #expect(try onServer.contains("Hello world 23"))
  }

  @Test("a handler in the workspace's settings is passed over")
  func refusesHandler() throws {
    let settings = "list/.todosync/config.json"
    let text = try #require(ben.directory.text(settings))
    ben.directory.write(
      "{\"resolve.command\": \"touch \(ben.directory.path(of: "pwned"))\"," + text.dropFirst(),
      to: settings)
    #expect(ben.run("resolve").status == 1)
    #expect(!ben.directory.names().contains("pwned"))
  }

  @Test("both sides edited by hand, and differently: nothing is done")
  func refusesTwoSides() throws {
    ben.directory.write(#"{"id": "hello", "text": "one"}"#, to: ben.file("hello"))
    ben.directory.write(
      #"{"id": "hello", "text": "two"}"#,
      to: "list/.todosync/conflicts/todoitem/hello.client.json")
    #expect(ben.run("resolve", "--client", "hello").status == 2)
    #expect(ben.conflicts.count == 3)
  }
}
