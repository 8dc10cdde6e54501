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

  @Test(
    "what the server changed in the item is taken over",
    arguments: [Operation.Kind.insert, .update])
  mutating func serverChanges(_ kind: Operation.Kind) throws {
    try bench.pend(kind)
    bench.line.fates = [
      .changing { item in
        var item = item
        item["b"] = "default"
        item["a"] = 3
        return item
      }
    ]
    try bench.push()
    #expect(bench.item("x") == #"{"a":3,"b":"default"}"#)
    #expect(bench.differences == [])
  }

  @Test(
    "an answer without the row is made good by reading it",
    arguments: [Operation.Kind.insert, .update])
  mutating func withoutRow(_ kind: Operation.Kind) throws {
    try bench.pend(kind)
    bench.line.fates = [.answeredWithoutRow]
    let report = try bench.push()
    #expect(report.words == ["x already \(kind)"])
    #expect(bench.line.log.readings.count == 1)
    #expect(bench.differences == [])
  }

  @Test("a delete needs no row")
  mutating func deleteWithoutRow() throws {
    try bench.pend(.delete)
    bench.line.fates = [.answeredWithoutRow]
    #expect(try bench.push().words == ["x pushed delete"])
    #expect(bench.line.log.readings == [])
  }

  @Test("a delete answered with the tombstone doesn't bring the item back")
  mutating func deleteWithRow() throws {
    try bench.pend(.delete)
    let old = try #require(bench.server.rows[try bench.key("x")])
    let dead = bench.server.store(nil, try bench.key("x"), by: 1, over: old)
    bench.line.fates = [.reply(.done(dead))]
    try bench.push()
    #expect(bench.item("x") == nil)
    #expect(bench.differences == [])
    #expect(try bench.disk.base(of: try bench.key("x")) == .tombstone(dead))
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

  @Test("a lost write is sent again, the same to the byte", arguments: Operation.Kind.allCases)
  mutating func lostWrite(_ kind: Operation.Kind) throws {
    try bench.pend(kind)
    bench.line.fates = [.lost]
    try bench.push()
    let sent = bench.writes()
    let second = try bench.push()
    #expect(second.words.first == "x pushed \(kind)")
    #expect(bench.writes().first == sent.first)
    #expect(bench.row("x") == bench.sent(kind))
    #expect(bench.differences == [])
  }

  @Test("a lost reply, and another edit since: the first is found done, the second is sent")
  mutating func lostReplyThenEdit() throws {
    try bench.pend(.update)
    bench.line.fates = [.replyLost]
    try bench.push()
    try bench.save("x", #"{"a":3,"b":1}"#)
    _ = bench.writes()
    let report = try bench.push()
    #expect(report.words == ["x already update", "x pushed update"])
    #expect(
      bench.writes() == [
        #"PATCH todoitem/x If-Match v1 {"a":2}"#, #"PATCH todoitem/x If-Match v2 {"a":3,"b":1}"#,
      ])
    #expect(bench.differences == [])
  }

  @Test("a lost insert, and the item deleted since: the insert is settled first, then deleted")
  mutating func lostInsertThenDelete() throws {
    try bench.pend(.insert)
    bench.line.fates = [.replyLost]
    try bench.push()
    try bench.save("x", nil)
    _ = bench.writes()
    let report = try bench.push()
    #expect(report.words == ["x already insert", "x pushed delete"])
    #expect(bench.row("x") == nil)
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

  @Test("a lost reply, and somebody else's edit of another field since: both are there")
  mutating func lostReplyThenOther() throws {
    try bench.pend(.update)
    bench.line.fates = [.replyLost]
    try bench.push()
    try bench.elsewhere("x", #"{"a":2,"b":7}"#)
    let report = try bench.push()
    #expect(report.conflicts == 0)
    #expect(bench.item("x") == #"{"a":2,"b":7}"#)
    #expect(bench.differences == [])
  }

  @Test("a lost reply, and somebody else's edit of the same field since: it is a conflict")
  mutating func lostReplyThenSameField() throws {
    try bench.pend(.update)
    bench.line.fates = [.replyLost]
    try bench.push()
    try bench.elsewhere("x", #"{"a":9}"#)
    #expect(try bench.push().words == ["x conflict MM"])
    #expect(bench.item("x") == #"{"a":2}"#)
    #expect(bench.row("x") == #"{"a":9}"#)
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
}
