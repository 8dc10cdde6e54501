import SyncModel
import Testing

@testable import Commands

@Suite("Words of a command line")
struct WordTests {
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
    "an age is a number and a unit",
    arguments: [
      ("90s", 90), ("5m", 300), ("2h", 7_200), ("1d", 86_400), ("0s", 0),
      ("5", nil), ("m", nil), ("-5m", nil), ("5w", nil), ("", nil), ("99999999999999999999d", nil),
    ])
  func age(text: String, seconds: Int64?) {
    #expect(Times.age(text) == seconds)
  }

  @Test(
    "how long ago is told in the largest unit",
    arguments: [
      (0, "just now"), (59, "just now"), (60, "1 min ago"), (3_599, "59 min ago"),
      (3_600, "1 h ago"),
      (86_399, "23 h ago"), (86_400, "1 d ago"), (-5, "just now"),
    ])
  func ago(seconds: Int64, text: String) {
    #expect(Times.ago(1_000, now: 1_000 + seconds) == text)
  }
}
