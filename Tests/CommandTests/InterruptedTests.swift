import TestSupport
import Testing

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

  @Test("a clone goes into a directory in which another was cut off, and nothing of that is left")
  func clones() {
    let ben = Person()
    ben.directory.write("{", to: "list/.todosync.tmp-123/journal.jsonl.new")
    ben.environment = [("HOME", ben.directory.path)]
    let cloned = ben.run("-C", ben.directory.path, "clone", server.url, "list")
    #expect(cloned.status == 0, "\(cloned)")
    #expect(ben.directory.names(in: "list") == [".todosync"])
    #expect(ben.item("one") != nil)
  }
}
