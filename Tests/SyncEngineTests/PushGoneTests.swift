import SyncEngine
import SyncModel
import TestSupport
import Testing

@Suite("A push that finds its row gone, or there already") struct PushGoneTests {
  private var bench: Bench

  init() throws {
    bench = try Bench()
  }

  @Test("a delete of what is gone is done", arguments: [404, 410, 412])
  mutating func deleteOfGone(status: Int) throws {
    try bench.pend(.delete)
    if status == 404 {
      bench.server.deleteForGood(try bench.key("x"))
    } else {
      try bench.elsewhere("x", nil)
    }
    bench.line.fates = [.reply(.disputed(Refusal(status: status, words: "")))]
    #expect(try bench.push().words == ["x already delete"])
    #expect(bench.differences == [])
  }

  @Test("a delete of what somebody else changed is a conflict")
  mutating func deleteOfChanged() throws {
    try bench.pend(.delete)
    try bench.elsewhere("x", #"{"a":3}"#)
    #expect(try bench.push().words == ["x conflict DM"])
    #expect(bench.row("x") == #"{"a":3}"#)
    #expect(bench.item("x") == nil)
  }

  @Test("a delete of what was only touched is sent again with its new version")
  mutating func deleteOfTouched() throws {
    try bench.pend(.delete)
    try bench.elsewhere("x", #"{"a":1}"#)
    #expect(try bench.push().words == ["x pushed delete"])
    #expect(
      bench.writes() == ["DELETE todoitem/x If-Match v1", "DELETE todoitem/x If-Match v2"])
    #expect(bench.differences == [])
  }

  @Test("an update of what was deleted is a conflict, never an insert", arguments: [true, false])
  mutating func updateOfDeleted(forGood: Bool) throws {
    try bench.pend(.update)
    try bench.elsewhere("x", nil)
    if forGood { bench.server.deleteForGood(try bench.key("x")) }
    #expect(try bench.push().words == ["x conflict MD"])
    #expect(bench.writes() == [#"PATCH todoitem/x If-Match v1 {"a":2}"#])
    #expect(bench.item("x") == #"{"a":2}"#)
    try bench.push()
    #expect(bench.writes() == [])
  }

  @Test("an insert of what is there already with the same content is done")
  mutating func insertOfEqual() throws {
    try bench.pend(.insert)
    try bench.elsewhere("x", #"{"a":2.0}"#)
    #expect(try bench.push().words == ["x already insert"])
    #expect(bench.server.writes.count == 1)
    #expect(bench.differences == [])
  }

  @Test("an insert of what is there already with other content is a conflict")
  mutating func insertOfOther() throws {
    try bench.pend(.insert)
    try bench.elsewhere("x", #"{"a":3}"#)
    #expect(try bench.push().words == ["x conflict AA"])
    #expect(bench.row("x") == #"{"a":3}"#)
    #expect(bench.item("x") == #"{"a":2}"#)
  }

  @Test("409 says nothing where no row is there: the insert is refused")
  mutating func insertOfHidden() throws {
    try bench.pend(.insert)
    bench.line.fates = [.reply(.disputed(Refusal(status: 409, words: "taken")))]
    #expect(try bench.push().words == ["x rejected 409"])
    #expect(bench.standings == ["x rejected insert 409"])
  }

  @Test("an insert over a tombstone that was never seen becomes an undelete")
  mutating func insertOfDeleted() throws {
    try bench.elsewhere("x", #"{"a":1}"#)
    try bench.elsewhere("x", nil)
    try bench.pend(.insert)
    let report = try bench.push()
    #expect(
      report.words == ["x kept over tombstone", "x pushed undelete", "x pushed update"])
    #expect(bench.row("x") == #"{"a":2}"#)
    #expect(bench.differences == [])
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

  @Test("an id that was inserted, lost, and changed by others is in conflict, however random it is")
  mutating func insertOfRandomID() throws {
    let id = "8d5e1b0c-6b3f-4e0b-9f3c-0a1b2c3d4e5f"
    try bench.save(id, #"{"a":1,"b":1}"#)
    bench.line.fates = [.replyLost]
    try bench.push()
    try bench.elsewhere(id, #"{"a":2,"b":1}"#)
    try bench.save(id, #"{"a":1,"b":2}"#)
    let report = try bench.push()
    #expect(report.conflicts == 1)
    #expect(bench.row(id) == #"{"a":2,"b":1}"#)
    #expect(bench.item(id) == #"{"a":1,"b":2}"#)
  }

  @Test("an item over what is gone for good is inserted")
  mutating func insertOverGone() throws {
    try bench.pend(.delete)
    try bench.push()
    bench.server.deleteForGood(try bench.key("x"))
    try bench.save("x", #"{"a":5}"#)
    _ = bench.writes()
    #expect(try bench.push().words == ["x pushed insert"])
    #expect(bench.writes() == [#"POST todoitem/x {"id":"x","a":5}"#])
  }

  @Test("an undelete of what somebody else undeleted is merged with it")
  mutating func undeleteOfLiving() throws {
    try bench.pend(.undelete)
    try bench.elsewhere("x", #"{"a":1,"b":4}"#)
    let report = try bench.push()
    #expect(report.conflicts == 0)
    #expect(bench.row("x") == #"{"a":2,"b":4}"#)
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
