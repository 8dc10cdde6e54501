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
    #expect(report.unsent == 3)
    #expect(bench.writes().count == 2)
    #expect(bench.standings == ["b pending insert", "c pending insert", "d pending insert"])
    #expect(bench.disk.attempts.keys.map(\.id.text.string).sorted() == [])
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

  @Test(
    "an item that a push removed for another's delete, and was cut off, is no delete of its user's",
    arguments: 0..<12)
  mutating func cutOffAtRemoval(step: Int) throws {
    bench.settings.policies = [bench.table: MergePolicy(.server)]
    try bench.share("x", #"{"n":1}"#)
    try bench.save("x", #"{"n":2}"#)
    try bench.elsewhere("x", nil)
    try bench.cut(at: step) { try $0.push() }
    // Somebody brings it back as it was.
    try bench.elsewhere("x", #"{"n":1}"#)
    try bench.push()
    try bench.push()
    #expect(bench.row("x") != nil)
  }

  @Test(
    "a new item that a push removed, its row deleted meanwhile, is no delete of its user's",
    arguments: 0..<12)
  mutating func cutOffAtRemovalOfInsert(step: Int) throws {
    bench.settings.policies = [bench.table: MergePolicy(.client)]
    let id = "0123456789abcdef0123456789abcdef"
    try bench.save(id, #"{"n":1}"#)
    bench.line.fates = [.replyLost]
    try bench.push()
    try bench.elsewhere(id, nil)
    try bench.cut(at: step) { try $0.push() }
    try bench.elsewhere(id, #"{"n":1}"#)
    try bench.push()
    try bench.push()
    #expect(bench.row(id) != nil)
  }

  @Test(
    "an item that a pull removed after a push that sent nothing is no delete after a power loss",
    arguments: 0..<8)
  mutating func powerLostAtRemoval(step: Int) throws {
    try bench.share("x", #"{"n":1}"#)
    let key = try bench.key("x")
    let before = bench
    for seed in UInt64(0)..<8 {
      bench = before
      bench.server.restore(try #require(before.disk.base(of: key).row), as: key)
      try bench.save("x", #"{"n":2}"#)
      bench.line.fates = [.notSent(ScriptedLine.cut)]
      try bench.push()
      try bench.save("x", #"{"n":1}"#)
      try bench.elsewhere("x", nil)
      try bench.cut(at: step) { try $0.pull() }
      var random = SplitMix64(seed: seed)
      bench.disk.losePower(&random)
      // Somebody brings it back as it was.
      try bench.elsewhere("x", #"{"n":1}"#)
      try bench.push()
      try bench.push()
      #expect(bench.row("x") != nil, "seed \(seed)")
    }
  }

  @Test("a second attempt that was not sent leaves the first one unknown")
  mutating func notSentAgain() throws {
    try bench.pend(.update)
    bench.line.fates = [.replyLost, .notSent(ScriptedLine.cut)]
    try bench.push()
    try bench.push()
    #expect(bench.standings == ["x unknown update"])
    #expect(bench.disk.attempts[try bench.key("x")]?.tries == 2)
    let report = try bench.push()
    #expect(report.words == ["x already update"])
    #expect(bench.server.writes.count == 2)
  }

  @Test("the attempts of a write are counted")
  mutating func attempts() throws {
    try bench.pend(.update)
    bench.line.fates = [.lost, .lost, .reply(.refused(Refusal(status: 400, words: "no")))]
    for _ in 0..<3 { try bench.push() }
    #expect(bench.disk.rejections[try bench.key("x")]?.tries == 3)
  }

  @Test("a row that another machine has stamped too early is newer, by its version")
  mutating func stampedEarly() throws {
    try bench.share("x", #"{"n":1}"#)
    bench.server.tick = -2
    try bench.elsewhere("x", #"{"n":1,"m":1}"#)
    try bench.save("x", #"{"n":2}"#)
    let report = try bench.push()
    #expect(report.words == ["x merged", "x pushed update"])
    #expect(bench.row("x") == #"{"n":2,"m":1}"#)
    #expect(bench.differences == [])
  }

  @Test("a reading in a version that was here before is no result")
  mutating func formerReading() throws {
    let first = try bench.elsewhere("x", #"{"n":0}"#)
    try bench.pull()
    try bench.share("x", #"{"n":1}"#)
    try bench.save("x", #"{"n":2}"#)
    bench.line.fates = [.broken]
    bench.line.stale = [first]
    bench.settings.now -= 1
    let report = try bench.push()
    #expect(report.stop == Guards.late && report.words == ["x unknown"])
    // By now no replica is late any more.
    bench.line.fates = [.broken]
    bench.line.stale = [first]
    #expect(throws: Stop.unsafe(.wentBack())) { try bench.push() }
    #expect(bench.standings == ["x pending update"])
    #expect(try bench.push().words == ["x pushed update"])
  }

  @Test("a reading older than a row that waits doesn't take its place")
  mutating func staleReading() throws {
    try bench.share("x", #"{"n":1}"#)
    try bench.save("x", #"{"n":2}"#)
    bench.line.fates = [.replyLost]
    try bench.push()
    let ours = try #require(bench.server.rows[try bench.key("x")])
    let newer = try bench.elsewhere("x", #"{"n":2,"m":3}"#)
    try bench.pull()
    bench.line.stale = [ours]
    #expect(try bench.push().words == ["x already update", "x updated"])
    #expect(try bench.disk.base(of: bench.key("x")).row == newer)
    #expect(bench.item("x") == #"{"n":2,"m":3}"#)
    #expect(bench.differences == [])
  }

  @Test(
    "a reading older than a row that is gone, of which a trace of nothing waits, brings nothing back"
  )
  mutating func staleReadingOfNothing() throws {
    try bench.share("x", #"{"n":1}"#)
    let key = try bench.key("x")
    let older = try #require(bench.server.rows[key])
    try bench.save("x", #"{"n":2}"#)
    try bench.push()
    try bench.save("x", #"{"n":3}"#)
    bench.line.fates = [.lost]
    try bench.push()
    bench.server.deleteForGood(key)
    try bench.pull(full: true)
    bench.line.stale = [older]
    #expect(try bench.push().words == ["x conflict MD"])
    #expect(bench.item("x") == #"{"n":3}"#)
  }
}
