import SyncEngine
import SyncModel
import TestSupport
import Testing

@Suite("What ends a push") struct PushStopTests {
  private var bench: Bench

  init() throws {
    bench = try Bench()
  }

  static let stops: [Stop] = [
    ScriptedLine.cut, .busy(status: 429, seconds: 30), .busy(status: 503, seconds: nil),
    .unauthorized(Refusal(status: 401, words: "who are you")),
  ]

  @Test("what ends a push leaves everything waiting that was not sent", arguments: stops)
  mutating func stop(_ stop: Stop) throws {
    for id in ["a", "b", "c", "d"] { try bench.save(id, #"{"n":1}"#) }
    bench.line.fates = [.answered, .notSent(stop)]
    let report = try bench.push()
    #expect(report.stop == stop)
    #expect(report.words == ["a pushed insert"])
    #expect(report.waiting == 3)
    #expect(bench.writes().count == 2)
    #expect(bench.standings == ["b pending insert", "c pending insert", "d pending insert"])
    #expect(bench.disk.journal.intents.keys.map(\.id.text.string).sorted() == [])
    let second = try bench.push()
    #expect(second.words == ["b pushed insert", "c pushed insert", "d pushed insert"])
    #expect(bench.differences == [])
  }

  @Test(
    "what vanished is in the trash once its row is deleted, wherever the push was cut off",
    arguments: 0..<10)
  mutating func cutOffAtVanished(step: Int) throws {
    try bench.share("x", #"{"n":1}"#)
    try bench.save("x", nil)
    try bench.cut(at: step) { try $0.push() }
    try bench.push()
    #expect(bench.row("x") == nil && bench.differences == [])
    let kept = Set(bench.disk.trash.map { String(decoding: $0, as: UTF8.self) })
    #expect(kept == [#"{"id":"x","n":1}"#])
  }

  @Test("a second attempt that was not sent leaves the first one unknown")
  mutating func notSentAgain() throws {
    try bench.pend(.update)
    bench.line.fates = [.replyLost, .notSent(ScriptedLine.cut)]
    try bench.push()
    try bench.push()
    #expect(bench.standings == ["x unknown update"])
    #expect(bench.disk.journal.intents[try bench.key("x")]?.attempt == 2)
    let report = try bench.push()
    #expect(report.words == ["x already update"])
    #expect(bench.server.writes.count == 2)
  }

  @Test("the attempts of a write are counted")
  mutating func attempts() throws {
    try bench.pend(.update)
    bench.line.fates = [.lost, .lost, .reply(.refused(Refusal(status: 400, words: "no")))]
    for _ in 0..<3 { try bench.push() }
    #expect(bench.disk.journal.rejections[try bench.key("x")]?.tries == 3)
  }

  @Test("a server that went back in time is not followed; what was sent stays unknown")
  mutating func wentBack() throws {
    try bench.share("x", #"{"n":1}"#)
    var past = try Bench()
    past.server.tick = -1_000_000
    try past.elsewhere("x", #"{"n":0}"#)
    past.server.tick = 1
    try past.elsewhere("x", #"{"n":0,"m":1}"#)
    past.disk = bench.disk
    try past.save("x", #"{"n":2}"#)
    let report = try past.push()
    #expect(
      report.stop
        == .unsafe(
          "the server went back in time: its row todoitem/x is older than the one seen before",
          ways: ["to make another workspace: \(typed: "clone", "URL", "DIR")"]))
    #expect(report.words == ["x unknown"])
    #expect(past.item("x") == #"{"n":2}"#)
    #expect(try past.disk.base(of: past.key("x")).item == Item(text: #"{"n":1}"#))
    #expect(past.row("x") == #"{"n":0,"m":1}"#)
    // A replica that lagged behind is followed again.
    past.server.tick = 10_000_000
    try past.elsewhere("x", #"{"n":1,"m":3}"#)
    #expect(try past.push().words == ["x merged", "x pushed update"])
    #expect(past.row("x") == #"{"n":2,"m":3}"#)
    #expect(past.differences == [])
  }
}
