import SyncEngine
import SyncModel
import TestSupport
import Testing

@Suite("What comes of the writes of a push") struct PushOutcomeTests {
  private var bench: Bench

  init() throws {
    bench = try Bench()
  }

  @Test("a write that the server has done is over", arguments: Operation.Kind.allCases)
  mutating func done(_ kind: Operation.Kind) throws {
    try bench.pend(kind)
    let report = try bench.push()
    #expect(report.words.first == "x pushed \(kind)")
    #expect(bench.row("x") == bench.sent(kind))
    #expect(bench.differences == [])
    _ = bench.writes()
    try bench.push()
    #expect(bench.writes() == [])
  }

  @Test("an undelete is followed by the update, in the same push")
  mutating func undelete() throws {
    try bench.pend(.undelete)
    let report = try bench.push()
    #expect(
      bench.writes() == [
        "POST todoitem/x If-Match v2", #"PATCH todoitem/x If-Match v3 {"a":2}"#,
      ])
    #expect(report.words == ["x pushed undelete", "x pushed update"])
  }

  @Test("an undelete of an item as it was needs no update")
  mutating func undeleteAlone() throws {
    try bench.pend(.undelete)
    try bench.save("x", #"{"a":1}"#)
    try bench.push()
    #expect(bench.writes() == ["POST todoitem/x If-Match v2"])
    #expect(bench.differences == [])
  }

  // MARK: - Lost replies

  @Test(
    "a lost reply is found to be done by the next push, once", arguments: Operation.Kind.allCases)
  mutating func lostReply(_ kind: Operation.Kind) throws {
    try bench.pend(kind)
    bench.line.fates = [.replyLost]
    let first = try bench.push()
    #expect(first.words == ["x unknown"])
    #expect(first.stop == ScriptedLine.cut)
    #expect(bench.standings == ["x unknown \(kind)"])
    let sent = bench.writes()
    let count = bench.server.writes.count
    let second = try bench.push()
    // An undelete that carried no fields is followed by the update.
    #expect(second.words.first == (kind == .undelete ? "x pushed update" : "x already \(kind)"))
    // The re-send is the same to the byte.
    #expect(bench.writes().first == sent.first)
    #expect(bench.server.writes.count == count + (kind == .undelete ? 1 : 0))
    #expect(bench.row("x") == bench.sent(kind))
    #expect(bench.differences == [])
  }

  @Test("a lost delete, and the item made again since: it is undeleted")
  mutating func lostDeleteThenInsert() throws {
    try bench.pend(.delete)
    bench.line.fates = [.replyLost]
    try bench.push()
    try bench.save("x", #"{"a":5}"#)
    let report = try bench.push()
    #expect(report.words == ["x already delete", "x pushed undelete", "x pushed update"])
    #expect(bench.row("x") == #"{"a":5}"#)
    #expect(bench.differences == [])
  }

  @Test("as long as the row can't be read, the outcome stays unknown")
  mutating func unreadable() throws {
    try bench.pend(.update)
    bench.line.fates = [.answeredWithoutRow]
    bench.line.canRead = false
    let report = try bench.push()
    #expect(report.words == ["x unknown"])
    #expect(report.stop == ScriptedLine.cut)
    #expect(bench.standings == ["x unknown update"])
    bench.line.canRead = true
    #expect(try bench.push().words == ["x already update"])
    #expect(bench.differences == [])
  }

  // MARK: - Rows that are gone, or there already

  @Test("a delete of what was only touched is sent again with its new version")
  mutating func deleteOfTouched() throws {
    try bench.pend(.delete)
    try bench.elsewhere("x", #"{"a":1}"#)
    #expect(try bench.push().words == ["x pushed delete"])
    #expect(
      bench.writes() == ["DELETE todoitem/x If-Match v1", "DELETE todoitem/x If-Match v2"])
    #expect(bench.differences == [])
  }

  @Test("an insert over a tombstone that was never seen is a conflict")
  mutating func insertOfDeleted() throws {
    try bench.elsewhere("x", #"{"a":1}"#)
    try bench.elsewhere("x", nil)
    try bench.pend(.insert)
    #expect(try bench.push().words == ["x conflict AD"])
    #expect(bench.row("x") == nil)
    #expect(bench.item("x") == #"{"a":2}"#)
  }

  @Test("a made-up id that stands there with our content and the server's defaults is ours")
  mutating func insertWithDefaults() throws {
    try bench.pend(.insert)
    try bench.elsewhere("x", #"{"a":2,"done":false}"#)
    let report = try bench.push()
    #expect(report.words.contains("x already insert") && report.conflicts == 0)
    #expect(bench.item("x") == #"{"a":2,"done":false}"#)
    #expect(bench.differences == [])
  }

  @Test("an undelete of what is gone for good becomes an insert")
  mutating func undeleteOfGone() throws {
    try bench.pend(.undelete)
    bench.server.deleteForGood(try bench.key("x"))
    let report = try bench.push()
    #expect(report.words.last == "x pushed insert")
    #expect(bench.row("x") == #"{"a":2}"#)
    #expect(bench.differences == [])
  }
}
