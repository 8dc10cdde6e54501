import CommandSupport
import Glibc
import TestSupport
import Testing

/// Long results on a terminal, and the program that shows them.
@Suite struct PagerTests {
  /// A person with 60 items, more than the terminal has lines, or so many.
  private static func reader(_ pager: String?, count: Int = 60) -> Person {
    let anna = Person()
    anna.run("init", "list")
    let items = (100..<100 + count).map { #"{"id":"n\#($0)","text":"Item"}"# }
    anna.directory.write(items.joined(separator: "\n"), to: "list/items.jsonl")
    #expect(anna.run("new", "-f", "items.jsonl").status == 0)
    if let pager { anna.environment.append(("TSYNC_PAGER", pager)) }
    return anna
  }

  @Test(
    "the pager is run where the output is longer than the screen of 24 lines", arguments: 22...25)
  func longerThanTheScreen(count: Int) throws {
    let anna = Self.reader("cat >paged", count: count)
    let shown = try anna.start(["list"], columns: 80).outcome()
    // The last line is the prompt's.
    #expect((anna.directory.text("list/paged") != nil) == (count > 23))
    #expect(shown.output.contains("Item") == (count <= 23))
  }

  @Test("the list of all commands goes through the pager, that of the setting too")
  func help() throws {
    let anna = Self.reader(nil, count: 1)
    anna.directory.write(#"{"pager": "cat >paged"}"#, to: "config/tsync/config.json")
    #expect(try anna.start(["help"], columns: 80).outcome().output == "")
    #expect(anna.directory.text("list/paged")?.contains("\n  resolve ") == true)
  }

  @Test(
    "where nobody looks at the output, or the pager isn't wanted, it isn't run",
    arguments: [(["list"], nil), (["list", "--no-pager"], 80), (["list", "--json"], 80)])
  func isNotRun(words: [String], columns: Int?) throws {
    let anna = Self.reader("cat >paged")
    #expect(try anna.start(words, columns: columns).outcome().output.contains("Item"))
    #expect(anna.directory.text("list/paged") == nil)
  }

  @Test("TSYNC_PAGER goes before the setting, that before PAGER, and that before less")
  func order() throws {
    let anna = Self.reader(nil)
    let places = ["variable", "setting", "pager", "less"]
    anna.directory.write("#!/bin/sh\ncat >less\n", to: "bin/less")
    chmod(anna.directory.path(of: "bin/less"), 0o700)
    let path = "PATH=\(anna.directory.path(of: "bin")):/usr/bin:/bin"
    anna.environment = [("PAGER", "cat >pager"), ("TSYNC_PAGER", "cat >variable")]
    anna.directory.write(#"{"pager": "cat >setting"}"#, to: "config/tsync/config.json")
    for place in places {
      let shown = try ChildProcess(
        ["env", path, "\(Programs.directory)/tsync", "list"],
        in: anna.directory.path(of: "list"), anna.variables, columns: 80
      ).outcome()
      #expect(shown.output == "", "\(place)")
      #expect(places.filter { anna.directory.text("list/\($0)") != nil } == [place])
      unlink(anna.directory.path(of: "list/\(place)"))
      if place == "setting" { unlink(anna.directory.path(of: "config/tsync/config.json")) }
      anna.environment.removeAll { $0.value == "cat >\(place)" }
    }
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
