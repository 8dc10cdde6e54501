import SyncEngine
import SyncModel
import TestSupport
import Testing

@Suite("What a pull brings") struct PullTests {
  private var bench: Bench

  init() throws {
    bench = try Bench()
  }

  private var token: DeltaToken? { try? bench.disk.token(of: bench.table) }

  private func row(_ id: String, _ text: String) throws -> Row {
    Row(
      id: try ItemID(Text(id)), item: try Item(text: text), version: Version("v1"),
      updatedAt: Timestamp("2026-01-01T00:00:00Z"))
  }

  @Test("new rows become items, changed ones change them, tombstones remove them")
  mutating func brings() throws {
    for id in ["a", "b", "c"] { try bench.elsewhere(id, #"{"n":1}"#) }
    #expect(try bench.pull().words == ["a added", "b added", "c added"])
    #expect(bench.differences == [])
    try bench.elsewhere("b", #"{"n":2}"#)
    try bench.elsewhere("c", nil)
    try bench.elsewhere("d", #"{"n":1}"#)
    let report = try bench.pull()
    #expect(report.words == ["b updated", "d added", "c removed"])
    #expect((report.added, report.updated, report.removed) == (1, 1, 1))
    #expect(bench.item("b") == #"{"n":2}"#)
    #expect(bench.item("c") == nil)
    #expect(bench.differences == [])
  }

  @Test("a brief report counts what is simply new, changed or removed, and keeps what else happens")
  mutating func brief() throws {
    for id in ["a", "b", "c"] { try bench.share(id, #"{"n":1}"#) }
    try bench.elsewhere("a", #"{"n":2}"#)
    try bench.elsewhere("b", nil)
    try bench.elsewhere("c", #"{"n":2}"#)
    try bench.save("c", #"{"n":3}"#)
    try bench.elsewhere("d", #"{"n":1}"#)
    var report = PullReport(Feed(bench.table), isBrief: true)
    try Pull(settings: bench.settings).run(
      Feed(bench.table), on: &bench.disk, from: &bench.line, report: &report)
    #expect((report.added, report.updated, report.removed) == (1, 1, 1))
    #expect(report.words == ["c conflict MM", "b removed"])
    #expect(!report.isEmpty)
  }

  @Test("a row whose id is too long for the disk is refused, once, and the rest comes")
  mutating func tooLong() throws {
    for id in ["a", "long", "z"] { try bench.elsewhere(id, #"{"n":1}"#) }
    var pull = Pull(settings: bench.settings)
    pull.fits = { $0.id.text != "long" }
    var kept: [Text?] = []
    pull.quarantine = { kept.append($1.id) }
    var report = PullReport(Feed(bench.table))
    try pull.run(Feed(bench.table), on: &bench.disk, from: &bench.line, report: &report)
    #expect(report.words == ["a added", "z added"])
    #expect(report.refused.map(\.reason) == ["the id is too long for a file name here"])
    #expect(kept == ["long"])
    #expect(try bench.pull().isEmpty)
  }

  @Test("the next pull begins where the last one ended")
  mutating func incremental() throws {
    try bench.elsewhere("a", #"{"n":1}"#)
    let last = try bench.elsewhere("b", #"{"n":1}"#)
    try bench.pull()
    #expect(token?.text == last.updatedAt?.text)
    try bench.pull()
    #expect(bench.line.log.lists == [nil, token])
  }

  @Test("a pull that brings nothing new does nothing")
  mutating func nothingNew() throws {
    try bench.share("a", #"{"n":1}"#)
    let steps = bench.disk.steps
    #expect(try bench.pull().events == [])
    #expect(bench.disk.steps == steps)
  }

  @Test("a null from the server is not written into the item")
  mutating func nulls() throws {
    try bench.share("a", #"{"n":1,"z":null}"#)
    #expect(bench.item("a") == #"{"n":1}"#)
    try bench.elsewhere("a", #"{"n":null,"z":2}"#)
    try bench.pull()
    #expect(bench.item("a") == #"{"z":2}"#)
    #expect(bench.standings == [])
  }

  @Test("a tombstone of a row never seen is kept in mind, and nothing is told")
  mutating func unseenTombstone() throws {
    try bench.elsewhere("a", #"{"n":1}"#)
    let dead = try bench.elsewhere("a", nil)
    #expect(try bench.pull().words == [])
    #expect(try bench.disk.base(of: try bench.key("a")) == .tombstone(dead))
    #expect(bench.standings == [])
  }

  @Test("rows with one stamp all arrive, across the borders of pages", arguments: [1, 2, 3, 7, 50])
  mutating func ties(pageSize: Int) throws {
    bench.server.tick = 0
    bench.line.pageSize = pageSize
    for number in 0..<17 { try bench.elsewhere("n\(number)", #"{"n":1}"#) }
    #expect(try bench.pull().added == 17)
    #expect(bench.differences == [])
    try bench.elsewhere("n3", #"{"n":2}"#)
    try bench.elsewhere("new", #"{"n":2}"#)
    #expect(try bench.pull().words.sorted() == ["n3 updated", "new added"])
    #expect(bench.differences == [])
  }

  @Test("of a row that stands twice in a page the later one counts, which is reported")
  mutating func twins() throws {
    let twins = [try row("b", #"{"n":1}"#), try row("c", "{}"), try row("b", #"{"n":2}"#)]
    bench.line.pages = [
      Page(rows: [try row("a", "{}"), try row("b", "{}")], token: nil),
      Page(rows: [try row("a", #"{"n":3}"#)] + twins, token: nil),
    ]
    var report = PullReport(Feed(bench.table))
    try Pull(settings: bench.settings).run(
      Feed(bench.table), on: &bench.disk, from: &bench.line, report: &report)
    #expect(try report.twin == ItemID("b"))
    #expect(bench.item("b") == #"{"n":2}"#)
  }

  @Test("progress counts rows as the pages come")
  mutating func progress() throws {
    for number in 0..<7 { try bench.elsewhere("n\(number)", #"{"n":1}"#) }
    var told: [String] = []
    var report = PullReport(Feed(bench.table))
    try Pull(settings: bench.settings, progress: { told.append("\($1)/\($2 ?? 0)") }).run(
      Feed(bench.table), on: &bench.disk, from: &bench.line, report: &report)
    #expect(told == ["3/7", "6/7", "7/7"])
  }

  @Test(
    "when a page doesn't come the earlier ones stay and are told, and the next pull goes on there")
  mutating func cutOff() throws {
    for number in 0..<7 { try bench.elsewhere("n\(number)", #"{"n":1}"#) }
    bench.line.pagesLeft = 1
    var report = PullReport(Feed(bench.table))
    #expect(throws: ScriptedLine.cut) {
      try Pull(settings: bench.settings).run(
        Feed(bench.table), on: &bench.disk, from: &bench.line, report: &report)
    }
    #expect(report.words == ["n0 added", "n1 added", "n2 added"])
    #expect(bench.disk.files.count == 3)
    #expect(token?.text == bench.server.rows[try bench.key("n2")]?.updatedAt?.text)
    #expect(bench.standings == [])
    bench.line.pagesLeft = nil
    #expect(try bench.pull().added == 4)
    #expect(bench.differences == [])
  }

  @Test("rows of other tables don't come")
  mutating func otherTables() throws {
    let key = ItemKey(try TableName("other"), try ItemID("a"))
    _ = bench.server.store(try Item(text: "{}"), key, by: 2, over: nil)
    #expect(try bench.pull().events == [])
  }

  // MARK: - A row that moves while it is pulled

  /// The rows that the pages of a list bring, one each, and what is told.
  struct Moves: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let rows: [(id: String, text: String?)]
    let words: [String]
  }

  static let moves: [Moves] = [
    Moves(
      testDescription: "edited, and the edit taken back",
      rows: [("x", #"{"n":2}"#), ("y", "{}"), ("x", #"{"n":1}"#)],
      words: ["y added"]),
    Moves(
      testDescription: "edited twice", rows: [("x", #"{"n":2}"#), ("x", #"{"n":3}"#)],
      words: ["x updated"]),
    Moves(
      testDescription: "new, and deleted", rows: [("y", #"{"n":2}"#), ("x", "{}"), ("y", nil)],
      words: ["x updated"]),
    Moves(
      testDescription: "edited, and deleted", rows: [("x", #"{"n":2}"#), ("x", nil)],
      words: ["x removed"]),
  ]

  @Test(
    "of a row that moves while it is pulled the last state counts, and none is a conflict",
    arguments: moves)
  mutating func movesOn(_ row: Moves) throws {
    try bench.share("x", #"{"n":1}"#)
    bench.line.pages = try row.rows.map { id, text in Page(rows: [try bench.elsewhere(id, text)]) }
    #expect(try bench.pull().words == row.words)
    #expect(bench.differences == [])
  }

  @Test("the same row met twice in one pull is one")
  mutating func same() throws {
    try bench.share("x", #"{"n":1}"#)
    let row = try bench.elsewhere("x", #"{"n":2}"#)
    bench.line.pages = [Page(rows: [row]), Page(rows: [row])]
    #expect(try bench.pull().words == ["x updated"])
    #expect(bench.differences == [])
  }

  // MARK: - Everything again

  @Test("a full pull finds rows that are gone without a trace")
  mutating func fullFindsGone() throws {
    for id in ["a", "b", "c"] { try bench.share(id, #"{"n":1}"#) }
    bench.server.deleteForGood(try bench.key("b"))
    try bench.pull()
    #expect(bench.item("b") == #"{"n":1}"#)
    #expect(try bench.pull(full: true).words == ["b removed"])
    #expect(bench.line.log.lists.last == .some(nil))
    #expect(bench.item("b") == nil)
    #expect(bench.differences == [])
    #expect(bench.line.log.readings == [try bench.key("b")])
  }

  @Test("of a row that a full list brings twice the newer state counts, in whichever order")
  mutating func fullBringsTwice() throws {
    try bench.share("a", #"{"n":1}"#)
    let states = try [#"{"n":2}"#, #"{"n":3}"#].map { try bench.elsewhere("a", $0) }
    bench.line.pages = [Page(rows: [states[1]]), Page(rows: [states[0]])]
    #expect(try bench.pull(full: true).words == ["a updated"])
    #expect(bench.differences == [])
  }

  @Test("a full pull keeps local edits, and new items")
  mutating func fullKeepsEdits() throws {
    for id in ["a", "b", "c"] { try bench.share(id, #"{"n":1}"#) }
    try bench.save("a", #"{"n":2}"#)
    try bench.save("new", #"{"n":2}"#)
    try bench.save("c", nil)
    #expect(try bench.pull(full: true).words == [])
    #expect(bench.standings == ["a pending update", "new pending insert", "c pending delete"])
  }

  @Test("a row that is gone and was edited here is a conflict")
  mutating func fullGoneAndEdited() throws {
    try bench.share("a", #"{"n":1}"#)
    try bench.save("a", #"{"n":2}"#)
    bench.server.deleteForGood(try bench.key("a"))
    #expect(try bench.pull(full: true).words == ["a conflict MD"])
    #expect(bench.item("a") == #"{"n":2}"#)
  }

  @Test("a row that a full list lacks but that can be read is not gone")
  mutating func fullLacksOne() throws {
    try bench.share("a", #"{"n":1}"#)
    bench.line.pages = [Page(rows: [])]
    #expect(try bench.pull(full: true).words == [])
    #expect(bench.item("a") == #"{"n":1}"#)
  }

  @Test("a full pull that can't read a row removes nothing")
  mutating func fullUnreadable() throws {
    try bench.share("a", #"{"n":1}"#)
    bench.server.deleteForGood(try bench.key("a"))
    bench.line.canRead = false
    #expect(throws: ScriptedLine.cut) { try bench.pull(full: true) }
    #expect(bench.item("a") == #"{"n":1}"#)
  }
}
