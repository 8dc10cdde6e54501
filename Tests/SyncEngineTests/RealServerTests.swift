import SyncEngine
import SyncModel
import TestSupport
import Testing

/// What servers of the family do that a plain model doesn't.
@Suite("Servers that drop fields, make ids and rewrite values") struct RealServerTests {
  private var bench: Bench

  init() throws {
    bench = try Bench()
  }

  // MARK: - D1: new fields

  @Test("D1: a write that brings a field new to its table goes alone")
  mutating func newFieldsGoAlone() throws {
    try bench.share("o", #"{"a":1,"gone":null}"#)
    try bench.save("p", #"{"a":1}"#)
    try bench.save("q", #"{"a":2,"GONE":2}"#)
    try bench.save("r", #"{"a":3,"b":1}"#)
    try bench.save("s", #"{"a":4,"B":2,"c":null}"#)
    try bench.save("t", #"{"a":5,"c":3}"#)
    bench.line.beforeSending = { [log = bench.line.log] in log.writes.append("—") }
    try bench.push()
    #expect(
      bench.writes() == [
        "—", #"POST todoitem/p {"id":"p","a":1}"#, #"POST todoitem/q {"id":"q","a":2,"GONE":2}"#,
        "—", #"POST todoitem/r {"id":"r","a":3,"b":1}"#,
        "—", #"POST todoitem/s {"id":"s","a":4,"B":2}"#,
        "—", #"POST todoitem/t {"id":"t","a":5,"c":3}"#,
      ])
  }

  @Test("writes that are sent again go alone, after the others")
  mutating func newFieldsGoAloneAgain() throws {
    try bench.save("p", #"{"a":1}"#)
    try bench.save("r", #"{"a":1}"#)
    bench.line.fates = [.answered, .lost]
    try bench.push()
    try bench.save("q", #"{"a":2}"#)
    _ = bench.writes()
    bench.line.beforeSending = { [log = bench.line.log] in log.writes.append("—") }
    try bench.push()
    #expect(
      bench.writes() == [
        "—", #"POST todoitem/q {"id":"q","a":2}"#, "—", #"POST todoitem/r {"id":"r","a":1}"#,
      ])
  }

  @Test(
    "D1: a field that the answer lacks stays in the file, and the item is rejected until edited",
    arguments: [Operation.Kind.insert, .update])
  mutating func dropped(_ kind: Operation.Kind) throws {
    try bench.pend(kind)
    try bench.save("x", #"{"a":2,"n":5}"#)
    let fate = ScriptedLine.Fate.changing { item in
      var item = item
      item.fields["n"] = nil
      return item
    }
    bench.line.fates = [fate]
    let report = try bench.push()
    #expect(report.words == ["x pushed \(kind)"])
    #expect(report.events.map(\.answer.dropped) == [["n"]])
    #expect(bench.item("x") == #"{"a":2,"n":5}"#)
    #expect(bench.row("x") == #"{"a":2}"#)
    #expect(bench.standings == ["x rejected update 200"])
    _ = bench.writes()
    try bench.push()
    #expect(bench.writes() == [])
    // Edited it is sent.
    try bench.save("x", #"{"a":2,"n":6}"#)
    try bench.push()
    #expect(bench.row("x") == #"{"a":2,"n":6}"#)
    #expect(bench.differences == [])
  }

  @Test("D1: of names that differ in case one is dropped where the server has one")
  mutating func droppedByCase() throws {
    try bench.save("x", #"{"Text":"y"}"#)
    try bench.save("z", #"{"text":"x","TEXT":"y"}"#)
    let kept = (try Item(text: #"{"text":"y"}"#), try Item(text: #"{"text":"x"}"#))
    bench.line.fates = [.changing { _ in kept.0 }, .changing { _ in kept.1 }]
    let report = try bench.push()
    #expect(report.events.map(\.answer.dropped) == [[], ["TEXT"]])
    #expect(bench.item("x") == #"{"text":"y"}"#)
    #expect(bench.item("z") == #"{"text":"x","TEXT":"y"}"#)
  }

  @Test("F3: what the server made of a value is told")
  mutating func changed() throws {
    try bench.save("x", #"{"a":1,"d":"2020-02-29"}"#)
    bench.line.fates = [
      .changing { item in
        var item = item
        item["d"] = "2020-02-29T00:00:00.000Z"
        item["made"] = "now"
        return item
      }
    ]
    let report = try bench.push()
    #expect(report.events.map(\.answer.changed) == [["d"]])
    #expect(bench.differences == [])
  }

  // MARK: - D2, H1: ids of the server's

  @Test("D2: an item gets the id that the server gave its row, and is never sent again")
  mutating func serverMakesIDs() throws {
    bench.server.makesIDs = true
    try bench.pull()
    try bench.save("hello", #"{"a":1}"#)
    let report = try bench.push()
    #expect(report.words == ["hello pushed insert"])
    #expect(report.events.first?.answer.id == (try ItemID("1")))
    #expect(bench.item("hello") == nil)
    #expect(bench.item("1") == #"{"a":1}"#)
    #expect(bench.differences == [])
    try bench.push()
    #expect(bench.server.rows.count == 1)
  }

  @Test("D2: nothing is inserted before a pull has reached its end, as after the rows were lost")
  mutating func notPulled() throws {
    bench.server.makesIDs = true
    try bench.pull()
    try bench.save("hello", #"{"a":1}"#)
    try bench.push()
    bench.disk.loseJournal()
    #expect(throws: Stop.unsafe(.notPulled(bench.table))) { try bench.push() }
    #expect(bench.server.rows.count == 1)
    try bench.pull()
    try bench.push()
    #expect(bench.server.rows.count == 1)
    #expect(bench.differences == [])
  }

  @Test("D2: what was edited while the insert was sent stays, under the new id, and is pending")
  mutating func editedMeanwhile() throws {
    bench.server.makesIDs = true
    try bench.pull()
    try bench.save("hello", #"{"a":1,"b":1}"#)
    let key = try bench.key("hello")
    bench.ahead(of: 4) { disk in disk.save(try Item(text: #"{"a":1,"b":2}"#), as: key) }
    try bench.push()
    bench.disk.beforeStep = nil
    try bench.push()
    #expect(bench.item("hello") == nil)
    #expect(bench.item("1") == #"{"a":1,"b":2}"#)
    #expect(bench.row("1") == #"{"a":1,"b":2}"#)
    #expect(bench.server.rows.count == 1)
    #expect(bench.differences == [])
  }

  @Test("D2: a push that is cut off anywhere makes one row", arguments: 0..<24)
  mutating func cutOff(_ steps: Int) throws {
    bench.server.makesIDs = true
    try bench.pull()
    try bench.save("hello", #"{"a":1}"#)
    try bench.cut(at: steps) { try $0.push() }
    let isSent = !bench.server.rows.isEmpty
    try bench.push()
    #expect(bench.server.rows.count == 1)
    let isUnknown = bench.standings == ["hello unknown insert"]
    // Between the answer and its record nothing tells that it came.
    if isUnknown {
      #expect(isSent || bench.disk.attempts.count == 1)
      #expect(bench.item("hello") == #"{"a":1}"#)
    } else {
      #expect(bench.item("1") == #"{"a":1}"#)
      #expect(bench.item("hello") == nil)
      #expect(bench.differences == [])
    }
  }

  @Test("D2: an item waits for its new id while another one is there")
  mutating func occupied() throws {
    bench.server.makesIDs = true
    try bench.pull()
    try bench.save("hello", #"{"a":1}"#)
    let key = try bench.key("1")
    bench.ahead(of: 3) { disk in disk.save(try Item(text: #"{"a":7}"#), as: key) }
    #expect(try bench.push().words == ["hello held"])
    bench.disk.beforeStep = nil
    #expect(bench.standings == ["1 pending insert"])
    // The other one gets an id of its own, and leaves the place.
    #expect(Set(try bench.push().words) == ["hello held", "1 pushed insert"])
    try bench.push()
    #expect(bench.item("1") == #"{"a":1}"#)
    #expect(bench.item("2") == #"{"a":7}"#)
    #expect(bench.item("hello") == nil)
    #expect(bench.row("1") == bench.item("1") && bench.row("2") == bench.item("2"))
    #expect(bench.server.rows.count == 2)
    #expect(bench.differences == [])
  }

  @Test("D2: another's row that gets the former id of an item that waits comes once that is moved")
  mutating func formerIDTaken() throws {
    bench.server.makesIDs = true
    try bench.pull()
    try bench.save("2", #"{"a":1}"#)
    let place = try bench.key("1")
    bench.ahead(of: 3) { disk in disk.save(Array("{".utf8), as: place) }
    #expect(try bench.push().words == ["2 held"])
    bench.disk.beforeStep = nil
    try bench.elsewhere("2", #"{"a":9}"#)
    for full in [false, true] {
      try bench.pull(full: full)
      #expect(bench.item("2") == #"{"a":1}"#)
      let open = try bench.disk.arrivals(in: bench.table)
      #expect(open.map(\.id.text) == ["2"] && open.map(\.row.id.text) == ["1"])
      #expect(!open.contains { !$0.isMine })
    }
    try bench.save("1", nil)
    try bench.pull()
    try bench.pull()
    #expect(bench.item("1") == #"{"a":1}"#)
    #expect(bench.item("2") == #"{"a":9}"#)
    #expect(bench.differences == [])
  }

  @Test("D2: one item's new id may be another's former one, in one push")
  mutating func chain() throws {
    bench.server.makesIDs = true
    try bench.pull()
    for id in ["first", "x", "2"] { try bench.save(id, #"{"a":"\#(id)"}"#) }
    try bench.push()
    try bench.push()
    #expect(bench.server.rows.count == 3)
    #expect(bench.item("2") == #"{"a":"x"}"#)
    #expect(bench.item("3") == #"{"a":"2"}"#)
    #expect(bench.differences == [])
  }

  @Test("an open update whose row isn't known any more is read, not refused")
  mutating func unknownBase() throws {
    try bench.share("a", #"{"n":1}"#)
    try bench.save("a", #"{"n":2}"#)
    bench.line.fates = [.lost]
    try bench.push()
    let attempt = try #require(bench.disk.attempts.values.first)
    bench.disk.loseJournal()
    try bench.disk.append([.sent(attempt)], to: bench.table, durably: true)
    let report = try bench.push()
    #expect(!report.words.contains { $0.contains("rejected") }, "\(report.words)")
    let rejection = try bench.disk.rejection(of: bench.key("a"))
    #expect(rejection == nil)
    #expect(bench.item("a") == #"{"n":2}"#)
    #expect(bench.disk.inConflict[try bench.key("a")] != nil)
  }

  @Test("D2: a file that can't be read when its new id comes is moved once it can")
  mutating func invalidMeanwhile() throws {
    bench.server.makesIDs = true
    try bench.pull()
    try bench.save("hello", #"{"a":1}"#)
    let key = try bench.key("hello")
    bench.ahead(of: 3) { disk in disk.save(Array("{".utf8), as: key) }
    #expect(try bench.push().words == ["hello held"])
    bench.disk.beforeStep = nil
    try bench.push()
    try bench.save("hello", #"{"a":2}"#)
    try bench.push()
    #expect(bench.item("hello") == nil)
    #expect(bench.item("1") == #"{"a":2}"#)
    #expect(bench.row("1") == #"{"a":2}"#)
    #expect(bench.server.rows.count == 1)
    #expect(bench.differences == [])
  }

  @Test("D2: a lost answer stays unknown, and is sent again only by its user's word")
  mutating func lostInsert() throws {
    bench.server.makesIDs = true
    try bench.pull()
    try bench.save("hello", #"{"a":1}"#)
    bench.line.fates = [.replyLost]
    try bench.push()
    for _ in 0..<3 {
      let report = try bench.push()
      #expect(report.words == ["hello unknown"])
      #expect(report.doubtful == [try bench.key("hello")])
    }
    #expect(bench.standings == ["hello unknown insert"])
    #expect(bench.server.rows.count == 1)
    // The row isn't there, its user says.
    var report = PushReport()
    var push = Push(settings: bench.settings, selection: [try bench.key("hello")])
    push.insertsAgain = true
    try push.run([bench.table], on: &bench.disk, to: &bench.line, report: &report)
    #expect(report.words == ["hello pushed insert"])
    #expect(bench.server.rows.count == 2)
    #expect(bench.item("2") == #"{"a":1}"#)
    #expect(bench.standings == [])
  }

  @Test(
    "D2: what something in between says of an insert doesn't prove that it wasn't done",
    arguments: [502, 504, 408])
  mutating func gatewayAnswers(_ status: Int) throws {
    bench.server.makesIDs = true
    try bench.pull()
    try bench.save("hello", #"{"a":1}"#)
    bench.line.fates = [
      .reply(.unknown(Refusal(status: status, words: "bad gateway", passes: true)))
    ]
    let report = try bench.push()
    #expect(report.words == ["hello unknown"])
    #expect(bench.standings == ["hello unknown insert"])
    // Nor does the server's own failure.
    try bench.save("other", #"{"a":1}"#)
    bench.line.fates = [.broken]
    #expect(try bench.push(only: ["other"]).words == ["other unknown"])
  }

  @Test("D2: an item that its user removes, because its row is there, is over")
  mutating func lostInsertRemoved() throws {
    bench.server.makesIDs = true
    try bench.pull()
    try bench.save("hello", #"{"a":1}"#)
    bench.line.fates = [.replyLost]
    try bench.push()
    #expect(try bench.disk.remove(try bench.key("hello")))
    let report = try bench.push()
    #expect(report.words == [])
    #expect(bench.standings == [])
    #expect(bench.server.rows.count == 1)
    try bench.pull()
    #expect(bench.item("1") == #"{"a":1}"#)
    #expect(bench.differences == [])
  }

  // MARK: - D5: rewritten values

  @Test(
    "D5: after a lost answer a row is ours where it holds what a server makes of what was sent",
    arguments: [Operation.Kind.insert, .update])
  mutating func rewritten(_ kind: Operation.Kind) throws {
    try bench.pend(kind)
    try bench.save("x", #"{"a":2,"d":"2020-02-29","o":{"p":1}}"#)
    bench.line.fates = [.replyLost]
    try bench.push()
    let row = try #require(bench.server.rows[try bench.key("x")])
    var item = row.item
    item["d"] = "2020-02-29T00:00:00.000Z"
    item["o"] = "[object Object]"
    _ = bench.server.store(item, try bench.key("x"), by: 1, over: row)
    let report = try bench.push()
    #expect(report.words == ["x already \(kind)"])
    #expect(report.events.map(\.answer.changed) == [["d", "o"]])
    #expect(bench.differences == [])
    #expect(bench.item("x") == bench.row("x"))
  }

  // MARK: - H6: rows that are gone

  @Test("H6: where the server has no trace of the rows that are deleted, the push stops")
  mutating func rowsAreGone() throws {
    let ids = (10..<22).map { "r\($0)" }
    for id in ids { try bench.elsewhere(id, #"{"a":1}"#) }
    try bench.pull()
    for id in ids {
      #expect(try bench.disk.remove(try bench.key(id)))
      bench.server.deleteForGood(try bench.key(id))
    }
    #expect(throws: Stop.self) { try bench.push() }
    // None is forgotten.
    for id in ids { #expect(try bench.disk.base(of: try bench.key(id)).item != nil) }
    #expect(bench.standings.count == 12)
  }

  @Test("H6: a row that isn't there after a lost answer is no absence")
  mutating func rowsWereDeleted() throws {
    let ids = (10..<22).map { "r\($0)" }
    for id in ids { try bench.elsewhere(id, #"{"a":1}"#) }
    try bench.pull()
    for id in ids {
      #expect(try bench.disk.remove(try bench.key(id)))
      bench.server.deleteForGood(try bench.key(id))
    }
    bench.line.fates = ids.map { _ in .reply(.unknown(nil)) }
    #expect(try bench.push().pushed == 12)
    #expect(bench.differences == [])
  }

  // MARK: - H14: an id proves nothing

  @Test("H14: a row that is there under a random id isn't ours unless it holds what was sent")
  mutating func lostBase() throws {
    let id = "8d5e1b0c-6b3f-4e0b-9f3c-0a1b2c3d4e5f"
    try bench.share(id, #"{"text":"old"}"#)
    try bench.disk.forget(bench.table)
    try bench.save(id, #"{"text":"My edit"}"#)
    bench.line.fates = [.lost]
    try bench.push()
    bench.line.fates = [.lost]
    try bench.push()
    try bench.push()
    #expect(bench.item(id) == #"{"text":"My edit"}"#)
    #expect(bench.row(id) == #"{"text":"old"}"#)
    #expect(bench.standings == ["\(id) conflict AA"])
  }

  // MARK: - G2: a tombstone that others have changed

  @Test("G2: an undelete brings back what others have made of the row")
  mutating func undeleteOverOthers() throws {
    try bench.share("x", #"{"a":1,"b":1}"#)
    #expect(try bench.disk.remove(try bench.key("x")))
    try bench.push()
    try bench.save("x", #"{"a":1,"b":2}"#)
    try bench.elsewhere("x", #"{"a":9,"b":1}"#)
    try bench.elsewhere("x", nil)
    try bench.push()
    #expect(bench.row("x") == #"{"a":9,"b":2}"#)
    #expect(bench.item("x") == #"{"a":9,"b":2}"#)
    #expect(bench.differences == [])
  }

  @Test("G2: where an undelete and others changed the same field, it is a conflict")
  mutating func undeleteAgainstOthers() throws {
    try bench.share("x", #"{"a":1,"b":1}"#)
    #expect(try bench.disk.remove(try bench.key("x")))
    try bench.push()
    try bench.save("x", #"{"a":2,"b":1}"#)
    try bench.elsewhere("x", #"{"a":9,"b":3}"#)
    try bench.elsewhere("x", nil)
    try bench.push()
    #expect(bench.standings == ["x conflict MD"])
    #expect(bench.item("x") == #"{"a":2,"b":1}"#)
    try bench.resolve("x", .client)
    try bench.push()
    #expect(bench.row("x") == #"{"a":2,"b":3}"# || bench.row("x") == #"{"a":2,"b":1}"#)
    #expect(bench.differences == [])
  }
}
