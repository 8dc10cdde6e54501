import CommandSupport
import Glibc
import SyncModel
import TestSupport
import Testing

/// A command line of anna's that is taken back, and what happens ahead of it.
struct UndoCase: CustomTestStringConvertible {
  let line: String
  /// Lines of the shell; those of ben's begin with `ben:`.
  var ahead: [String] = []
  /// Done by hand before the command, and taken back with it.
  var hand: String?
  /// Whether it has to be named by its number.
  var isByNumber = false

  var testDescription: String { (ahead + [hand, line].compactMap(\.self)).joined(separator: "; ") }

  /// More than stands in a line of the history.
  private static let large =
    #"tsync new -q -s id=big -s notes="$(head -c 40000 /dev/zero | tr '\0' x)" B"#

  static let all = [
    UndoCase(line: large),
    UndoCase(line: "tsync rm big", ahead: [large, "tsync push -q"]),
    UndoCase(line: "tsync mv big huge", ahead: [large, "tsync push -q"]),
    UndoCase(
      line: "tsync push", ahead: [large, "tsync push -q"],
      hand: "sed -i s/xx/xy/ .todosync/items/todoitem/big.json"),
    UndoCase(
      line: "tsync push", ahead: [large, "tsync push -q"],
      hand: "rm .todosync/items/todoitem/big.json"),
    UndoCase(line: "tsync new -s id=new New"),
    UndoCase(line: "tsync set a b text=Other"),
    UndoCase(line: "tsync done a"),
    UndoCase(line: "EDITOR='sed -i s/Alpha/Omega/' tsync edit a"),
    UndoCase(line: "tsync rm a b"),
    UndoCase(line: "tsync mv a z"),
    UndoCase(line: "tsync restore a", ahead: ["tsync set a text=Mine"]),
    UndoCase(line: "tsync restore a", ahead: ["tsync rm a"]),
    UndoCase(line: "tsync push", hand: "sed -i s/Item/Thing/ .todosync/items/todoitem/i*.json"),
    UndoCase(line: "tsync push", hand: "rm .todosync/items/todoitem/a.json"),
    UndoCase(line: "tsync sync", hand: "sed -i s/Alpha/Omega/ .todosync/items/todoitem/a.json"),
    UndoCase(
      line: "tsync pull",
      ahead: ["ben: tsync set a text=Theirs", "ben: tsync rm b", "ben: tsync push -q"],
      isByNumber: true),
  ]
}

/// What undo and redo give, here and at the other person's.
@Suite("Undo and redo")
struct UndoTests {
  private let server: RunningServer
  private let anna: Person
  private let ben: Person

  init() throws {
    server = try RunningServer()
    try server.request("POST", "tables/todoitem", #"{"id": "a", "text": "Alpha"}"#)
    try server.request("POST", "tables/todoitem", #"{"id": "b", "text": "Beta", "n": 1}"#)
    for number in 0..<50 {
      try server.request(
        "POST", "tables/todoitem", #"{"id": "i\#(number)", "text": "Item \#(number)"}"#)
    }
    anna = try Person(cloning: server.url)
    ben = try Person(cloning: server.url)
  }

  private func items(_ person: Person) throws -> [String: Item] {
    let names = person.directory.names(in: "list/.todosync/items/todoitem")
    return try Dictionary(
      uniqueKeysWithValues: names.filter { $0.hasSuffix(".json") }.map { name in
        let text = try #require(person.item(String(name.dropLast(5))))
        return (name, try Item(#require(JSON(parsing: Array(text.utf8)).object)))
      })
  }

  private func run(_ line: String) throws {
    let (person, words) =
      line.hasPrefix("ben: ") ? (ben, String(line.dropFirst(5))) : (anna, line)
    let outcome = try person.shell(words)
    try #require(outcome.status == 0, "\(line): \(outcome.error)")
  }

  /// Lets both exchange what they have, and compares them.
  private func exchange() throws {
    try run("tsync push")
    try run("ben: tsync pull")
    #expect(try items(anna) == items(ben))
  }

  @Test("what a command did is taken back and done again, here and there", arguments: UndoCase.all)
  func table(wanted: UndoCase) throws {
    for line in wanted.ahead { try run(line) }
    let before = try items(anna)
    if let hand = wanted.hand { try run(hand) }
    try run(wanted.line)
    let after = try items(anna)
    let number = try #require(
      try anna.shell("tsync log --limit 1").output.split(separator: " ").first.map(String.init))
    let words = wanted.isByNumber ? "undo \(number)" : "undo"
    try run("tsync \(words) -n")
    #expect(try items(anna) == after)
    try run("tsync \(words)")
    #expect(try items(anna) == before)
    try exchange()
    guard !wanted.line.hasPrefix("tsync mv") else {
      #expect(anna.run("redo").error.contains("tsync: to rename the item again: tsync mv "))
      return
    }
    try run("tsync redo")
    #expect(try items(anna) == after)
    try exchange()
  }

  @Test("what later commands and other people changed stays, and is named")
  func meets() throws {
    try run("tsync set a b text=Mine due=1")
    try run("tsync push")
    try run("ben: tsync pull")
    try run("ben: tsync set a due=2")
    try run("ben: tsync rm b")
    try run("ben: tsync push")
    try run("tsync pull")
    let outcome = anna.run("undo", "2")
    #expect(outcome.status == 1)
    #expect(
      outcome.output == """
        changed a  Alpha (text)
        left a  Mine (due: changed again by 4)
        left b  Mine (changed again by 4)

        """)
    #expect(anna.item("a")?.contains("Alpha") == true)
    #expect(anna.item("b") == nil)
  }

  @Test("undo takes back one command after the other, and redo gives them again")
  func stack() throws {
    for number in 1...3 { try run("tsync set a text=\(number)") }
    func text() throws -> String? { try items(anna)["a.json"]?["text"]?.text?.string }
    for wanted in ["2", "1", "Alpha"] {
      try run("tsync undo")
      #expect(try text() == wanted)
      try run("tsync push")
    }
    #expect(anna.run("undo").error.hasPrefix("nothing to undo "))
    for wanted in ["1", "2", "3"] {
      try run("tsync redo")
      #expect(try text() == wanted)
    }
    #expect(anna.run("redo").error.hasPrefix("nothing to redo "))
    try run("tsync undo")
    #expect(anna.run("set", "nope", "text=New").status == 2)
    try run("tsync redo -n")
    try run("tsync set b text=New")
    #expect(anna.run("redo").error.hasPrefix("nothing to redo "))
  }

  @Test("what others had changed comes again when a resolution is taken back and done again")
  func othersFields() throws {
    try run("ben: tsync set a text=Theirs due=1")
    try run("ben: tsync push -q")
    try run("tsync set a text=Mine")
    try run("tsync pull || true")
    try run("tsync resolve a --server")
    #expect(anna.run("undo").status == 0)
    #expect(try items(anna)["a.json"]?["text"]?.text?.string == "Mine")
    try run("tsync resolve a --client")
    #expect(try items(anna)["a.json"]?["text"]?.text?.string == "Mine")
    #expect(try items(anna)["a.json"]?["due"] == items(ben)["a.json"]?["due"])
  }

  @Test("rows that waited are nobody's command")
  func waitingRows() throws {
    let file = ".todosync/items/todoitem/a.json"
    try run("cp \(file) ../kept; echo broken > \(file)")
    try run("ben: tsync set a text=Theirs")
    try run("ben: tsync push -q")
    try run("tsync pull || true")
    try run("cp ../kept \(file)")
    try run("tsync set b text=Mine")
    try run("tsync undo")
    #expect(try items(anna) == items(ben))
    #expect(try anna.shell("tsync log --limit 3").output.contains("pull"))
  }

  @Test("a push's own changes can be taken back where it sent those of an undo")
  func pushAfterUndo() throws {
    try run("tsync set a text=Mine")
    try run("tsync push")
    try run("tsync undo")
    try run("sed -i s/Beta/Wrong/ .todosync/items/todoitem/b.json")
    try run("tsync push")
    try run("tsync undo")
    #expect(try items(anna)["a.json"]?["text"]?.text?.string == "Alpha")
    #expect(try items(anna)["b.json"]?["text"]?.text?.string == "Beta")
    try run("tsync push")
    #expect(anna.run("undo").error.hasPrefix("nothing to undo "))
  }

  @Test("undo removes no row that others changed, and makes no empty item")
  func unknownTexts() throws {
    try run("tsync new -q -s id=c C")
    try run("tsync push -q")
    try run("ben: tsync pull -q")
    try run("ben: tsync set c text=Theirs")
    try run("ben: tsync push -q")
    // As after a kill: what the pull has done is not in the history.
    try run("cp .todosync/history.jsonl ../kept; tsync pull -q; cp ../kept .todosync/history.jsonl")
    let outcome = anna.run("undo")
    #expect(outcome.output == "left c  Theirs (changed since)\n")
    #expect(outcome.error.hasPrefix("nothing of 3 push can be taken back"))
    let long = #"notes="$(head -c 30000 /dev/zero | tr '\0' x)""#
    try run("tsync set -q i1 i2 i3 i4 \(long)")
    try run("tsync push -q")
    try run("tsync rm -q i1 i2 i3 i4")
    try run("tsync push -q")
    try run(#"sed -i '/"of".*deleting/d' .todosync/history.jsonl"#)
    let partly = anna.run("undo").output
    #expect(partly.contains(/left i2 .*\(its former text is not in the history\)/))
    #expect(anna.item("i2") == nil)
  }

  @Test("a command goes back with the push that has sent it, where a value returns, too")
  func valueReturns() throws {
    for text in ["Mine", "Alpha", "Mine"] {
      try run("tsync set a text=\(text)")
      try run("tsync push")
    }
    for text in ["Alpha", "Mine", "Alpha"] {
      try run("tsync undo")
      #expect(try items(anna)["a.json"]?["text"]?.text?.string == text)
      try run("tsync push")
    }
    #expect(anna.run("undo").error.hasPrefix("nothing to undo "))
  }

  @Test("a newest command that can't be taken back is named, and no older one is taken back")
  func passesOverNothing() throws {
    try run("tsync new -s id=c C")
    try run("tsync push")
    try run("tsync set c text=X")
    try run("tsync push")
    try run("sed -i s/X/Y/ .todosync/items/todoitem/c.json")
    let outcome = anna.run("undo")
    #expect(outcome.status == 3)
    #expect(outcome.output == "left c  Y (text: changed since)\n")
    #expect(anna.item("c")?.contains("Y") == true)
  }

  @Test("an undo that a signal has stopped goes on")
  func stopped() throws {
    try run("tsync set i1 text=Older")
    try run("tsync set a b text=Other")
    let count = Counter()
    anna.signal = { count.next() == 2 ? SIGINT : nil }
    #expect(anna.run("undo").status == 130)
    anna.signal = { nil }
    #expect(try items(anna)["a.json"]?["text"]?.text?.string == "Alpha")
    #expect(try items(anna)["b.json"]?["text"]?.text?.string == "Other")
    let outcome = anna.run("undo")
    #expect(outcome.output == "changed b  Beta (text)\n", "\(outcome)")
    #expect(try items(anna)["i1.json"]?["text"]?.text?.string == "Older")
  }

  @Test("a push after the undo of a rename that was sent ends well")
  func renamedBack() throws {
    try run("tsync mv a z")
    let number = try #require(
      try anna.shell("tsync log --limit 1").output.split(separator: " ").first.map(String.init))
    try run("tsync push")
    try run("tsync undo \(number)")
    try exchange()
    #expect(try items(ben)["a.json"]?["text"]?.text?.string == "Alpha")
  }

  @Test("a number that isn't in the history says which are")
  func wrongNumber() throws {
    #expect(anna.run("undo", "7").status == 2)
    try run("tsync set a text=New")
    #expect(
      anna.run("undo", "7").error.hasPrefix("tsync: undo: 7 is not in the history; the newest is"))
    try run("tsync purge --discard -q")
    let purge = anna.run("log", "--limit", "1").output.split(separator: " ").first.map(String.init)
    #expect(anna.run("undo", purge ?? "").status == 2)
  }

  @Test("no credential stands in the history")
  func secrets() throws {
    let token = "token1234"
    anna.environment = [("TSYNC_TOKEN", token)]
    anna.types = [token]
    anna.run("remote", "login", "--token", token)
    try run("tsync set a text=New")
    anna.run("push")
    #expect(anna.directory.text("list/.todosync/history.jsonl")?.contains(token) == false)
  }
}
