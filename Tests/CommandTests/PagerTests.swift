import TestSupport
import Testing

@testable import Commands

/// Long results on a terminal, and the program that shows them.
@Suite struct PagerTests {
  /// A person with 60 items, more than the terminal has lines.
  private static func reader(_ pager: String) -> Person {
    let anna = Person()
    anna.run("init", "list")
    let items = (100..<160).map { #"{"id":"n\#($0)","text":"Item"}"# }
    anna.directory.write(items.joined(separator: "\n"), to: "list/items.jsonl")
    #expect(anna.run("new", "-f", "items.jsonl").status == 0)
    anna.environment.append(("TSYNC_PAGER", pager))
    return anna
  }

  @Test("a message leaves the pager alone: the result goes through it, the message does not")
  func pagesBesideMessages() throws {
    let anna = Self.reader("cat >paged")
    anna.directory.write("{", to: "list/.todosync/items/todoitem/bad.json")
    let shown = try anna.start(["list"], columns: 80).outcome()
    let paged = try #require(anna.directory.text("list/paged"))
    #expect(paged.split(separator: "\n").count == 60)
    #expect(shown.output.contains("bad.json") && !shown.output.contains("Item"), "\(shown.output)")
  }

  @Test("a pager that a signal ends has been read: nothing is printed again")
  func pagerEndedBySignal() throws {
    let anna = Self.reader("cat >paged; kill -TERM $$")
    let shown = try anna.start(["list"], columns: 80).outcome()
    #expect(shown.status == 0 && shown.output == "")
    #expect(anna.directory.text("list/paged")?.split(separator: "\n").count == 60)
  }

  @Test("without a pager to run the result is printed", arguments: ["no-such-pager", "./list"])
  func prints(pager: String) throws {
    let anna = Self.reader(pager)
    anna.directory.write("", to: "list/list")
    let shown = try anna.start(["list"], columns: 80).outcome()
    #expect(shown.status == 0)
    #expect(shown.output.split(separator: "\n").count { $0.contains("Item") } == 60)
  }
}
