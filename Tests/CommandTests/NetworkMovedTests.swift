import Glibc
import SyncModel
import SystemPackage
import TestSupport
import Testing

@testable import Commands

/// Files that are moved by other means than `tsync mv`, while the server goes on.
@Suite struct NetworkMovedTests {
  private let server: RunningServer

  init() throws {
    server = try RunningServer()
    try server.request("POST", "tables/todoitem", #"{"id": "a", "text": "one"}"#)
  }

  private func cloned() throws -> Person { try Person(cloning: server.url) }

  private func move(_ person: Person, _ name: String, _ other: String) {
    rename(
      person.directory.path(of: person.file(name)), person.directory.path(of: person.file(other)))
  }

  @Test("a row whose file was moved by hand waits; each pull names the file and what to do")
  func waitsForTheMoved() throws {
    let anna = try cloned()
    move(anna, "a", "b")
    try server.request("PATCH", "tables/todoitem/a", #"{"text": "two"}"#)
    for output in ["held a  one\n", ""] {
      let pulled = anna.run("pull")
      #expect(pulled.output == output)
      #expect(pulled.status == 3)
      #expect(
        pulled.error.hasSuffix(
          """
          the id is 'a', and the file's name says 'b'
          tsync: mend it: tsync mv todoitem/b b

          """), "\(pulled.error)")
    }
    let found = anna.run("doctor", "--deep").output
    let deep = "server  todoitem/a: was changed there · tsync mv todoitem/b b\n"
    #expect(found.hasSuffix(deep), "\(found)")
    // What is new under an id that a file says is no reason to wait.
    anna.directory.write(#"{"id": "new", "text": "three"}"#, to: anna.file("c"))
    try server.request("POST", "tables/todoitem", #"{"id": "new", "text": "four"}"#)
    #expect(anna.run("doctor", "--deep").output.contains("todoitem/new: is new there\n"))
    unlink(anna.directory.path(of: anna.file("c")))
    // Finished, the move is a delete, and the change its conflict.
    anna.run("mv", "todoitem/b", "b")
    #expect(anna.run("pull").output == "conflict a  two\n")
  }

  @Test("a row that the server deletes waits for the moved file, too, and no push brings it back")
  func waitsForTheDeleted() throws {
    let anna = try cloned()
    move(anna, "a", "b")
    try server.request("DELETE", "tables/todoitem/a")
    for output in ["held a  one\n", ""] {
      let pulled = anna.run("pull")
      #expect(pulled.output == output)
      #expect(pulled.status == 3)
      #expect(pulled.error.hasSuffix("mend it: tsync mv todoitem/b b\n"), "\(pulled.error)")
    }
    #expect(anna.run("status", "-s").output.contains("a  moved to items/todoitem/b.json"))
    #expect(anna.run("mv", "a", "a").status == 0)
    #expect(anna.run("pull").status == 0)
    #expect(anna.item("a") == nil && anna.item("b") == nil)
    #expect(anna.run("push").error == "nothing to push\n")
  }

  @Test("what is given up for another's row of its new id comes back under its own, told")
  func comesBack() throws {
    let anna = try cloned()
    anna.run("mv", "a", "b")
    anna.run("set", "b", "text=mine", "notes=my own")
    try server.request("POST", "tables/todoitem", #"{"id": "b", "text": "theirs"}"#)
    #expect(anna.run("pull").output == "conflict b  mine (text, notes)\n")
    let shown = anna.run("resolve", "-n", "--server", "b")
    #expect(shown.output == "would resolve b  theirs (server)\n", "\(shown)")
    let resolved = anna.run("resolve", "--server", "b")
    #expect(resolved.output == "resolved b  theirs (server)\nrestored a  one\n", "\(resolved)")
    #expect(anna.item("b")?.contains("my own") == false)
    #expect(anna.run("push") == Outcome(status: 0, output: "", error: "nothing to push\n"))
    #expect(try server.rows("a").first?["deleted"]?.boolean == false)
    #expect(try server.rows("b").first?["notes"] == nil)
    anna.expectSound()
  }

  @Test("a file whose name is no id's keeps its item from being deleted, if it says its id")
  func waitsForTheStray() throws {
    let anna = try cloned()
    for name in ["a (1)", "-e", "%63"] {
      move(anna, "a", name)
      let pushed = anna.run("push")
      #expect(pushed.status == 3)
      #expect(pushed.output == "")
      #expect(
        pushed.error.contains(
          "todoitem/a was not removed but moved to items/todoitem/\(name).json"),
        "\(pushed.error)")
      #expect(anna.run("mv", "a", "a").status == 0)
      #expect(anna.run("status").status == 0)
    }
  }

  @Test("a conflict whose file was moved is resolved when the file is back")
  func resolvesNoMoved() throws {
    let anna = try cloned()
    anna.run("set", "a", "text=Anna")
    try server.request("PATCH", "tables/todoitem/a", #"{"text": "two"}"#)
    #expect(anna.run("pull").output == "conflict a  Anna (text)\n")
    move(anna, "a", "b")
    for choice in ["--client", "--both", "--server"] {
      let refused = anna.run("resolve", choice, "a")
      #expect(refused.status == 2)
      #expect(refused.output == "")
      #expect(
        refused.error == """
          tsync: resolve: todoitem/a was moved to items/todoitem/b.json
          tsync: take it back: tsync mv todoitem/a a

          """)
    }
    let refused = anna.run("mv", "todoitem/b", "b")
    #expect(refused.status == 2)
    #expect(refused.error.hasSuffix("take it back: tsync mv todoitem/a a\n"), "\(refused.error)")
    anna.run("mv", "todoitem/a", "a")
    #expect(anna.run("resolve", "--client", "a").status == 0)
    #expect(anna.run("push").output == "updated a  Anna\n")
  }

  @Test(
    "what lies where an item was moved to is neither restored nor removed",
    arguments: [true, false])
  func keepsTheMoved(hasRow: Bool) throws {
    let anna = try cloned()
    if hasRow {
      anna.run("new", "-s", "id=b", "two")
      anna.run("push")
    }
    move(anna, "a", "b")
    for words in [
      ["restore", "todoitem/b"], ["restore", "a"], ["rm", "todoitem/b"], ["rm", "a"],
    ] {
      let refused = anna.run(words)
      #expect(refused.status == 2)
      #expect(
        refused.error == """
          tsync: \(words[0]): todoitem/a was moved to items/todoitem/b.json
          tsync: take it back: tsync mv todoitem/a a
          tsync: or finish it: tsync mv todoitem/a NEWID

          """, "\(words)")
    }
    let all = anna.run("restore", "-a")
    #expect(all.status == 3)
    #expect(all.error.contains("todoitem/a was moved to items/todoitem/b.json"), "\(all.error)")
    #expect(all.error.split(separator: "\n").count { $0.contains("was moved") } == 1)
    if hasRow {
      let taken = anna.run("mv", "todoitem/b", "b")
      #expect(taken.status == 2)
      #expect(
        taken.error == """
          tsync: mv: todoitem/b is there already
          tsync: items/todoitem/b.json: tsync mv todoitem/a a

          """)
    }
    #expect(anna.run("mv", "a", "a").output == "renamed b.json to a  one\n")
    #expect(anna.run("push").error == "nothing to push\n")
    #expect((anna.item("b") != nil) == hasRow)
  }

  @Test("a copy keeps nothing: it goes, or its item does")
  func copy() throws {
    let anna = try cloned()
    let text = try #require(anna.item("a"))
    for words in [["restore", "todoitem/b"], ["rm", "todoitem/b"]] {
      anna.directory.write(text, to: anna.file("b"))
      #expect(anna.run(words).status == 0)
      #expect(anna.run("status").status == 0)
    }
    anna.directory.write(text, to: anna.file("b"))
    anna.run("set", "a", "text=mine")
    #expect(anna.run("restore", "a").output == "restored a  one\n")
    #expect(anna.run("rm", "a").output == "removed a  one\n")
  }

  @Test("only files of the item's own table say its id, and of several one is to be named")
  func claimants() throws {
    let anna = try cloned()
    move(anna, "a", "b")
    anna.directory.write(#"{"id": "a", "text": "other"}"#, to: anna.file("c"))
    let refused = anna.run("mv", "a", "a")
    #expect(refused.status == 2)
    #expect(
      refused.error == """
        tsync: mv: several files say that they are todoitem/a: name one of them
        tsync:   .todosync/items/todoitem/b.json
        tsync:   .todosync/items/todoitem/c.json

        """)
    #expect(anna.run("mv", "todoitem/b", "a").output == "renamed b.json to a  one\n")
    #expect(anna.run("push").output == "")
  }

  @Test("a new item in conflict, moved by hand, is taken back and resolved")
  func takesBackTheAdded() throws {
    let anna = try cloned()
    anna.run("new", "-s", "id=n", "mine")
    try server.request("POST", "tables/todoitem", #"{"id": "n", "text": "theirs"}"#)
    #expect(anna.run("push").output == "conflict n  mine (text)\n")
    move(anna, "n", "m")
    let refused = anna.run("resolve", "--client", "n")
    #expect(refused.error.hasSuffix("take it back: tsync mv todoitem/n n\n"), "\(refused.error)")
    #expect(anna.run("mv", "todoitem/n", "n").output == "renamed m.json to n  mine\n")
    #expect(anna.run("resolve", "--client", "n").status == 0)
    #expect(anna.run("push").output == "updated n  mine\n")
  }

  @Test("an id for which the file has no room is refused before anything is moved")
  func tooLarge() throws {
    let anna = try cloned()
    let text = #"{"id": "a", "text": ""}"#
    let room = String(repeating: "x", count: 1_000_000 - text.utf8.count)
    anna.directory.write(
      #"{"id": "a", "text": "\#(room)"}"# + String(repeating: " ", count: (4 << 20) - 1_000_000),
      to: anna.file("a"))
    let refused = anna.run("mv", "a", "longer")
    #expect(refused.status == 2)
    #expect(refused.error == "tsync: mv: todoitem/longer would be larger than 4 MiB\n")
    #expect(anna.item("a") != nil)
  }

  @Test("after a moving, restore brings the old item back as it last was")
  func restoresTheMoved() throws {
    let anna = try cloned()
    anna.run("set", "a", "text=two")
    anna.run("push")
    anna.run("mv", "a", "z")
    anna.run("push")
    #expect(anna.run("restore", "a").output == "restored a  two\n")
  }

  @Test("an item's own id is no new one")
  func refusesItsOwnID() throws {
    let anna = try cloned()
    #expect(anna.run("mv", "a", "a").status == 2)
    move(anna, "a", "b")
    #expect(anna.run("mv", "todoitem/b", "b").output == "renamed a to b  one\n")
    let again = anna.run("mv", "todoitem/b", "b")
    #expect(again.status == 2)
    #expect(again.error == "tsync: mv: todoitem/b has that id already\n")
    #expect(anna.run("push").output == "created b  one\ndeleted a  one\n")
  }

  @Test("the old row stays until the server has the new one, whatever it is called by then")
  func refusedMove() throws {
    let refusing = try Proxy(before: server.url) { request in
      guard request.method == "POST" else { return .forward }
      let text = String(decoding: request.body, as: UTF8.self)
      return text.contains("four") ? .forward : .answer(.json(#"{"error": "no"}"#, status: 400))
    }
    let anna = try Person(cloning: refusing.url)
    anna.run("mv", "a", "z")
    #expect(anna.run("push").output == "rejected z  400 no\n")
    let status = anna.run("status", "-s").output
    #expect(status.contains("\nD   a  one "), "\(status)")
    #expect(status.hasSuffix("  waits for z\n"), "\(status)")
    #expect(anna.run("push", "-n", "a").output == "")
    let named = anna.run("push", "a")
    #expect(named.status == 3)
    #expect(named.error == "tsync: push: todoitem/a stays at the server until it has todoitem/z\n")
    anna.run("mv", "z", "y")
    #expect(anna.run("push", "-n").output == "would create y  one\nwould delete a  one\n")
    let again = anna.run("push")
    #expect(again.output == "rejected y  400 no\n")
    #expect(again.error.contains("todoitem/a stays at the server until it has todoitem/y\n"))
    #expect(try Person(cloning: server.url).item("a") != nil)
    anna.run("set", "y", "text=four")
    #expect(anna.run("push").output == "created y  four\ndeleted a  one\n")
    anna.expectSound()
  }

  @Test("an item is moved back, or given up under its new id, and its row stays")
  func movesBack() throws {
    let anna = try cloned()
    anna.run("mv", "a", "z")
    #expect(anna.run("mv", "z", "a").output == "renamed z to a  one\n")
    #expect(anna.run("status").status == 0)
    #expect(anna.run("push").error == "nothing to push\n")
    anna.run("mv", "a", "z")
    #expect(anna.run("restore", "z").output == "restored a  one\ndropped z  one\n")
    #expect(anna.run("push").error == "nothing to push\n")
    // Back to an id that the server has deleted, by one push.
    anna.run("mv", "a", "z")
    anna.run("push")
    anna.run("mv", "z", "a")
    let pushed = anna.run("push")
    #expect(pushed.output == "undeleted a  one\ndeleted z  one\n", "\(pushed)")
    anna.expectSound()
  }

  @Test("an item that loses against the server's row of its new id stays under its former one")
  func losesItsNewID() throws {
    let anna = try cloned()
    anna.run("mv", "a", "z")
    try server.request("POST", "tables/todoitem", #"{"id": "z", "text": "theirs"}"#)
    let pushed = anna.run("push")
    #expect(pushed.output == "conflict z  one (text)\n")
    #expect(pushed.status == 1)
    #expect(pushed.error.contains("todoitem/a stays at the server until it has todoitem/z\n"))
    #expect(anna.run("resolve", "--server", "z").status == 0)
    #expect(anna.item("a")?.contains("one") == true)
    #expect(anna.run("push").error == "nothing to push\n")
    anna.expectSound()
  }

  @Test("a push that resolves sends the delete that waited, and says nothing of it")
  func waitsNoMore() throws {
    let anna = try cloned()
    anna.run("mv", "a", "z")
    try server.request("POST", "tables/todoitem", #"{"id": "z", "text": "theirs"}"#)
    anna.run("config", "--user", "resolve.command", "echo client")
    let pushed = anna.run("push", "--resolve")
    #expect(pushed.status == 0, "\(pushed)")
    #expect(!pushed.error.contains("stays at the server"), "\(pushed)")
    #expect(pushed.output.hasSuffix("updated z  one\ndeleted a  one\n"), "\(pushed)")
  }

  @Test("no rule gives up what an item has become for another's row")
  func noRuleGivesUp() throws {
    let anna = try cloned()
    anna.run("config", "merge", "server")
    anna.run("mv", "a", "z")
    try server.request("POST", "tables/todoitem", #"{"id": "z", "text": "theirs"}"#)
    #expect(anna.run("push").output == "conflict z  one (text)\n")
  }

  @Test("nor for one of a deleted row's id, which somebody else has brought back")
  func overATombstone() throws {
    for rule in ["fields", "server", "client"] {
      let anna = try cloned()
      anna.run("config", "merge", rule)
      let id = "t-\(rule)"
      try server.request("POST", "tables/todoitem", #"{"id": "\#(id)", "text": "theirs"}"#)
      anna.run("pull")
      try server.request("DELETE", "tables/todoitem/\(id)")
      anna.run("pull")
      #expect(anna.run("mv", "a", id).status == 0)
      try server.request("POST", "tables/todoitem/\(id)", "")
      #expect(anna.run("push").output == "conflict \(id)  one (text)\n")
      #expect(anna.run("resolve", "--server", id).status == 0)
      #expect(anna.item("a")?.contains("one") == true)
      #expect(anna.run("push").error == "nothing to push\n")
      anna.expectSound()
    }
  }

  @Test("a new name that the server's rows take in other ways deletes no former row")
  func takenInOtherWays() throws {
    // The new file is no item when the other's row arrives.
    let anna = try cloned()
    anna.run("mv", "a", "z")
    let text = try #require(anna.item("z"))
    anna.directory.write(text + " oops", to: anna.file("z"))
    try server.request("POST", "tables/todoitem", #"{"id": "z", "text": "theirs"}"#)
    anna.run("pull")
    #expect(anna.run("restore", "z").output == "restored a  one\nrestored z  theirs\n")
    #expect(anna.run("push").error == "nothing to push\n")
    // It is deleted there while the conflict is open, and was edited beside it.
    anna.run("mv", "a", "y")
    try server.request("POST", "tables/todoitem", #"{"id": "y", "text": "theirs"}"#)
    anna.run("push")
    let side = "list/.todosync/conflicts/todoitem/y.client.json"
    anna.directory.write(#"{"id": "y", "text": "three"}"#, to: side)
    try server.request("DELETE", "tables/todoitem/y")
    anna.run("pull")
    #expect(anna.run("resolve", "--server", "y").status == 0)
    #expect(anna.run("push").error == "nothing to push\n")
    #expect(try Person(cloning: server.url).item("a") != nil)
    anna.expectSound()
  }

  @Test("what waits follows an item whose new id is changed in its file, or whose file is moved on")
  func movedOnByHand() throws {
    let refusing = try Proxy(before: server.url) { request in
      request.method == "POST" ? .answer(.json(#"{"error": "no"}"#, status: 400)) : .forward
    }
    let anna = try Person(cloning: refusing.url)
    anna.run("mv", "a", "z")
    anna.directory.write(#"{"id": "y", "text": "one"}"#, to: anna.file("z"))
    #expect(anna.run("mv", "todoitem/z", "y").output == "renamed z to y  one\n")
    #expect(anna.run("push").output == "rejected y  400 no\n")
    move(anna, "y", "x")
    let kept = anna.run("push").error
    #expect(kept.contains("todoitem/a stays at the server until it has todoitem/y\n"))
    #expect(!kept.contains("bring it back"), "\(kept)")
    let path = anna.directory.path(of: anna.file("x"))
    let restored = anna.run("restore", path)
    #expect(restored.status == 2)
    #expect(restored.error.contains("todoitem/y was moved to items/todoitem/x.json"))
    #expect(anna.run("mv", "todoitem/x", "x").output == "renamed y to x  one\n")
    #expect(anna.run("push").output == "rejected x  400 no\n")
    #expect(anna.run("restore", "x").output == "restored a  one\ndropped x  one\n")
    #expect(anna.run("push").error == "nothing to push\n")
    anna.expectSound()
  }

  @Test("a file that was never sent, moved into another item's place, deletes and replaces nothing")
  func unsentOverAnother() throws {
    try server.request("POST", "tables/todoitem", #"{"id": "b", "text": "two"}"#)
    let anna = try cloned()
    anna.run("new", "-s", "id=n", "new")
    move(anna, "n", "b")
    #expect(anna.run("mv", "todoitem/b", "n").output == "renamed b.json to n  new\n")
    #expect(anna.item("b")?.contains("two") == true)
    anna.run("mv", "a", "z")
    move(anna, "z", "b")
    let failed = anna.run("mv", "todoitem/b", "b")
    #expect(failed.status == 2)
    #expect(failed.error.hasSuffix("items/todoitem/b.json: tsync mv todoitem/z z\n"), "\(failed)")
    #expect(anna.run("mv", "todoitem/z", "z").output == "renamed b.json to z  one\n")
    #expect(anna.run("push").output == "created n  new\ncreated z  one\ndeleted a  one\n")
    anna.expectSound()
  }

  @Test("a file never seen by tsync, moved into another item's place, leaves that one's text")
  func unknownOverAnother() throws {
    try server.request("POST", "tables/todoitem", #"{"id": "b", "text": "two"}"#)
    let anna = try cloned()
    anna.directory.write(#"{"id": "n", "text": "new"}"#, to: anna.file("b"))
    #expect(anna.run("mv", "todoitem/b", "n").output == "renamed b to n  new\n")
    #expect(anna.run("push").output == "created n  new\ndeleted b  two\n")
    let kept = anna.trashed()
    for text in ["two", "new"] { #expect(kept.contains { $0.contains(text) }, "\(text)") }
  }

  @Test("a copy in the former place is told with ways that work")
  func copyInTheFormerPlace() throws {
    let anna = try cloned()
    anna.run("mv", "a", "z")
    anna.directory.write(try #require(anna.item("z")), to: anna.file("a"))
    #expect(anna.run("status", "-s").output.contains("· tsync restore todoitem/a\n"))
    #expect(anna.run("restore", "todoitem/a").status == 0)
    #expect(anna.run("push").output == "created z  one\n")
    anna.expectSound()
  }

  @Test("a moving without an id in the text that is cut off deletes nothing before its time")
  func cutOffWithoutID() throws {
    let refusing = try Proxy(before: server.url) { request in
      request.method == "POST" ? .answer(.json(#"{"error": "no"}"#, status: 400)) : .forward
    }
    let anna = try Person(cloning: refusing.url)
    anna.directory.write(#"{"text": "one"}"#, to: anna.file("a"))
    // The first to come after the new name.
    let rule = FailingCalls.Rule(call: .syncfs, error: .ioError)
    guard let failed = FailingCalls.run([rule], { anna.run("mv", "a", "z") }) else {
      try Test.cancel("the kernel allows no filter of system calls")
    }
    #expect(failed.status == 8)
    #expect(anna.item("a") == nil)
    let pushed = anna.run("push")
    #expect(pushed.output == "rejected z  400 no\n")
    #expect(pushed.error.contains("todoitem/a stays at the server until it has todoitem/z\n"))
  }

  @Test("where nothing of the new item waits to be sent, the ways on are told, and work")
  func waitsForNothing() throws {
    for (word, did) in [("rm", "removed"), ("restore", "restored")] {
      let anna = try cloned()
      let id = "new-\(word)"
      try server.request("POST", "tables/todoitem", #"{"id": "\#(id)", "text": "theirs"}"#)
      anna.run("mv", "a", id)
      anna.run("push")
      anna.run("resolve", "--client", id)
      anna.directory.write(#"{"id": "\#(id)", "text": "theirs"}"#, to: anna.file(id))
      let pushed = anna.run("push")
      #expect(pushed.status == 3)
      #expect(
        pushed.error == """
          tsync: push: todoitem/a stays at the server until it has todoitem/\(id)
          tsync: bring it back: tsync restore todoitem/a
          tsync: or remove it: tsync rm todoitem/a

          """, "\(pushed.error)")
      #expect(anna.run(word, "todoitem/a").output == "\(did) a  one\n")
      #expect(anna.run("push").output == (word == "rm" ? "deleted a  one\n" : ""))
      anna.expectSound()
      try server.request("POST", "tables/todoitem/a", "")
    }
  }

  @Test("until the server has had it, no rule and no row of another's takes its place")
  func noRowTakesItsPlace() throws {
    let anna = try cloned()
    anna.run("mv", "a", "z")
    try server.request("POST", "tables/todoitem", #"{"id": "z", "text": "theirs"}"#)
    anna.run("push")
    anna.run("resolve", "--client", "z")
    anna.run("config", "merge", "server")
    try server.request("PATCH", "tables/todoitem/z", #"{"text": "other"}"#)
    #expect(anna.run("push").output == "conflict z  one (text)\n")
    try server.request("DELETE", "tables/todoitem/z")
    #expect(anna.run("pull").output == "conflict z  one\n")
    #expect(anna.run("resolve", "--server", "z").status == 0)
    #expect(anna.run("push").error == "nothing to push\n")
    #expect(anna.item("a")?.contains("one") == true)
    // What is here as it was before a moving, too.
    anna.run("mv", "a", "y")
    try server.request("POST", "tables/todoitem", #"{"id": "y", "text": "theirs"}"#)
    anna.run("push")
    anna.run("resolve", "--client", "y")
    anna.directory.write(#"{"id": "y", "text": "theirs"}"#, to: anna.file("y"))
    try server.request("DELETE", "tables/todoitem/y")
    #expect(anna.run("pull").output == "conflict y  theirs\n")
    #expect(anna.run("resolve", "--server", "y").status == 0)
    #expect(anna.run("push").error == "nothing to push\n")
    #expect(anna.item("a")?.contains("one") == true)
    anna.expectSound()
  }

  /// Returns a line on which the answers to some requests are lost.
  private func losing(_ isLost: @escaping @Sendable (ReceivedRequest) -> Bool) throws -> Proxy {
    try Proxy(before: server.url) { isLost($0) ? .loseAnswer : .forward }
  }

  @Test("what is moved back while its delete is unknown stays until the server has it again")
  func movesBackUnderADelete() throws {
    let losing = try losing { $0.method == "DELETE" || $0.target.hasSuffix("/a") }
    let anna = try cloned()
    anna.run("mv", "a", "z")
    anna.run("remote", "set", losing.url)
    #expect(anna.run("push").output == "created z  one\nunknown a  one\n")
    #expect(anna.run("mv", "z", "a").status == 0)
    let refusing = try Proxy(before: server.url) { request in
      ["POST", "PATCH"].contains(request.method)
        ? .answer(.json(#"{"error": "no"}"#, status: 403)) : .forward
    }
    anna.run("remote", "set", refusing.url)
    let pushed = anna.run("push")
    #expect(pushed.output.contains("rejected a  403 no\n"), "\(pushed)")
    #expect(try Person(cloning: server.url).item("z") != nil)
    anna.run("remote", "set", server.url)
    #expect(anna.run("push", "a").output == "undeleted a  one\ndeleted z  one\n")
    anna.expectSound()
  }

  @Test("a lost answer to the new item's write is what it is without a moving")
  func losesAnswers() throws {
    let losing = try losing { $0.method != "GET" || $0.target.contains("/z") }
    let anna = try cloned()
    anna.run("mv", "a", "z")
    anna.run("remote", "set", losing.url)
    #expect(anna.run("push").output == "unknown z  one\n")
    try server.request("PATCH", "tables/todoitem/z", #"{"notes": "x"}"#)
    anna.run("remote", "set", server.url)
    let pushed = anna.run("push")
    #expect(pushed.status == 0, "\(pushed)")
    #expect(pushed.output == "created z  one (already there)\nchanged z  one\ndeleted a  one\n")
    anna.expectSound()
  }

  @Test("an id that something removed or renamed had is free for one that is changed by hand")
  func changedToAFormerID() throws {
    let anna = try cloned()
    anna.run("new", "-s", "id=n", "new")
    anna.run("rm", "n")
    anna.directory.write(#"{"id": "n", "text": "one"}"#, to: anna.file("a"))
    #expect(anna.run("mv", "todoitem/a", "n").output == "renamed a to n  one\n")
    anna.run("new", "-s", "id=q", "new")
    anna.run("mv", "q", "r")
    anna.directory.write(#"{"id": "q", "text": "one"}"#, to: anna.file("n"))
    #expect(anna.run("mv", "todoitem/n", "q").output == "renamed n to q  one\n")
    #expect(anna.run("push").output == "created r  new\ncreated q  one\ndeleted a  one\n")
    anna.expectSound()
  }

  @Test("a rule that deletes a row that was changed deletes it in the same push")
  func changedMeanwhile() throws {
    let anna = try cloned()
    anna.run("config", "merge", "client")
    anna.run("mv", "a", "z")
    try server.request("PATCH", "tables/todoitem/a", #"{"text": "changed"}"#)
    let pushed = anna.run("push")
    #expect(pushed.output == "created z  one\ndeleted a  changed (merged client)\n", "\(pushed)")
    anna.expectSound()
  }

  @Test("nothing waits for an item that the server has as it is here from somebody else")
  func hereAndThere() throws {
    let anna = try cloned()
    anna.run("mv", "a", "z")
    try server.request("POST", "tables/todoitem", #"{"id": "z", "text": "one"}"#)
    anna.run("pull")
    #expect(anna.run("push").output == "deleted a  one\n")
    anna.expectSound()
  }

  @Test("what lies in the former place is neither replaced nor waits, when the new id is given up")
  func formerPlaceIsTaken() throws {
    let anna = try cloned()
    for text in [#"{"id": "a", "text": "anew"}"#, "{"] {
      anna.run("mv", "a", "z")
      anna.directory.write(text, to: anna.file("a"))
      #expect(anna.run("restore", "z").output == "dropped z  one\n")
      #expect(anna.item("a") == text)
      anna.run("restore", "a")
    }
  }

  @Test("a moving back that was cut off is finished by the same command")
  func cutOffBack() throws {
    let anna = try cloned()
    anna.run("mv", "a", "z")
    let refusing = try Proxy(before: server.url) { request in
      request.method == "DELETE" ? .answer(.json(#"{"error": "no"}"#, status: 400)) : .forward
    }
    anna.run("remote", "set", refusing.url)
    anna.run("push")
    let rule = FailingCalls.Rule(call: .renameat2, error: .ioError, argument: (4, 2))
    guard let failed = FailingCalls.run([rule], { anna.run("mv", "z", "a") }) else {
      try Test.cancel("the kernel allows no filter of system calls")
    }
    #expect(failed.status == 8)
    #expect(anna.run("mv", "z", "a").output == "renamed z to a  one\n")
    anna.run("remote", "set", server.url)
    #expect(anna.run("push").output == "deleted z  one\n")
    anna.expectSound()
  }

  @Test("a copy of what has become another item is a new one, and nothing waits for it")
  func copyOfTheMoved() throws {
    let anna = try cloned()
    anna.directory.write(try #require(anna.item("a")), to: anna.file("copy"))
    anna.run("mv", "a", "z")
    #expect(anna.run("mv", "todoitem/copy", "copy").output == "renamed copy.json to copy  one\n")
    #expect(anna.run("status", "-s").output.contains("waits for z"))
  }

  @Test("a command that is given again means no other item whose id begins with that")
  func givenAgain() throws {
    let anna = try cloned()
    for id in ["milk", "milk-2", "tea", "tea-2"] { anna.run("new", "-s", "id=\(id)") }
    for words in [["rm", "milk"], ["mv", "tea", "coffee"]] {
      #expect(anna.run(words).status == 0)
      #expect(anna.run(words).status == 2, "\(words)")
    }
    #expect(anna.item("milk-2") != nil && anna.item("tea-2") != nil)
  }

  @Test("what lies in another item's place is told with a way that works")
  func misplaced() throws {
    try server.request("POST", "tables/todoitem", #"{"id": "b", "text": "two"}"#)
    let anna = try cloned()
    move(anna, "a", "b")
    #expect(anna.run("status", "-s").output.contains("· tsync mv todoitem/a a\n"))
    anna.environment += [("EDITOR", "true")]
    #expect(anna.run("edit", "todoitem/b").error.contains("mend it: tsync mv todoitem/a a\n"))
    #expect(anna.run("mv", "todoitem/a", "a").status == 0)
    #expect(anna.run("status").status == 0)
    // Swapped.
    for (from, to) in [("a", "c"), ("b", "a"), ("c", "b")] { move(anna, from, to) }
    let status = anna.run("status", "-s").output
    for (id, other) in [("a", "b"), ("b", "a")] {
      let refused = anna.run("rm", "todoitem/\(id)")
      #expect(refused.status == 2 && refused.error.contains(" is the file of todoitem/\(other)\n"))
    }
    for id in ["a", "b"] {
      #expect(status.contains("· tsync restore todoitem/\(id)\n"), "\(status)")
      #expect(anna.run("restore", "todoitem/\(id)").status == 0)
    }
    #expect(anna.run("push").error == "nothing to push\n")
  }

  @Test("a moving that is cut off is a file that was moved by hand, never two items")
  func cutOff() throws {
    let anna = try cloned()
    anna.run("set", "a", "text=mine")
    // The exchange with the new text; the new name is there by then.
    let rule = FailingCalls.Rule(call: .renameat2, error: .ioError, argument: (4, 2))
    guard let failed = FailingCalls.run([rule], { anna.run("mv", "a", "z") }) else {
      try Test.cancel("the kernel allows no filter of system calls")
    }
    #expect(failed.status == 8)
    let pushed = anna.run("push")
    #expect(pushed.status == 3)
    #expect(pushed.error.contains("todoitem/a stays at the server until it has todoitem/z\n"))
    #expect(anna.run("mv", "a", "z").output == "renamed a to z  mine\n")
    #expect(anna.run("push").output == "created z  mine\ndeleted a  one\n")
    anna.expectSound()
  }

  @Test("so is the giving of a third name to a file that was moved by hand")
  func cutOffUnderAThirdName() throws {
    let anna = try cloned()
    move(anna, "a", "b")
    let rule = FailingCalls.Rule(call: .renameat2, error: .ioError, argument: (4, 2))
    guard let failed = FailingCalls.run([rule], { anna.run("mv", "todoitem/b", "c") }) else {
      try Test.cancel("the kernel allows no filter of system calls")
    }
    #expect(failed.status == 8)
    #expect(anna.item("b") == nil)
    #expect(
      anna.run("push").error.contains("todoitem/a stays at the server until it has todoitem/c\n"))
    #expect(anna.run("mv", "todoitem/c", "c").output == "renamed a to c  one\n")
    #expect(anna.run("push").output == "created c  one\ndeleted a  one\n")
    anna.expectSound()
  }

  @Test("a file of another table that says the same id is not the moved one")
  func anotherTable() throws {
    let tables = ["todoitem", "other"]
    let server = try RunningServer(["--no-auth"] + tables.flatMap { ["--table", $0] })
    for table in tables {
      try server.request("POST", "tables/\(table)", #"{"id": "a", "text": "one"}"#)
    }
    let anna = try Person(cloning: server.url, tables: tables)
    move(anna, "a", "b")
    anna.directory.write(#"{"id": "a", "text": "copy"}"#, to: "list/.todosync/items/other/0.json")
    #expect(anna.run("rm", "other/0").output == "removed other/0  (no text)\n")
    #expect(anna.run("mv", "todoitem/a", "a").output == "renamed b.json to todoitem/a  one\n")
    #expect(anna.run("status").status == 0)
  }

  @Test("an item whose id was changed in its file is that item, under the new id or the old one")
  func changedID() throws {
    let anna = try cloned()
    let text = #"{"id": "zz", "text": "one"}"#
    anna.directory.write(text, to: anna.file("a"))
    #expect(anna.run("mv", "todoitem/a", "a").output == "renamed a.json to a  one\n")
    #expect(anna.run("status").status == 0)
    anna.directory.write(text, to: anna.file("a"))
    #expect(anna.run("mv", "todoitem/a", "zz").output == "renamed a to zz  one\n")
    #expect(anna.run("push").output == "created zz  one\ndeleted a  one\n")
  }
}
