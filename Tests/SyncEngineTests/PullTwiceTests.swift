import SyncEngine
import SyncModel
import TestSupport
import Testing

@Suite("A row that moves while it is pulled") struct PullTwiceTests {
  private var bench: Bench

  init() throws {
    bench = try Bench()
    try bench.share("x", #"{"done":false,"text":"Milk"}"#)
  }

  /// The pages of one list, each with one state of a row.
  private mutating func pages(_ states: [(String, String?)]) throws {
    bench.line.pages = try states.map { id, text in Page(rows: [try bench.elsewhere(id, text)]) }
  }

  @Test("an edit that is taken back while the row is pulled stays taken back")
  mutating func takenBack() throws {
    try pages([
      ("x", #"{"done":true,"text":"Milk"}"#), ("y", "{}"), ("x", #"{"done":false,"text":"Milk"}"#),
    ])
    #expect(try bench.pull().words == ["x updated", "y added", "x updated"])
    #expect(bench.differences == [])
    bench.line.pages = nil
    try bench.push()
    #expect(bench.writes() == [])
  }

  @Test("two edits of one field while the row is pulled are no conflict")
  mutating func twice() throws {
    try pages([("x", #"{"text":"Oat"}"#), ("x", #"{"text":"Soy"}"#)])
    #expect(try bench.pull().words == ["x updated", "x updated"])
    #expect(bench.differences == [])
  }

  @Test("a row that is new and deleted while it is pulled is gone, and isn't undeleted")
  mutating func newAndDeleted() throws {
    try pages([("y", #"{"text":"Oat"}"#), ("x", "{}"), ("y", nil)])
    #expect(try bench.pull().words == ["y added", "x updated", "y removed"])
    #expect(bench.differences == [])
  }

  @Test("a row that is changed and deleted while it is pulled is no conflict")
  mutating func changedAndDeleted() throws {
    try pages([("x", #"{"text":"Oat"}"#), ("x", nil)])
    #expect(try bench.pull().words == ["x updated", "x removed"])
    #expect(bench.differences == [])
  }

  @Test("the same row met twice is one")
  mutating func same() throws {
    let row = try bench.elsewhere("x", #"{"text":"Oat"}"#)
    bench.line.pages = [Page(rows: [row]), Page(rows: [row])]
    #expect(try bench.pull().words == ["x updated"])
    #expect(bench.differences == [])
  }
}
