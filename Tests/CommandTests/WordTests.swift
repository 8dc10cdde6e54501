import SyncEngine
import SyncModel
import Testing

@testable import Commands

@Suite("Words of a command line")
struct WordTests {
  static let tables = ["todoitem", "note"].compactMap { try? TableName($0) }

  @Test(
    "a reference is an id's beginning, a path or a part of a title",
    arguments: [
      ("7f3", Reference.id("7f3", in: nil)), ("todoitem/7f3", .id("7f3", in: tables[0])),
      ("note/a/b", .id("a/b", in: tables[1])), ("other/7f3", .path("other/7f3")),
      ("./x.json", .path("./x.json")), ("x.json", .path("x.json")), ("/a/b", .path("/a/b")),
      (":/oat milk", .title("oat milk")), (":x", .id(":x", in: nil)),
    ])
  func reference(word: String, expected: Reference) {
    #expect(Reference(word, tables: Self.tables) == expected)
  }

  @Test(
    "options of all commands are moved behind the command's name",
    arguments: [
      (["-C", "x", "list", "-a"], "list", ["-C", "x", "-a"]),
      (["-q", "--json", "-t", "note", "set", "a"], "set", ["-q", "--json", "-t", "note", "a"]),
      (["serve", "--help"], "serve", ["--help"]),
      (["-q", "serve", "-q"], "serve", ["-q"]), (["--", "list"], "list", ["--"]),
    ])
  func sorted(words: [String], name: String, rest: [String]) {
    let line = CommandLineWords(words)
    #expect(line.name == name)
    #expect(line.rest == rest)
  }

  @Test(
    "help and version are seen, but not behind --",
    arguments: [
      (["list", "--help"], true, false), (["--help"], true, false),
      (["new", "--", "--help"], false, false),
      (["--version"], false, true), (["-q", "--version"], false, true),
      (["list", "--version"], false, false),
      (["serve", "--help"], true, false), (["serve", "x", "--help"], false, false),
    ])
  func asks(words: [String], help: Bool, version: Bool) {
    let line = CommandLineWords(words)
    #expect(line.asksForHelp == help)
    #expect(line.asksForVersion == version)
  }

  @Test(
    "a word of habit gets one line that says what to type instead", arguments: HabitWords.answers)
  func habit(word: String, answer: Hint) {
    let names = Tsync.commands.map { $0.name }
    #expect(HabitWords.answer(to: word, commands: names) == answer)
    #expect(!names.contains(word))
  }

  @Test(
    "a misspelling is recognized, another word isn't",
    arguments: [
      ("pusch", "push"), ("stauts", "status"), ("lst", "list"), ("resotre", "restore"),
      ("frobnicate", nil), ("x", nil), ("pul", "pull"),
    ])
  func misspelling(word: String, name: String?) {
    #expect(HabitWords.nearest(word, of: Tsync.commands.map { $0.name }) == name)
  }

  @Test(
    "an assignment is a field and a text or JSON",
    arguments: [
      ("a=b", "a", Assignment.Value.typed("b")), ("a=", "a", .typed("")),
      ("a=b=c", "a", .typed("b=c")),
      ("a:=1", "a", .json(1)), ("a:=null", "a", .none), ("a.b=c", "a.b", .typed("c")),
      ("a::=1", "a:", .json(1)), ("é=ü", "é", .typed("ü")),
    ])
  func assignment(word: String, field: Text, value: Assignment.Value) throws {
    let assignment = try Assignment(word)
    #expect(assignment.field == field)
    #expect(assignment.value == value)
  }

  @Test(
    "a word that can't be an assignment is refused",
    arguments: [
      "a", "=b", ":=1", "a:=b", "id=x", "deleted=true", "version:=1", "a:={\"b\":1} x",
    ])
  func refused(word: String) {
    #expect(throws: Failure.self) { try Assignment(word) }
  }

  @Test(
    "an age is a number and a unit",
    arguments: [
      ("90s", 90), ("5m", 300), ("2h", 7_200), ("1d", 86_400), ("0s", 0),
      ("5", nil), ("m", nil), ("-5m", nil), ("5w", nil), ("", nil), ("99999999999999999999d", nil),
    ])
  func age(text: String, seconds: Int64?) {
    #expect(TimeText.age(text) == seconds)
  }

  @Test(
    "how long ago is told in the largest unit",
    arguments: [
      (0, "just now"), (59, "just now"), (60, "1 min ago"), (3_599, "59 min ago"),
      (3_600, "1 h ago"),
      (86_399, "23 h ago"), (86_400, "1 d ago"), (-5, "just now"),
    ])
  func ago(seconds: Int64, text: String) {
    #expect(TimeText.ago(1_000, now: 1_000 + seconds) == text)
  }

  @Test(
    "paths are made absolute as text",
    arguments: [
      ("x", "/a/b/x"), ("./x", "/a/b/x"), ("../x", "/a/x"), ("/x//y/", "/x/y"),
      ("../../../x", "/x"),
      (".", "/a/b"),
    ])
  func path(path: String, absolute: String) {
    #expect(PathName.absolute(path, in: "/a/b") == absolute)
  }
}
