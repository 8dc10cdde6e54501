import SyncEngine
import SyncModel
import TestSupport
import Testing

@Suite("How every item stands") struct SurveyTests {
  private var bench: Bench

  init() throws {
    bench = try Bench()
  }

  private func standings(_ disk: StrayDisk) throws -> [String] {
    try Survey(of: [bench.table], on: disk).entries.map { entry in
      "\(entry.key.map { "\($0.id)" } ?? "-") \(entry.standing.words)"
    }
  }

  /// Something that can't be an item, at a place.
  private func invalid(_ place: String, key: ItemKey, otherID: ItemID) -> Candidate {
    Candidate(
      key: key, client: .invalid(InvalidItem(place: place, message: "no", otherID: otherID)),
      modified: 0)
  }

  @Test("an item as its base says doesn't appear")
  mutating func clean() throws {
    try bench.share("x", #"{"a":1}"#)
    #expect(bench.standings == [])
    try bench.save("x", #"{"a":1.0}"#)
    #expect(bench.standings == [])
  }

  @Test("what a stopped pull has written is no change of the user's, and what follows it is")
  mutating func stoppedPull() throws {
    try bench.share("old", #"{"a":1}"#)
    for (id, text) in [("new", #"{"a":1}"#), ("old", #"{"a":2}"#), ("edited", #"{"a":1}"#)] {
      let row = try bench.elsewhere(id, text)
      try bench.disk.bring([row], to: bench.table)
      _ = try bench.disk.write(
        row.item, to: bench.key(id), expecting: bench.disk.client(bench.key(id)).digest)
    }
    try bench.save("edited", #"{"a":7}"#)
    #expect(bench.standings == ["edited pending insert"])
  }

  @Test("a change is pending")
  mutating func pending() throws {
    try bench.share("edited", #"{"a":1}"#)
    try bench.share("deleted", #"{"a":1}"#)
    try bench.share("revived", #"{"a":1}"#)
    try bench.elsewhere("revived", nil)
    try bench.pull()
    try bench.save("edited", #"{"a":2}"#)
    try bench.save("new", #"{"a":1}"#)
    try bench.save("revived", #"{"a":2}"#)
    try bench.save("deleted", nil)
    #expect(
      bench.standings == [
        "edited pending update", "new pending insert", "revived pending undelete",
        "deleted pending delete",
      ])
  }

  @Test("hand edits are ordered by their time, whatever their names")
  mutating func byTime() throws {
    for id in ["c", "a", "b"] { try bench.save(id, #"{"a":1}"#) }
    #expect(
      bench.standings == ["c pending insert", "a pending insert", "b pending insert"])
    try bench.save("c", #"{"a":2}"#)
    #expect(
      bench.standings == ["a pending insert", "b pending insert", "c pending insert"])
  }

  @Test("a push offline gives no change a place: what is edited later comes later")
  mutating func placed() throws {
    try bench.share("x", #"{"a":1}"#)
    for id in ["x", "n"] { try bench.save(id, #"{"a":2}"#) }
    bench.line.fates = [.notSent(ScriptedLine.cut)]
    try bench.push()
    try bench.save("b", #"{"a":1}"#)
    try bench.save("x", #"{"a":3}"#)
    #expect(
      bench.standings == ["n pending insert", "b pending insert", "x pending update"])
  }

  @Test("a refused change is rejected until the item is edited")
  mutating func rejected() throws {
    try bench.save("x", #"{"text":"refuse me"}"#)
    try bench.push()
    #expect(bench.standings == ["x rejected insert 400"])
    let survey = try Survey(of: [bench.table], on: bench.disk)
    #expect(survey.pending().isEmpty)
    #expect(survey.pending([try bench.key("x")]).count == 1)
    #expect(survey.pending([try bench.key("y")]).isEmpty)
    try bench.save("x", #"{"text":"better"}"#)
    #expect(bench.standings == ["x pending insert"])
  }

  @Test("a refused item that is deleted instead is not rejected")
  mutating func rejectedThenDeleted() throws {
    try bench.share("x", #"{"a":1}"#)
    try bench.save("x", #"{"text":"refuse me"}"#)
    try bench.push()
    try bench.save("x", nil)
    #expect(bench.standings == ["x pending delete"])
  }

  @Test("a write whose outcome isn't known is unknown, whatever lies there now")
  mutating func unknown() throws {
    try bench.share("x", #"{"a":1}"#)
    try bench.save("x", #"{"a":2}"#)
    bench.line.fates = [.replyLost]
    try bench.push()
    #expect(bench.standings == ["x unknown update"])
    try bench.save("x", #"{"a":3}"#)
    #expect(bench.standings == ["x unknown update"])
    try bench.save("x", #"{"a":1}"#)
    #expect(bench.standings == ["x unknown update"])
    try bench.save("x", nil)
    #expect(bench.standings == ["x unknown update"])
  }

  @Test("a conflict stays one, whatever lies there now")
  mutating func conflict() throws {
    try bench.share("x", #"{"a":1}"#)
    try bench.save("x", #"{"a":2}"#)
    try bench.elsewhere("x", #"{"a":3}"#)
    try bench.pull()
    #expect(bench.standings == ["x conflict MM"])
    try bench.save("x", #"{"a":1}"#)
    #expect(bench.standings == ["x conflict MM"])
    try bench.save("x", nil)
    #expect(bench.standings == ["x conflict DM"])
  }

  @Test("what can't be an item is invalid, with a base and without")
  mutating func invalid() throws {
    try bench.share("x", #"{"a":1}"#)
    bench.disk.save(Array("{".utf8), as: try bench.key("x"))
    bench.disk.save(Array("[]".utf8), as: try bench.key("y"))
    #expect(
      bench.standings == ["x invalid todoitem/x", "y invalid todoitem/y"])
    #expect(try Survey(of: [bench.table], on: bench.disk).pending().isEmpty)
  }

  @Test("a missing file whose id stands in another file is moved, and nothing is sent")
  mutating func moved() throws {
    try bench.share("x", #"{"a":1}"#)
    try bench.save("x", nil)
    var disk = StrayDisk(memory: bench.disk)
    disk.more = [invalid("b.json", key: try bench.key("b"), otherID: try ItemID("x"))]
    #expect(try standings(disk) == ["b invalid b.json", "x moved to b.json"])
    #expect(try Survey(of: [bench.table], on: disk).pending().isEmpty)
  }

  @Test("while a stray file lies in the table, no other delete by hand is sent, whatever it says")
  mutating func strayBesideDeletes() throws {
    for id in ["x", "y", "z", "removed"] { try bench.share(id, #"{"a":1}"#) }
    for id in ["x", "y", "z"] { try bench.save(id, nil) }
    _ = try bench.disk.remove(try bench.key("removed"))
    var disk = StrayDisk(memory: bench.disk)
    for (id, waits) in [("x", ["y", "z"]), ("removed", ["x", "y", "z"]), ("?", ["x", "y", "z"])] {
      disk.more = [invalid("b.json", key: try bench.key("b"), otherID: try ItemID(Text(id)))]
      let survey = try Survey(of: [bench.table], on: disk)
      let held = survey.entries.filter { $0.stray == "b.json" }.compactMap(\.key)
      #expect(try held == waits.map { try bench.key($0) })
      #expect(survey.unsent() == 1)
      // Who names them doesn't remove them, either.
      let selection = try Set(["x", "y", "z", "removed"].map { try bench.key($0) })
      #expect(try survey.pending(selection).map(\.key) == [bench.key("removed")])
      #expect(try survey.pending().map(\.key) == [bench.key("removed")])
    }
    disk.more = []
    #expect(try Survey(of: [bench.table], on: disk).pending().count == 4)
  }

  @Test("a delete by hand that the server refused waits, too, where it is named")
  mutating func refusedBesideStray() throws {
    try bench.share("x", #"{"a":1}"#)
    try bench.save("x", nil)
    let refused = Rejection(
      kind: .delete, refusal: Refusal(words: "no"), digest: nil, tries: 1, time: 0)
    let key = try bench.key("x")
    try bench.disk.append([.refused(key.id, refused)], to: bench.table, durably: true)
    #expect(try Survey(of: [bench.table], on: bench.disk).pending([key]).count == 1)
    var disk = StrayDisk(memory: bench.disk)
    disk.more = [invalid("b.json", key: try bench.key("b"), otherID: try ItemID("c"))]
    #expect(try Survey(of: [bench.table], on: disk).pending([key]).isEmpty)
  }

  @Test("a push looks at the files once, however many have vanished, and not where they are known")
  mutating func looksOnce() throws {
    let ids = (0..<80).map { "i\($0)" }
    for id in ids { try bench.share(id, #"{"a":1}"#) }
    for id in ids.prefix(40) { try bench.save(id, nil) }
    var disk = StrayDisk(memory: bench.disk)
    var looks = 0
    disk.walking = { looks += 1 }
    var settings = bench.settings
    settings.maxDelete = ids.count
    var report = PushReport()
    try Push(settings: settings).run([bench.table], on: &disk, to: &bench.line, report: &report)
    #expect(report.pushed == 40)
    #expect(looks == 1)
    for id in ids.suffix(40) { disk.memory.save(nil as Item?, as: try bench.key(id)) }
    let known = try Survey(of: [bench.table], on: disk)
    try Push(settings: settings).run(
      [bench.table], known: known, on: &disk, to: &bench.line, report: &report)
    #expect(report.pushed == 80)
    #expect(looks == 2)
  }

  @Test("what a command deleted is a delete, even where another file claims the id")
  mutating func removedNotMoved() throws {
    try bench.share("x", #"{"a":1}"#)
    _ = try bench.disk.remove(try bench.key("x"))
    var disk = StrayDisk(memory: bench.disk)
    disk.more = [invalid("b.json", key: try bench.key("b"), otherID: try ItemID("x"))]
    #expect(try standings(disk) == ["b invalid b.json", "x pending delete"])
  }

  @Test("conflicts come first, then rejected, unknown, invalid, moved, and what is to be pushed")
  mutating func groups() throws {
    for id in ["conflict", "moved", "gone", "edited"] { try bench.share(id, #"{"a":1}"#) }
    try bench.save("conflict", #"{"a":2}"#)
    try bench.elsewhere("conflict", #"{"a":3}"#)
    try bench.pull()
    try bench.save("rejected", #"{"text":"refuse me"}"#)
    try bench.save("unknown", #"{"a":1}"#)
    bench.line.fates = [.answered, .replyLost]
    try bench.push()
    try bench.save("gone", nil)
    try bench.save("moved", nil)
    try bench.save("edited", #"{"a":2}"#)
    try bench.save("added", #"{"a":2}"#)
    bench.disk.save(Array("{".utf8), as: try bench.key("invalid"))
    var disk = StrayDisk(memory: bench.disk)
    disk.more = [invalid("b.json", key: try bench.key("b"), otherID: try ItemID("moved"))]
    #expect(
      try standings(disk) == [
        "conflict conflict MM", "rejected rejected insert 400", "unknown unknown insert",
        "b invalid b.json", "invalid invalid todoitem/invalid", "moved moved to b.json",
        "edited pending update", "added pending insert", "gone pending delete",
      ])
  }

  @Test("conflicts and unknown writes of other tables are not looked at")
  mutating func otherTables() throws {
    try bench.share("x", #"{"a":1}"#)
    try bench.save("x", #"{"a":2}"#)
    bench.line.fates = [.replyLost]
    try bench.push()
    #expect(try Survey(of: [TableName("other")], on: bench.disk).entries.isEmpty)
  }

  @Test("a survey records nothing")
  mutating func readsOnly() throws {
    try bench.share("x", #"{"a":1}"#)
    try bench.save("x", #"{"a":2}"#)
    let steps = bench.disk.steps
    _ = bench.standings
    #expect(bench.disk.steps == steps)
    #expect(bench.disk.inConflict.isEmpty)
  }
}
