import SyncEngine
import SyncModel
import TestSupport
import Testing

@Suite("What a push is refused") struct PushRefusedTests {
  private var bench: Bench

  init() throws {
    bench = try Bench()
  }

  @Test("a refused item stays as it is and stops nothing else")
  mutating func refused() throws {
    try bench.save("a", #"{"n":1}"#)
    try bench.save("x", #"{"text":"refuse me"}"#)
    for number in 0..<10 { try bench.save("good\(number)", #"{"n":1}"#) }
    let report = try bench.push()
    #expect(report.pushed == 11 && report.rejected == 1 && report.stop == nil)
    #expect(bench.standings == ["x rejected insert 400"])
    #expect(bench.item("x") == #"{"text":"refuse me"}"#)
    let rejection = try #require(bench.disk.rejections[try bench.key("x")])
    #expect(rejection.refusal == Refusal(status: 400, words: "refused"))
    #expect(rejection.tries == 1 && rejection.time == 7)
  }

  @Test("the tries of a change are counted as often as it is named; an edit is another change")
  mutating func tries() throws {
    try bench.save("x", #"{"text":"refuse me"}"#)
    try bench.push()
    for _ in 0..<2 { try bench.push(only: ["x"]) }
    #expect(bench.disk.rejections[try bench.key("x")]?.tries == 3)
    try bench.save("x", #"{"text":"refuse me","n":1}"#)
    try bench.push()
    #expect(bench.disk.rejections[try bench.key("x")]?.tries == 1)
  }

  @Test("an item whose row can't be taken is refused, and stops nothing else")
  mutating func rowRefused() throws {
    try bench.share("x", #"{"a":1}"#)
    try bench.elsewhere("x", #"{"a":2}"#)
    try bench.save("x", #"{"a":3}"#)
    try bench.save("y", #"{"a":1}"#)
    bench.line.refusesReading = "it is too large"
    let report = try bench.push()
    #expect(report.stop == nil)
    #expect(Set(report.words) == ["x rejected 412", "y pushed insert"])
    let rejection = try #require(bench.disk.rejections[try bench.key("x")])
    #expect(rejection.refusal.words.string.hasSuffix("; it is too large"))
    #expect(bench.item("x") == #"{"a":3}"#)
    // Once it can be taken, naming it settles it.
    bench.line.refusesReading = nil
    #expect(try bench.push(only: ["x"]).words == ["x conflict MM"])
  }

  @Test("a row that is refused in a full pull is neither gone nor in the way of the others")
  mutating func refusedInFullPull() throws {
    for id in ["x", "y", "z"] { try bench.share(id, #"{"a":1}"#) }
    bench.server.deleteForGood(try bench.key("y"))
    let row = try #require(bench.server.rows[try bench.key("z")])
    let refused = RefusedRow(text: Array("{}".utf8), id: "x", reason: "it is too large")
    bench.line.pages = [Page(rows: [row], refused: [refused])]
    #expect(try bench.pull(full: true).words == ["y removed"])
    #expect(bench.item("x") == #"{"a":1}"#)
    #expect(!bench.line.log.readings.contains(try bench.key("x")))
  }

  @Test("a refused item doesn't stop a pull")
  mutating func refusedThenPull() throws {
    try bench.save("x", #"{"text":"refuse me"}"#)
    try bench.push()
    try bench.elsewhere("y", #"{"a":1}"#)
    #expect(try bench.pull().words == ["y added"])
    #expect(bench.standings == ["x rejected insert 400"])
  }

  @Test("a refused item is sent again only when it was edited, or is named")
  mutating func refusedAgain() throws {
    try bench.save("x", #"{"text":"refuse me"}"#)
    try bench.push()
    _ = bench.writes()
    try bench.push()
    #expect(bench.writes() == [])
    try bench.push(only: ["x"])
    #expect(bench.writes().count == 1)
    try bench.push()
    #expect(bench.writes() == [])
    try bench.save("x", #"{"text":"better"}"#)
    #expect(try bench.push().words == ["x pushed insert"])
    #expect(bench.differences == [])
  }

  @Test("a refusal of what is sent again says nothing of the first time")
  mutating func refusedAfterUnknown() throws {
    try bench.save("x", #"{"a":1}"#)
    bench.line.fates = [.replyLost]
    bench.line.canRead = false
    #expect(try bench.push().words == ["x unknown"])
    bench.line.fates = [.reply(.refused(Refusal(status: 403, words: "not now")))]
    bench.line.canRead = true
    #expect(try bench.push().words == ["x already insert"])
    #expect(bench.differences == [])
  }

  @Test("an item that was edited while it was refused is sent by the next push")
  mutating func editedWhileRefused() throws {
    try bench.save("x", #"{"text":"refuse me"}"#)
    let key = try bench.key("x")
    bench.disk.beforeStep = { disk in
      if disk.attempts[key] != nil {
        disk.save([UInt8](#"{"id":"x","text":"better"}"#.utf8), as: key)
      }
    }
    try bench.push()
    bench.disk.beforeStep = nil
    #expect(bench.standings == ["x pending insert"])
    #expect(try bench.push().words == ["x pushed insert"])
  }

  @Test(
    "what passes stays pending, is sent once in a push, and after all others in the next",
    arguments: Operation.Kind.allCases)
  mutating func broken(_ kind: Operation.Kind) throws {
    try bench.pend(kind)
    try bench.save("y", #"{"n":1}"#)
    let before = bench.row("x")
    // A delete by hand goes after the new item.
    bench.line.fates = kind == .delete ? [.answered, .broken] : [.broken]
    let report = try bench.push()
    #expect(Set(report.words) == ["x waits 500", "y pushed insert"])
    #expect(report.stop == nil)
    #expect(bench.standings == ["x pending \(kind)"])
    #expect(bench.row("x") == before)
    #expect(bench.disk.attempts.isEmpty)
    try bench.save("z", #"{"n":2}"#)
    bench.line.fates = [.answered, .broken]
    #expect(try bench.push().words == ["z pushed insert", "x waits 500"])
    #expect(try bench.push().words.first == "x pushed \(kind)")
    #expect(bench.differences == [])
  }
}
