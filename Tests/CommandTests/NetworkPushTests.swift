import Glibc
import SyncModel
import TestSupport
import Testing

@testable import Commands

@Suite struct NetworkPushTests {
  private let server: RunningServer
  private let anna: Person

  init() throws {
    server = try RunningServer()
    anna = try Person(cloning: server.url)
  }

  @Test(
    "case 56: offline nothing is lost, and with the network back exactly what waits is sent, once")
  func goesOffline() throws {
    anna.run("new", "-s", "id=milk", "Buy milk")
    anna.run("new", "-s", "id=old", "Old idea")
    anna.run("push")
    anna.run("remote", "set", "https://todo.invalid")
    anna.run("new", "-s", "id=tea", "Buy tea")
    anna.run("done", "milk")
    anna.run("rm", "old")
    let offline = anna.run("push")
    #expect(offline.status == 5)
    #expect(offline.output == "")
    #expect(
      offline.error
        == "tsync: push: cannot reach https://todo.invalid: name not resolved\n"
        + "tsync: nothing is lost: 3 changes wait           try again: tsync push\n")
    anna.run("remote", "set", server.url)
    let pushed = anna.run("push")
    #expect(pushed.status == 0)
    #expect(
      pushed.output == "created tea  Buy tea\nupdated milk  Buy milk\ndeleted old  Old idea\n")
    #expect(anna.run("push") == Outcome(status: 0, output: "", error: "nothing to push\n"))
  }

  @Test("a file that can't be read when another's row comes for it keeps the row waiting")
  func holdsRows() throws {
    anna.run("new", "-s", "id=milk", "Buy milk")
    anna.run("push")
    try server.request("PATCH", "tables/todoitem/milk", #"{"notes": "two litres"}"#)
    anna.run("set", "milk", "text=Buy oat milk")
    let (directory, file) = (anna.directory, anna.file("milk"))
    let proxy = try Proxy(before: server.url) { request in
      if request.method == "PATCH" { directory.write("{", to: file) }
      return .forward
    }
    anna.run("remote", "set", proxy.url)
    let pushed = anna.run("push")
    #expect(pushed.status == 3)
    #expect(pushed.output == "held milk  Buy milk\n")
    #expect(pushed.error.hasPrefix("1 held "), "\(pushed)")
    anna.run("remote", "set", server.url)
    #expect(anna.run("push").status == 3)
    directory.write(#"{"id": "milk", "text": "Buy oat milk"}"#, to: file)
    let second = anna.run("push")
    #expect(second.status == 0, "\(second)")
    #expect(second.output == "updated milk  Buy oat milk\n", "\(second)")
    #expect(anna.item("milk")?.contains("two litres") == true)
    anna.expectSound()
  }

  @Test("a push says where a rule has let the client overrule what others changed")
  func tellsOverruled() throws {
    for id in ["milk", "tea"] { anna.run("new", "-s", "id=\(id)", id) }
    anna.run("push")
    anna.run("config", "merge", "client")
    try server.request("PATCH", "tables/todoitem/milk", #"{"text": "Theirs", "notes": "theirs"}"#)
    try server.request("PATCH", "tables/todoitem/tea", #"{"text": "Theirs"}"#)
    anna.run("set", "milk", "text=Mine", "due=2026-03-01")
    anna.run("rm", "tea")
    #expect(
      anna.run("push").output
        == "updated milk  Mine (merged text: client, notes: server)\n"
        + "deleted tea  Theirs (merged client)\n")
    anna.expectSound()
  }

  @Test("what two sides make too much for one item is named by the push that merged it")
  func namesTooMuch() throws {
    anna.run("new", "-s", "id=milk", "Buy milk")
    anna.run("push")
    let half = String(repeating: "x", count: 600_000)
    try server.request("PATCH", "tables/todoitem/milk", #"{"theirs": "\#(half)"}"#)
    anna.directory.write(
      #"{"id": "milk", "text": "Buy milk", "mine": "\#(half)"}"#, to: anna.file("milk"))
    let pushed = anna.run("push")
    #expect(pushed.status == 3, "\(pushed.status)")
    #expect(pushed.output.contains("rejected milk  413 "), "\(pushed.output.prefix(400))")
    #expect(anna.item("milk")?.contains("theirs") == true)
    #expect(anna.run("push").status == 3)
  }

  @Test("a file that isn't valid is not restored while nobody knows what became of its insert")
  func restoresNothingUnknown() throws {
    anna.run("new", "-s", "id=milk", "Buy milk")
    let (isSent, isBack) = (Gate(), Gate())
    let proxy = try Proxy(before: server.url) { request in
      if isBack.wait(seconds: 0) { return .forward }
      guard request.method == "POST" else {
        return isSent.wait(seconds: 0) ? .answer(.dropped) : .forward
      }
      isSent.open()
      return .loseAnswer
    }
    anna.run("remote", "set", proxy.url)
    #expect(anna.run("push").status == 5)
    anna.directory.write("{", to: anna.file("milk"))
    let refused = anna.run("restore", "milk")
    #expect(refused.status == 2 && refused.output == "", "\(refused)")
    #expect(refused.error.contains("the outcome of todoitem/milk is unknown"), "\(refused)")
    let all = anna.run("restore", "-a")
    #expect(all.status == 3 && all.output == "", "\(all)")
    #expect(anna.item("milk") == "{")
    isBack.open()
    #expect(anna.run("push").output.contains("deleted") == false)
    #expect(try server.rows("milk").first?["deleted"]?.boolean == false)
    // Now it is known, and comes back.
    #expect(anna.run("restore", "milk").output == "restored milk  Buy milk\n")
  }

  @Test("what was edited behind a write of an earlier push has a line of its own")
  func tellsBoth() throws {
    anna.run("new", "-s", "id=milk", "Buy milk")
    anna.run("push")
    anna.run("set", "milk", "text=Buy oat milk")
    let (isSent, isBack) = (Gate(), Gate())
    let proxy = try Proxy(before: server.url) { request in
      if request.method == "PATCH" { isSent.open() }
      return isBack.wait(seconds: 0) || !isSent.wait(seconds: 0) ? .forward : .answer(.dropped)
    }
    anna.run("remote", "set", proxy.url)
    #expect(anna.run("push").status == 5)
    isBack.open()
    anna.run("set", "milk", "text=Buy soy milk")
    let foretold = anna.run("push", "-n").output
    #expect(foretold == "would update milk  Buy oat milk\nwould update milk  Buy soy milk\n")
    let pushed = anna.run("push")
    #expect(
      pushed.output == "updated milk  Buy oat milk\nupdated milk  Buy soy milk\n", "\(pushed)")
    #expect(pushed.error == "2 pushed\n", "\(pushed)")
  }

  @Test(
    "cases 40, 42, 45, N3: a lost answer is found done by the next push",
    arguments: ["POST", "PATCH", "DELETE"])
  func findsLostAnswers(method: String) throws {
    if method != "POST" {
      anna.run("new", "-s", "id=milk", "Buy milk")
      anna.run("push")
    }
    let isDisturbed = Gate()
    let proxy = try Proxy(before: server.url) { request in
      request.method == method && !isDisturbed.wait(seconds: 0) ? .loseAnswer : .forward
    }
    anna.run("remote", "set", proxy.url)
    switch method {
    case "POST": anna.run("new", "-s", "id=milk", "Buy milk")
    case "PATCH": anna.run("set", "milk", "text=Buy oat milk")
    default: anna.run("rm", "milk")
    }
    let lost = anna.run("push")
    #expect(lost.status == 5)
    isDisturbed.open()
    let found = anna.run("push")
    #expect(found.status == 0)
    #expect(found.output.contains("(already there)"))
    #expect(found.error == "1 pushed\n")
    #expect(proxy.requests.count { $0.method == method } >= 1)
    let rows = try server.request("GET", "tables/todoitem?$count=true")
    #expect(rows.contains("\"count\":\(method == "DELETE" ? 0 : 1)"))
    #expect(anna.conflicts == [])
  }

  @Test(
    "what waits behind a lost answer is foretold, sent and told on its own",
    arguments: [
      (["rm", "milk"], "delete", "deleted"), (["set", "milk", "due=2027"], "update", "updated"),
    ])
  func tellsWhatWaitsBehind(command: [String], kind: String, word: String) throws {
    anna.run("new", "-s", "id=milk", "Buy milk")
    anna.run("push")
    let isDisturbed = Gate()
    let proxy = try Proxy(before: server.url) { request in
      request.method == "PATCH" && !isDisturbed.wait(seconds: 0) ? .loseAnswer : .forward
    }
    anna.run("remote", "set", proxy.url)
    anna.run("set", "milk", "text=Oat milk")
    #expect(anna.run("push").status == 5)
    #expect(anna.run(command).status == 0)
    isDisturbed.open()
    let foretold = anna.run("push", "-n")
    #expect(foretold.output.contains("would update milk"))
    #expect(foretold.output.contains("would \(kind) milk"))
    #expect(foretold.error.hasPrefix("2 to push"))
    #expect(anna.run("journal").output.contains("pending   \(kind)"))
    let pushed = anna.run("push")
    #expect(pushed.status == 0)
    #expect(
      pushed.output.hasPrefix("updated milk  Oat milk (already there)\n\(word) milk  Oat milk"))
    #expect(pushed.error == "2 pushed\n")
  }

  @Test("case 80: an item that is edited while it is on its way keeps the edit, which is sent next")
  func keepsEdit() throws {
    anna.run("new", "-s", "id=milk", "Buy milk")
    let path = anna.directory.path(of: anna.file("milk"))
    let proxy = try Proxy(before: server.url) { request in
      if request.method == "POST" {
        let file = fopen(path, "w")
        fputs(#"{"id": "milk", "text": "Buy oat milk"}"#, file)
        fclose(file)
      }
      return .forward
    }
    anna.run("remote", "set", proxy.url)
    #expect(anna.run("push").output == "created milk  Buy milk\n")
    #expect(anna.item("milk") == #"{"id": "milk", "text": "Buy oat milk"}"#)
    #expect(anna.run("push").output == "updated milk  Buy oat milk\n")
    #expect(anna.conflicts == [])
  }

  @Test("files that aren't valid are named, and the rest is sent")
  func namesInvalidFiles() throws {
    let items = "list/.todosync/items/todoitem"
    anna.directory.write(#"{"text": "Buy milk"}"#, to: "\(items)/buy-milk.json")
    anna.directory.write("{\n  \"text\": \"a\"\n  \"b\": 1\n}", to: "\(items)/broken.json")
    anna.directory.write(#"{"id": "b", "text": "x"}"#, to: "\(items)/a.json")
    let latin = "{\"text\": \"caf\u{e9}\"}".unicodeScalars.map { UInt8($0.value) }
    anna.directory.write(latin, to: "\(items)/latin.json")
    anna.directory.write([UInt8](repeating: 0x20, count: 4 << 20 + 1), to: "\(items)/large.json")
    symlink("/etc/passwd", anna.directory.path(of: "\(items)/link.json"))
    let pushed = anna.run("push")
    #expect(pushed.status == 3)
    #expect(pushed.output == "created buy-milk  Buy milk\n")
    #expect(pushed.error.contains("items/todoitem/broken.json:3:3: "))
    for name in ["a", "latin", "large", "link"] {
      #expect(pushed.error.contains("items/todoitem/\(name).json"))
    }
    #expect(pushed.error.contains("1 pushed, 5 not valid"))
  }

  @Test(
    "case 53, S5: what the server refuses is told with its words, stops nothing, and is told again")
  func tellsRejections() throws {
    let refusing = try Proxy(before: server.url) { request in
      guard request.method == "POST", request.target.contains("todoitem"),
        String(decoding: request.body, as: UTF8.self).contains("bad")
      else { return .forward }
      return .answer(.json(#"{"error": "text is \u001b[1m required"}"#, status: 400))
    }
    anna.run("remote", "set", refusing.url)
    anna.run("new", "-s", "id=bad")
    anna.run("new", "-s", "id=ok", "Fine")
    let pushed = anna.run("push")
    #expect(pushed.status == 3)
    #expect(pushed.output == "rejected bad  400 text is \\x1b[1m required\ncreated ok  Fine\n")
    #expect(pushed.error == "1 pushed, 1 rejected                             tsync status\n")
    let again = anna.run("push")
    #expect(again.status == 3)
    #expect(again.output == "rejected bad  400 text is \\x1b[1m required\n")
    #expect(refusing.requests.count { $0.method == "POST" } == 2)
    anna.run("set", "bad", "text=Good")
    #expect(anna.run("push").output.hasPrefix("rejected bad  400"))
  }

  @Test("case 75: many files that vanished are not deleted on the server without a word")
  func stopsBeforeDeleting() throws {
    for number in 1...4 { anna.run("new", "-s", "id=i\(number)", "Item \(number)") }
    anna.run("push")
    for number in 1...4 { unlink(anna.directory.path(of: anna.file("i\(number)"))) }
    let stopped = anna.run("push")
    #expect(stopped.status == 6)
    #expect(stopped.error.contains("tsync push --max-delete 4"))
    #expect(anna.run("push", "--max-delete", "4").error == "4 pushed\n")
  }

  @Test("what was removed and put back by hand is asked about again when it vanishes")
  func forgetsRemovals() throws {
    for number in 1...4 { anna.run("new", "-s", "id=i\(number)", "Item \(number)") }
    anna.run("push")
    let texts = (1...4).map { anna.item("i\($0)") ?? "" }
    anna.run("rm", "i1", "i2", "i3", "i4")
    for number in 1...4 { anna.directory.write(texts[number - 1], to: anna.file("i\(number)")) }
    #expect(anna.run("push") == Outcome(status: 0, output: "", error: "nothing to push\n"))
    let journal = anna.directory.text("list/.todosync/journal.jsonl")
    #expect(anna.run("push").error == "nothing to push\n")
    #expect(anna.directory.text("list/.todosync/journal.jsonl") == journal)
    for number in 1...4 { unlink(anna.directory.path(of: anna.file("i\(number)"))) }
    let stopped = anna.run("push")
    #expect(stopped.status == 6, "\(stopped)")
    #expect(try server.request("GET", "tables/todoitem").contains(#""id":"i4""#))
  }

  @Test("another data set behind the address stops everything")
  func stopsAtAnotherDataset() throws {
    let other = try RunningServer()
    anna.run("new", "-s", "id=milk", "Buy milk")
    anna.run("remote", "set", other.url)
    for command in ["push", "pull"] { #expect(anna.run(command).status == 6) }
    let rows = try other.request("GET", "tables/todoitem")
    #expect(!rows.contains("milk"))
  }

  @Test("push -n and pull -n change nothing, here or there")
  func rehearses() throws {
    anna.run("new", "-s", "id=milk", "Buy milk")
    #expect(
      anna.run("push", "-n")
        == Outcome(
          status: 0, output: "would create milk  Buy milk\n",
          error: "1 to push                                        tsync push\n"))
    anna.run("push")
    let ben = Person()
    ben.run("init", "--remote", server.url, "list")
    let foretold = ben.run("pull", "-n", "-v")
    #expect(foretold.status == 0)
    #expect(foretold.output == "would add milk  Buy milk\n")
    #expect(ben.item("milk") == nil)
    #expect(ben.run("pull", "-v").output == "new milk  Buy milk\n")
  }
}
