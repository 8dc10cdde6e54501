import Glibc
import SystemPackage
import TestSupport
import Testing

@testable import Commands

/// What people are told, once and by its name.
@Suite struct ToldTests {
  /// A world in which there is a conflict about milk: oat here, soy there.
  private static func milkInConflict() throws -> CaseWorld {
    let world = try CaseWorld(#"{"id": "milk", "text": "Milk"}"#)
    world.anna.run("set", "milk", "text=Oat milk")
    try world.server.request("PATCH", "tables/todoitem/milk", #"{"text": "Soy milk"}"#)
    world.anna.run("pull")
    return world
  }

  /// Two items, bread and milk, with Mine on the client's side and Theirs on the server's.
  private static func twoInConflict() throws -> CaseWorld {
    let world = try CaseWorld(
      #"{"id": "bread", "text": "Bread"}"#, #"{"id": "milk", "text": "Milk"}"#)
    for id in ["bread", "milk"] {
      world.anna.run("set", id, "text=Mine")
      try world.server.request("PATCH", "tables/todoitem/\(id)", #"{"text": "Theirs"}"#)
    }
    world.anna.run("pull")
    return world
  }

  @Test(
    "a column or an order that no item has is named",
    arguments: [["-o", "id,bogus"], ["-S", "-bogus"], ["-o", "version"]])
  func namesColumns(words: [String]) {
    let anna = Person()
    anna.run("init", "list")
    #expect(anna.run(["list"] + words) == Outcome(status: 0, output: "", error: ""))
    anna.run("new", "-s", "id=milk", "-s", "due=x", "Milk")
    anna.run("done", "milk")
    let refused = anna.run(["list"] + words)
    let name = words[1].hasSuffix("bogus") ? "bogus" : "version"
    #expect(
      refused
        == Outcome(status: 2, output: "", error: "tsync: list: no item has a field '\(name)'\n"))
    #expect(anna.run("list", "-o", "due,title,table", "-S", "-due").status == 0)
  }

  @Test("a trace that can't be written is named, and nothing is sent")
  func namesTrace() throws {
    let world = try CaseWorld()
    let count = world.line.requests.count
    world.anna.run("new", "-s", "id=milk", "Milk")
    let refused = world.anna.run("--trace", "/nonexistent/x", "push")
    #expect(refused.status == 2)
    let words = "the trace can't be written to /nonexistent/x: No such file or directory\n"
    #expect(refused.error.hasPrefix("tsync: push: \(words)"))
    #expect(world.line.requests.count == count)
    world.anna.run("push")
    world.anna.expectSound()
  }

  @Test(
    "no message names a temporary file, but the directory where none can be made",
    arguments: [
      ("set milk a=b", "trash"), ("config page 5", "config.json"), ("pull", "trash"),
    ])
  func namesNoTemporaries(line: String, place: String) throws {
    let world = try CaseWorld(#"{"id": "milk", "text": "Milk"}"#)
    try world.server.request("PATCH", "tables/todoitem/milk", #"{"text": "Oat milk"}"#)
    let anna = world.anna
    let line = line.replacing("page", with: "pull.page")
    let rule = FailingCalls.Rule(
      call: .openat, error: .permissionDenied, argument: (2, UInt32(O_EXCL)))
    let words = line.split(separator: " ").map(String.init)
    guard let refused = FailingCalls.run([rule], { anna.run(words) }) else {
      try Test.cancel("the kernel allows no filter of system calls")
    }
    #expect(refused.status == 8)
    #expect(refused.error.contains(": \(place): Permission denied\n"), "\(refused.error)")
    #expect(!refused.error.contains("tmp-"))
    anna.run("sync")
    anna.expectSound()
  }

  @Test(
    "a mistake in the file of tokens is named by line and column, without a token",
    arguments: [
      (
        "{\n  \"https://x\": \"canary\"\n  \"https://y\": \"canary\"\n}",
        ":3:3: expected ',' or '}'"
      ),
      ("{\n  \"https://x\": [\"canary\"]\n}", ":2:16: expected a token"),
      ("{\"https://x\": \"canary\",\n\"https://x\": \"canary\"}", ":2:1: the member 'https://x'"),
      ("{\"https://x\": \"canary \\u0007\"}", ":1:15: expected a token"),
      ("[\"canary\"]", ":1:1: expected an object"), ("", ":1:1: the text ends"),
    ])
  func namesTokenMistakes(text: String, place: String) throws {
    let world = try CaseWorld()
    world.anna.directory.write(text, to: "config/tsync/credentials.json")
    let path = world.anna.directory.path(of: "config/tsync/credentials.json")
    let refused = world.anna.run("pull")
    #expect(refused.status == 4)
    #expect(refused.error.contains("tsync: pull: \(path)\(place)"), "\(refused.error)")
    #expect(!refused.error.contains("canary"))
  }

  @Test("Ctrl-C where a token is asked for ends with the signal's status and in plain words")
  func interruptsPrompt() throws {
    let world = try CaseWorld()
    let login = try world.anna.start(["remote", "login"], columns: 80)
    #expect(login.waits(for: "token for \(world.line.url):"))
    login.type("\u{3}")
    let ended = login.outcome()
    #expect(ended.status == 130)
    #expect(ended.output.hasSuffix("\ntsync: remote: interrupted\n"), "\(ended.output)")
  }

  @Test("Ctrl-Z where a token is asked for can't stop tsync and leave the terminal without echo")
  func staysAtPrompt() throws {
    let world = try CaseWorld()
    // Where the shell controls jobs, Ctrl-Z would stop what it has started.
    let shell = try ChildProcess(
      ["sh", "-m", "-c", "tsync remote login; echo ended $?; stty -a"],
      in: world.anna.directory.path(of: "list"), world.anna.variables, columns: 80)
    #expect(shell.waits(for: "token for \(world.line.url):"))
    shell.type("\u{1A}\u{15}canary-token\n")
    let ended = shell.outcome()
    #expect(ended.output.contains("\nended 0\n"), "\(ended.output)")
    #expect(ended.output.contains(" susp = ^Z;") && ended.output.contains(" echo "))
  }

  @Test("a token that is typed isn't shown")
  func hidesToken() throws {
    let world = try CaseWorld()
    let login = try world.anna.start(["remote", "login"], columns: 80)
    #expect(login.waits(for: "token for \(world.line.url):"))
    login.type("canary-token\n")
    let ended = login.outcome()
    #expect(ended.status == 0)
    #expect(!ended.output.contains("canary-token"))
    #expect(
      world.anna.directory.text("config/tsync/credentials.json")?.contains("canary-token") == true)
  }

  @Test(
    "sync tells a conflict once, and so does its rehearsal", arguments: [["sync", "-n"], ["sync"]])
  func tellsOnce(words: [String]) throws {
    let world = try CaseWorld(#"{"id": "milk", "text": "Milk"}"#)
    world.anna.run("set", "milk", "text=Oat milk")
    try world.server.request("PATCH", "tables/todoitem/milk", #"{"text": "Soy milk"}"#)
    let synced = world.anna.run(words)
    #expect(synced.status == 1)
    let word = words.count == 2 ? "would conflict" : "conflict"
    #expect(synced.output == "\(word) milk  Oat milk (text)\n")
    // Where nothing new comes, the push tells what is still open.
    world.anna.run("pull")
    #expect(world.anna.run("sync").output == "conflict milk  Oat milk (text)\n")
  }

  @Test("another address is refused while an outcome is unknown, unless it is the same data set")
  func refusesAddress() throws {
    let isCut = Gate()
    let world = try CaseWorld(#"{"id": "milk", "text": "Milk"}"#) { _ in
      isCut.wait(seconds: 0) ? .loseAnswer : .forward
    }
    let anna = world.anna
    anna.run("set", "milk", "text=Oat milk")
    isCut.open()
    #expect(anna.run("push").status == 5)
    let refused = anna.run("remote", "set", "http://127.0.0.1:9")
    #expect(refused.status == 6)
    let lines = refused.error.split(separator: "\n")
    try #require(lines.count == 3, "\(refused.error)")
    #expect(
      lines[0] == "tsync: remote: the outcome of 1 change is only known by the present server")
    let doubt = "tsync: whether http://127.0.0.1:9 is the same one isn't known: cannot reach "
    #expect(lines[1].hasPrefix(doubt))
    #expect(lines[2] == "tsync: find it out first: tsync push")
    #expect(anna.run("remote", "set", try RunningServer().url).status == 6)
    #expect(anna.run("remote", "set", world.server.url).status == 0)
    #expect(anna.run("push").status == 0)
    anna.expectSound()
  }

  @Test("a token that the server doesn't take is told as such")
  func namesRefusedToken() throws {
    let world = try CaseWorld { request in
      request.fields.contains { $0.name.lowercased() == "authorization" }
        ? .answer(.json(#"{"error": "a token is needed"}"#, status: 401)) : .forward
    }
    world.anna.directory.write("canary\n", to: "token")
    world.anna.run("remote", "login", "--token-file", world.anna.directory.path(of: "token"))
    let refused = world.anna.run("pull")
    #expect(
      refused
        == Outcome(
          status: 4, output: "",
          error: """
            tsync: pull: the server does not accept the token that it was given: \
            401 a token is needed
            tsync: give it another one: tsync remote login

            """))
  }

  @Test("a conflict that was settled elsewhere while it was edited is told, and where the text is")
  func tellsSettledElsewhere() throws {
    let world = try Self.milkInConflict()
    let anna = world.anna
    let editor = "echo TYPED >>\"$1\"; \(Programs.directory)/tsync resolve --server milk #"
    anna.environment += [("EDITOR", "sh -c '\(editor)' sh")]
    let resolve = try anna.start(["resolve", "milk"], columns: 80)
    #expect(resolve.waits(for: "? [e]"))
    resolve.type("e\n")
    let ended = resolve.outcome()
    #expect(ended.status == 3, "\(ended.output)")
    let words = "todoitem/milk is not in conflict any more, and stays as it is; your text is in "
    let found = try #require(ended.output.firstRange(of: words), "\(ended.output)")
    let place = ended.output[found.upperBound...].prefix { $0 != "\n" }
    #expect(anna.directory.text("list/.todosync/\(place)")?.contains("TYPED") == true)
    anna.expectSound()
  }

  @Test("a conflict whose files were both edited while another was settled is left, and told")
  func tellsEditedTwice() throws {
    let world = try Self.twoInConflict()
    let anna = world.anna
    let path = anna.directory.path(of: "list/.todosync")
    let tool =
      #"cp "$SERVER" "$RESULT"; echo '{"id":"milk","text":"1"}' >\#(path)/items/todoitem/milk.json; "#
      + #"echo '{"id":"milk","text":"2"}' >\#(path)/conflicts/todoitem/milk.client.json"#
    let resolved = anna.run("resolve", "-a", "--tool", tool)
    #expect(resolved.status == 1)
    #expect(resolved.output.contains("resolved bread"), "\(resolved.output)")
    #expect(resolved.output.contains("left milk"), "\(resolved.output)")
    #expect(resolved.error.contains("were both edited, and differ"), "\(resolved.error)")
    #expect(anna.item("milk")?.contains("1") == true)
  }

  @Test("a conflict that can't be looked at holds up no other, and alone is an error")
  func holdsUpNoOther() throws {
    let world = try Self.twoInConflict()
    let anna = world.anna
    anna.directory.write("{", to: anna.file("bread"))
    let alone = anna.run("resolve", "--server", "bread")
    #expect(alone.status == 2 && alone.output == "", "\(alone)")
    let resolved = anna.run("resolve", "--server", "-a")
    #expect(resolved.status == 1)
    #expect(resolved.output.contains("resolved milk  Theirs (server)\n"), "\(resolved.output)")
    #expect(resolved.output.contains("left bread"), "\(resolved.output)")
    #expect(resolved.error.contains("items/todoitem/bread.json:1:2: "), "\(resolved.error)")
    #expect(anna.item("bread") == "{")
    #expect(anna.run("resolve", "-f", "text=server", "-a").status == 2)
  }

  @Test("resolve --both --push sends the new item, too")
  func pushesTheCopy() throws {
    let world = try Self.milkInConflict()
    let resolved = world.anna.run("resolve", "--both", "--push", "milk")
    #expect(resolved.status == 0, "\(resolved)")
    #expect(resolved.output.contains("created "), "\(resolved)")
    #expect(resolved.error.contains("1 pushed"), "\(resolved)")
    let list = try world.server.request("GET", "tables/todoitem")
    #expect(list.contains("Oat milk") && list.contains("Soy milk"), "\(list)")
  }

  @Test("an item that was removed whose conflict's side was edited is told as that")
  func tellsRemovedAndEdited() throws {
    let anna = try Self.milkInConflict().anna
    let side = "list/.todosync/conflicts/todoitem/milk.client.json"
    anna.directory.write(#"{"id": "milk", "text": "Edited"}"#, to: side)
    anna.run("rm", "milk")
    let refused = anna.run("resolve", "--client", "milk")
    #expect(refused.status == 2)
    #expect(
      refused.error.hasPrefix(
        "tsync: resolve: items/todoitem/milk.json was removed, and "
          + "conflicts/todoitem/milk.client.json was edited\n"), "\(refused.error)")
    unlink(anna.directory.path(of: side))
    #expect(anna.run("resolve", "--client", "milk").status == 0)
  }

  @Test("who is asked about a mistake in an edited conflict holds up no other command")
  func holdsNoLock() throws {
    let anna = try Self.milkInConflict().anna
    anna.environment += [("EDITOR", "sh -c 'echo x >\"$1\"' sh")]
    let resolve = try anna.start(["resolve", "milk"], columns: 80)
    #expect(resolve.waits(for: "? [e]"))
    resolve.type("e\n")
    #expect(resolve.waits(for: "[l]eave? [e]"))
    #expect(anna.run("new", "Bread").status == 0)
    resolve.type("l\n")
    #expect(resolve.outcome().status == 1)
  }

  @Test("a conflict that is settled while a mistake in it is asked about is over; the text is told")
  func tellsSettledMeanwhile() throws {
    let world = try Self.milkInConflict()
    let anna = world.anna
    anna.environment += [("EDITOR", "sh -c 'echo TYPED >\"$1\"' sh")]
    let resolve = try anna.start(["resolve", "milk"], columns: 80)
    #expect(resolve.waits(for: "? [e]"))
    resolve.type("e\n")
    #expect(resolve.waits(for: "[l]eave? [e]"))
    #expect(anna.run("resolve", "--server", "milk").status == 0)
    resolve.type("e\nl\n")
    let ended = resolve.outcome()
    #expect(ended.status == 3, "\(ended.output)")
    let words = "todoitem/milk is not in conflict any more, and stays as it is; your text is in "
    let found = try #require(ended.output.firstRange(of: words), "\(ended.output)")
    let place = ended.output[found.upperBound...].prefix { $0 != "\n" && $0 != "\r" }
    #expect(anna.directory.text("list/.todosync/\(place)") == "TYPED\n", "\(ended.output)")
    anna.expectSound()
  }

  @Test("what another tsync left while a tool ran is told, and what is known already isn't again")
  func tellsLeftAfterPause() throws {
    let world = try Self.milkInConflict()
    let anna = world.anna
    chmod(anna.directory.path(of: "list/.todosync"), 0o755)
    let left = ".tmp-4194305-1-0-1234567890123456-items-todoitem.milk.json"
    let path = anna.directory.path(of: "list/.todosync/trash/\(left)")
    let resolved = anna.run("resolve", "--tool", "echo mine >\(path)", "milk")
    let lines = resolved.error.split(separator: "\n")
    #expect(lines.count { $0.contains("is open to other users") } == 1, "\(lines)")
    let kept = lines.filter { $0.contains("a text that a stopped tsync left is kept in trash/") }
    #expect(kept.count == 1, "\(lines)")
    let place = try #require(kept.first?.split(separator: " ").last)
    #expect(anna.directory.text("list/.todosync/\(place)") == "mine\n")
  }

  @Test("a page that isn't installed is named; a command's is told in short")
  func namesPages() throws {
    let anna = Person()
    // Without man(1) no page can be opened.
    anna.environment = [("PATH", anna.directory.path)]
    let refused = anna.run("help", "tutorial")
    #expect(refused.status == 2)
    #expect(refused.output == "")
    #expect(refused.error.hasPrefix("tsync: help: tsync-tutorial(7) is not installed"))
    let told = anna.run("help", "push")
    #expect(told.status == 0)
    #expect(told.output.contains("tsync push"))
    #expect(told.error == "tsync: help: tsync-push(1) can't be opened; in short:\n")
  }

  @Test(
    "show tells an item in conflict as its file now is, and as its client's side where that was edited"
  )
  func showsTheNewestSide() throws {
    let world = try Self.milkInConflict()
    let anna = world.anna
    #expect(anna.run("show", "milk").output.contains("Oat milk"))
    let side = "list/.todosync/conflicts/todoitem/milk.client.json"
    anna.directory.write(#"{"id": "milk", "text": "Rice milk"}"#, to: side)
    #expect(anna.run("show", "milk").output.contains("Rice milk"))
    anna.directory.write(#"{"id": "milk", "text": "Almond milk"}"#, to: anna.file("milk"))
    for words in [["show", "milk"], ["show", "--client", "milk"]] {
      #expect(anna.run(words).output.contains("Almond milk"))
    }
  }

  @Test("resolve --both says that the new item waits for a push")
  func hintsPush() throws {
    let world = try Self.milkInConflict()
    let anna = world.anna
    let resolved = anna.run("resolve", "--both", "milk")
    #expect(resolved.status == 0)
    #expect(resolved.error == "1 resolved                                       tsync push\n")
    #expect(anna.run("push").error == "1 pushed\n")
    anna.expectSound()
  }

  @Test("the page of a network that wants a login is told as such", arguments: ["pull", "push"])
  func tellsPortal(word: String) throws {
    let world = try CaseWorld(#"{"id": "milk", "text": "Milk"}"#)
    world.anna.run("set", "milk", "text=Oat milk")
    world.disturb { _ in .answer(.portal) }
    let refused = world.anna.run(word)
    #expect(refused.status == 5)
    #expect(refused.error.contains("tsync: \(word): a web page came"), "\(refused)")
  }
}
