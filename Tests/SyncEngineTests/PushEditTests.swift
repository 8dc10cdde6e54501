import SyncEngine
import SyncModel
import TestSupport
import Testing

@Suite("Edits during a push") struct PushEditTests {
  private var bench: Bench

  init() throws {
    bench = try Bench()
    try bench.share("x", #"{"a":1,"b":1}"#)
  }

  /// Lets the user save while a write of `x` is under way.
  private mutating func saveInFlight(_ text: String?) throws {
    let key = try bench.key("x")
    let item = try text.map { try Item(text: $0) }
    var saved = false
    bench.disk.beforeStep = { disk in
      // The step after the attempt became durable is the first after the sending.
      guard !saved, disk.attempts[key] != nil else { return }
      saved = true
      disk.save(item, as: key)
    }
  }

  @Test("an edit made while its item is under way stays, and is sent by the next push")
  mutating func editInFlight() throws {
    try bench.save("x", #"{"a":2,"b":1}"#)
    try saveInFlight(#"{"a":3,"b":1}"#)
    #expect(try bench.push().words == ["x pushed update"])
    bench.disk.beforeStep = nil
    #expect(bench.item("x") == #"{"a":3,"b":1}"#)
    #expect(bench.row("x") == #"{"a":2,"b":1}"#)
    #expect(bench.standings == ["x pending update"])
    #expect(try bench.push().words == ["x pushed update"])
    #expect(
      bench.writes() == [
        #"PATCH todoitem/x If-Match v1 {"a":2}"#, #"PATCH todoitem/x If-Match v2 {"a":3}"#,
      ])
    #expect(bench.differences == [])
  }

  @Test("a text that the server trims, edited again meanwhile: both survive")
  mutating func trimmed() throws {
    try bench.save("x", #"{"a":" x ","b":1}"#)
    try saveInFlight(#"{"a":" x ","b":5}"#)
    bench.line.fates = [
      .changing { item in
        var item = item
        item["a"] = "x"
        item["c"] = "stamp"
        return item
      }
    ]
    try bench.push()
    bench.disk.beforeStep = nil
    #expect(bench.item("x") == #"{"a":"x","b":5,"c":"stamp"}"#)
    try bench.push()
    #expect(bench.row("x") == #"{"a":"x","b":5,"c":"stamp"}"#)
    #expect(bench.differences == [])
  }

  @Test("an item deleted while its update is under way stays deleted, and the delete waits")
  mutating func deleteInFlight() throws {
    try bench.save("x", #"{"a":2,"b":1}"#)
    try saveInFlight(nil)
    try bench.push()
    bench.disk.beforeStep = nil
    #expect(bench.item("x") == nil)
    #expect(bench.row("x") == #"{"a":2,"b":1}"#)
    #expect(bench.standings == ["x pending delete"])
  }

  @Test("an item made again while its delete is under way is kept, and sent by the next push")
  mutating func insertInFlight() throws {
    try bench.save("x", nil)
    try saveInFlight(#"{"a":7}"#)
    #expect(try bench.push().words == ["x pushed delete"])
    bench.disk.beforeStep = nil
    #expect(bench.item("x") == #"{"a":7}"#)
    try bench.push()
    #expect(bench.row("x") == #"{"a":7}"#)
  }

  @Test("an edit made before the attempt is part of what is sent")
  mutating func editBeforeIntent() throws {
    try bench.save("x", #"{"a":2,"b":1}"#)
    let key = try bench.key("x")
    let item = try Item(text: #"{"a":3,"b":1}"#)
    // The first step notes the change.
    bench.disk.beforeStep = { disk in if disk.mark(of: key) == nil { disk.save(item, as: key) }
    }
    try bench.push()
    bench.disk.beforeStep = nil
    #expect(bench.writes() == [#"PATCH todoitem/x If-Match v1 {"a":3}"#])
    #expect(bench.differences == [])
  }

  @Test("a change that vanishes while the push is under way is not turned into a delete")
  mutating func vanishesInPush() throws {
    try bench.save("x", #"{"a":2,"b":1}"#)
    try bench.save("y", #"{"n":1}"#)
    let key = try bench.key("x")
    // The first step notes the changes: what was looked at is an update.
    bench.disk.beforeStep = { disk in
      if disk.mark(of: key) == nil { disk.save(nil as Item?, as: key) }
    }
    try bench.push()
    bench.disk.beforeStep = nil
    // No guard has seen this delete: it waits for the next push, and goes last.
    #expect(bench.writes() == [#"POST todoitem/y {"id":"y","n":1}"#])
    #expect(bench.standings == ["x pending delete"])
    #expect(try bench.push().words == ["x pushed delete"])
  }

  @Test("an item that is back when its delete is due is not deleted")
  mutating func backInPush() throws {
    let file = try #require(bench.item("x"))
    let item = try Item(text: file)
    try bench.save("x", nil)
    let key = try bench.key("x")
    bench.disk.beforeStep = { disk in
      if disk.mark(of: key) == nil { disk.save(item, as: key) }
    }
    try bench.push()
    bench.disk.beforeStep = nil
    #expect(bench.writes() == [])
    #expect(bench.row("x") == #"{"a":1,"b":1}"#)
  }

  /// Lets the user break a file while a write of it is under way.
  private mutating func breakInFlight(_ key: ItemKey) {
    bench.disk.beforeStep = { disk in
      if disk.attempts[key] != nil { disk.save(Array("{".utf8), as: key) }
    }
  }

  /// Lets the server stamp what is written next.
  private mutating func stampNext() {
    bench.line.fates = [
      .changing { item in
        var item = item
        item["c"] = "stamp"
        return item
      }
    ]
  }

  /// Sends a change of `x`, which the server stamps, and whose file is broken when that is answered.
  @discardableResult
  private mutating func leaveAnswerWaiting() throws -> ItemKey {
    try bench.save("x", #"{"a":2,"b":1}"#)
    let key = try bench.key("x")
    stampNext()
    breakInFlight(key)
    #expect(try bench.push().words == ["x pushed update", "x held"])
    bench.disk.beforeStep = nil
    return key
  }

  @Test("an answer to an item that can't be read waits until it can; its stamp is not taken back")
  mutating func answerToInvalid() throws {
    try leaveAnswerWaiting()
    // What is known to be done is not sent again.
    #expect(try bench.push().words == [])
    #expect(bench.writes().count == 1)
    try bench.pull()
    try bench.save("x", #"{"a":2,"b":5}"#)
    #expect(try bench.push().words == ["x merged", "x pushed update"])
    #expect(bench.item("x") == #"{"a":2,"b":5,"c":"stamp"}"#)
    #expect(bench.row("x") == #"{"a":2,"b":5,"c":"stamp"}"#)
    #expect(bench.differences == [])
  }

  @Test("what an answer brings that waits is known however the push is cut off", arguments: 0..<16)
  mutating func cutOffAtAnswer(step: Int) throws {
    try bench.save("x", #"{"a":2,"b":1}"#)
    let key = try bench.key("x")
    stampNext()
    var left = step
    bench.disk.beforeStep = { disk in
      if disk.attempts[key] != nil { disk.save(Array("{".utf8), as: key) }
      guard left > 0 else { throw MemoryDisk.Crash() }
      left -= 1
    }
    do { try bench.push() } catch is MemoryDisk.Crash {}
    bench.disk.beforeStep = nil
    try bench.push()
    #expect(try bench.disk.newestRow(of: key) == bench.server.rows[key])
    // Before it was sent nothing has broken it.
    guard try bench.disk.client(key).item == nil else { return }
    try bench.save("x", #"{"a":2,"b":5}"#)
    try bench.push()
    #expect(bench.row("x") == #"{"a":2,"b":5,"c":"stamp"}"#)
    #expect(bench.item("x") == bench.row("x"))
    #expect(bench.differences == [])
  }

  @Test(
    "an edit or a delete of what was sent, when its answer waits, stands whatever the rule says",
    arguments: [MergePolicy.Rule.server, .fields, .manual, .client], [#"{"a":" x y ","b":1}"#, nil])
  mutating func editOverAnswer(_ rule: MergePolicy.Rule, _ text: String?) throws {
    bench.settings.policies = [bench.table: MergePolicy(rule)]
    try bench.save("x", #"{"a":" x ","b":1}"#)
    let key = try bench.key("x")
    bench.line.fates = [
      .changing { item in
        var item = item
        item["a"] = "x"
        return item
      }
    ]
    breakInFlight(key)
    #expect(try bench.push().words == ["x pushed update", "x held"])
    bench.disk.beforeStep = nil
    try bench.save("x", text)
    try bench.push()
    #expect(bench.row("x") == text)
    #expect(bench.item("x") == text)
    #expect(bench.differences == [])
  }

  @Test("a newer row that comes while an answer waits isn't passed over")
  mutating func newerThanTheAnswer() throws {
    try leaveAnswerWaiting()
    try bench.elsewhere("x", #"{"a":2,"b":1,"c":"stamp","d":9}"#)
    try bench.pull()
    try bench.save("x", #"{"a":2,"b":5}"#)
    try bench.push()
    #expect(bench.row("x") == #"{"a":2,"b":5,"c":"stamp","d":9}"#)
    #expect(bench.item("x") == bench.row("x"))
    #expect(bench.differences == [])
  }

  @Test("an answer to an item that is saved all the time is brought to it in the end")
  mutating func answerToSavedAllTheTime() throws {
    try bench.save("x", #"{"a":2,"b":1}"#)
    let key = try bench.key("x")
    stampNext()
    var saves = 0
    bench.disk.beforeStep = { disk in
      // Ahead of each try to write what came with the answer.
      guard try disk.arrival(of: key) != nil, saves < 9 else { return }
      saves += 1
      disk.save(try Item(text: "{\"a\":2,\"b\":\(saves)}"), as: key)
    }
    #expect(try bench.push().words == ["x pushed update", "x held"])
    bench.disk.beforeStep = nil
    #expect(try bench.push().words == ["x merged", "x pushed update"])
    #expect(bench.item("x") == "{\"a\":2,\"b\":\(saves),\"c\":\"stamp\"}")
    #expect(bench.row("x") == bench.item("x"))
    #expect(bench.differences == [])
  }

  @Test("an answer to an item whose file was moved by hand waits until it is back")
  mutating func answerToMoved() throws {
    try bench.save("x", #"{"a":2,"b":1}"#)
    let key = try bench.key("x")
    let other = try bench.key("buy milk")
    stampNext()
    bench.disk.beforeStep = { disk in
      guard disk.attempts[key] != nil, disk.files[key] != nil else { return }
      disk.save(nil as Item?, as: key)
      disk.save(Array(#"{"id":"x","a":2,"b":1}"#.utf8), as: other)
    }
    #expect(try bench.push().words == ["x pushed update", "x held"])
    bench.disk.beforeStep = nil
    bench.disk.save(nil as Item?, as: other)
    try bench.save("x", #"{"a":2,"b":1}"#)
    #expect(try bench.push().words == ["x updated"])
    #expect(bench.row("x") == #"{"a":2,"b":1,"c":"stamp"}"#)
    #expect(bench.item("x") == bench.row("x"))
    #expect(bench.differences == [])
  }

  @Test("another's row is not brought beside the file to which its new item was moved")
  mutating func rowBesideMoved() throws {
    let key = try bench.key("milk")
    let other = try bench.key("y")
    try bench.save("milk", #"{"a":1}"#)
    bench.line.fates = [.lost]
    try bench.push()
    try bench.elsewhere("milk", #"{"a":9}"#)
    bench.disk.save(nil as Item?, as: key)
    bench.disk.save(Array(#"{"id":"milk","a":1}"#.utf8), as: other)
    #expect(Set(try bench.push().words) == ["milk held"])
    #expect(bench.item("milk") == nil)
    bench.disk.save(nil as Item?, as: other)
    try bench.save("milk", #"{"a":1}"#)
    #expect(try bench.push().words == ["milk conflict AA"])
    #expect(bench.row("milk") == #"{"a":9}"#)
  }

  @Test("a write that was refused, of an item whose file was moved since, is over")
  mutating func refusedAndMoved() throws {
    let key = try bench.key("x")
    let other = try bench.key("y")
    try bench.save("x", #"{"a":2,"b":1}"#)
    bench.line.fates = [.lost]
    try bench.push()
    try bench.elsewhere("x", #"{"a":1,"b":7}"#)
    bench.disk.save(nil as Item?, as: key)
    bench.disk.save(Array(#"{"id":"x","a":2,"b":1}"#.utf8), as: other)
    #expect(try bench.push().words == ["x held"])
    let tried = bench.server.attempts
    try bench.push()
    #expect(bench.server.attempts == tried)
    bench.disk.save(nil as Item?, as: other)
    try bench.save("x", #"{"a":2,"b":1}"#)
    #expect(try bench.push().words == ["x merged", "x pushed update"])
    #expect(bench.row("x") == #"{"a":2,"b":7}"#)
    #expect(bench.differences == [])
  }

  @Test("an item that is restored where an answer waits is as the answer says")
  mutating func restoredWithAnswer() throws {
    let key = try leaveAnswerWaiting()
    #expect(
      try bench.disk.restore(
        key, settings: bench.settings, discarding: { $0.save(nil as Item?, as: key) }))
    #expect(bench.item("x") == #"{"a":2,"b":1,"c":"stamp"}"#)
    #expect(bench.differences == [])
    #expect(try bench.push().words == [])
  }

  @Test("a row that comes while its item is invalid waits, and is merged when it is valid again")
  mutating func held() throws {
    try bench.elsewhere("x", #"{"a":1,"b":2}"#)
    try bench.save("x", #"{"a":2,"b":1}"#)
    let key = try bench.key("x")
    // The user breaks the file just after it was read for sending.
    bench.ahead(of: 2) { $0.save(Array("{".utf8), as: key) }
    let report = try bench.push()
    bench.disk.beforeStep = nil
    #expect(report.words == ["x held"])
    try bench.save("x", #"{"a":2,"b":1}"#)
    let second = try bench.push()
    #expect(second.words == ["x merged", "x pushed update"])
    #expect(bench.item("x") == #"{"a":2,"b":2}"#)
    #expect(bench.differences == [])
  }

  @Test("an edit back to what the tombstone had, while the undelete is under way, stays")
  mutating func editOfUndelete() throws {
    try bench.elsewhere("x", nil)
    try bench.pull()
    try bench.save("x", #"{"a":2,"b":1}"#)
    let sent = try Item(text: #"{"a":2,"b":1}"#)
    bench.line.fates = [.changing { _ in sent }]
    try saveInFlight(#"{"a":1,"b":1}"#)
    try bench.push()
    bench.disk.beforeStep = nil
    #expect(bench.item("x") == #"{"a":1,"b":1}"#)
    try bench.push()
    #expect(bench.row("x") == #"{"a":1,"b":1}"#)
    #expect(bench.differences == [])
  }

  @Test(
    "what is in no file any more is only read; where that fails, the change behind it waits",
    arguments: [#"{"n":1}"#, #"{"n":3}"#, nil])
  mutating func droppedText(_ now: String?) throws {
    try bench.share("x", #"{"n":1}"#)
    try bench.save("x", #"{"n":2}"#)
    bench.line.fates = [.lost]
    #expect(try bench.push().words == ["x unknown"])
    try bench.save("x", now)
    bench.line.canRead = false
    #expect(try bench.push().words == ["x unknown"])
    bench.line.canRead = true
    bench.line.refusesReading = "not now"
    #expect(try bench.push().words == ["x unknown"])
    bench.line.refusesReading = nil
    #expect(bench.line.log.writes.count == 1)
    try bench.push()
    #expect(bench.line.log.writes.count { $0.contains(#""n":2"#) } == 1)
    #expect(bench.differences == [])
    #expect(bench.row("x") == now)
  }
}
