import SyncEngine
import SyncModel
import TestSupport
import Testing

@Suite("Writes that get no whole answer") struct PushCutTests {
  private var bench: Bench

  init() throws {
    bench = try Bench()
  }

  /// The ids of the writes since the last look, in their order.
  private func sentIDs() -> [String] {
    bench.writes().map { String($0.split(separator: " ")[1].split(separator: "/").last ?? "") }
  }

  /// Cuts the writes of some items, always.
  private mutating func cut(_ ids: String..., timedOut: Bool = false) {
    bench.line.always = { ids.contains($0.key.id.text.string) ? .cut(timedOut: timedOut) : nil }
  }

  @Test("one item that never gets through keeps no other away, and is sent again alone at the end")
  mutating func poison() throws {
    for id in ["a", "b", "c", "d"] { try bench.save(id, #"{"n":1}"#) }
    cut("b")
    let report = try bench.push()
    #expect(report.stop == nil)
    #expect(
      report.words == [
        "a pushed insert", "b cut", "c pushed insert", "d pushed insert", "b cut",
      ])
    #expect(sentIDs() == ["a", "b", "c", "d", "b"])
    #expect(bench.standings == ["b unknown insert"])
    // So in every later push, after all others.
    try bench.save("e", #"{"n":1}"#)
    #expect(try bench.push().words == ["e pushed insert", "b cut"])
    #expect(sentIDs() == ["e", "b"])
    bench.line.always = nil
    #expect(try bench.push().words == ["b pushed insert"])
    #expect(bench.differences == [])
  }

  @Test("a write that timed out is not sent again in the same push")
  mutating func timedOut() throws {
    for id in ["a", "b", "c"] { try bench.save(id, #"{"n":1}"#) }
    cut("b", timedOut: true)
    #expect(try bench.push().words == ["a pushed insert", "b cut", "c pushed insert"])
    #expect(sentIDs() == ["a", "b", "c"])
  }

  @Test("where the reading fails too, the push ends, and what was sent stays unknown")
  mutating func lineIsDown() throws {
    for id in ["a", "b", "c"] { try bench.save(id, #"{"n":1}"#) }
    bench.line.fates = [.answered, .lost]
    let report = try bench.push()
    #expect(report.stop == ScriptedLine.cut)
    #expect(report.words == ["a pushed insert", "b unknown"])
    #expect(report.unsent == 2)
    #expect(try bench.push().words == ["c pushed insert", "b pushed insert"])
    #expect(bench.differences == [])
  }

  @Test("a write that was cut and done is done", arguments: Operation.Kind.allCases)
  mutating func done(_ kind: Operation.Kind) throws {
    try bench.pend(kind)
    bench.line.fates = [.replyCut]
    let words = try bench.push().words
    #expect(words.first == (kind == .undelete ? "x pushed update" : "x already \(kind)"))
    #expect(bench.row("x") == bench.sent(kind))
    #expect(bench.differences == [])
  }

  @Test("a cut write that the server does late is found done", arguments: Operation.Kind.allCases)
  mutating func doneLate(_ kind: Operation.Kind) throws {
    try bench.pend(kind)
    bench.line.always = { _ in .cut(timedOut: true) }
    #expect(try bench.push().words == ["x cut"])
    let attempt = try #require(bench.disk.attempts[bench.key("x")])
    let base = try bench.disk.base(of: attempt.key).row
    _ = ModelBackend(to: bench.server, client: 1).handle(Operation(attempt, over: base))
    let count = bench.server.writes.count
    bench.line.always = nil
    let report = try bench.push()
    #expect(report.conflicts == 0 && report.rejected == 0)
    #expect(bench.row("x") == bench.sent(kind))
    // An undelete leaves the fields to a second write.
    #expect(bench.server.writes.count == count + (kind == .undelete ? 1 : 0))
    #expect(bench.differences == [])
  }

  @Test("what an edited file says takes the place of an open write", arguments: [true, false])
  mutating func edited(isDone: Bool) throws {
    try bench.pend(.update)
    bench.line.always = { _ in isDone ? .replyCut : .cut() }
    bench.line.canRead = false
    try bench.push()
    bench.line.canRead = true
    bench.line.always = nil
    try bench.save("x", #"{"a":3}"#)
    _ = bench.writes()
    let words = try bench.push().words
    #expect(words == (isDone ? ["x already update", "x pushed update"] : ["x pushed update"]))
    #expect(bench.writes().allSatisfy { $0.contains(#"{"a":3}"#) })
    #expect(bench.row("x") == #"{"a":3}"#)
    #expect(bench.differences == [])
  }

  @Test("an edited item whose row can't be read keeps no other away")
  mutating func unreadable() throws {
    for id in ["a", "b"] { try bench.save(id, #"{"n":1}"#) }
    bench.line.fates = [.lost]
    try bench.push()
    try bench.save("a", #"{"n":2}"#)
    bench.line.canRead = false
    bench.line.always = { $0.key.id.text == "a" ? .cut() : nil }
    let report = try bench.push()
    #expect(report.stop == nil)
    #expect(report.words == ["a unknown", "b pushed insert"])
    bench.line.canRead = true
    bench.line.always = nil
    try bench.push()
    #expect(bench.row("a") == #"{"n":2}"#)
    #expect(bench.differences == [])
  }

  @Test("an item that is as before a cut write of it needs no other one")
  mutating func restored() throws {
    try bench.pend(.update)
    cut("x", timedOut: true)
    try bench.push()
    try bench.save("x", #"{"a":1}"#)
    _ = bench.writes()
    #expect(try bench.push().words == [])
    #expect(bench.writes() == [])
    #expect(bench.differences == [])
  }

  @Test("a new item that was removed again isn't made")
  mutating func removed() throws {
    try bench.pend(.insert)
    cut("x", timedOut: true)
    try bench.push()
    #expect(try bench.disk.remove(bench.key("x")))
    _ = bench.writes()
    #expect(try bench.push().words == [])
    #expect(bench.writes() == [])
    #expect(bench.differences == [])
  }

  @Test("an item that is edited while its write is cut is sent as it is then", arguments: 1..<10)
  mutating func editedMeanwhile(step: Int) throws {
    try bench.pend(.update)
    let (key, edit) = (try bench.key("x"), try Item(text: #"{"a":3}"#))
    bench.line.fates = [.cut()]
    bench.ahead(of: step) { $0.save(edit, as: key) }
    try bench.push()
    bench.disk.beforeStep = nil
    try bench.save("x", #"{"a":3}"#)
    try bench.push()
    #expect(bench.row("x") == #"{"a":3}"#)
    #expect(bench.differences == [])
  }

  @Test("five cut on end of one kind: the rest of that kind waits, all others go")
  mutating func manyCut() throws {
    for number in 10..<18 { try bench.share("u\(number)", #"{"n":1}"#) }
    for number in 10..<18 { try bench.save("u\(number)", #"{"n":2}"#) }
    for number in 10..<30 { try bench.save("i\(number)", #"{"n":1}"#) }
    bench.line.always = { $0.kind == .update ? .cut() : nil }
    let report = try bench.push()
    #expect(report.stop == nil)
    #expect(report.pushed == 20)
    #expect(report.words.count { $0.hasSuffix("cut") } == 5)
    // Those that were cut are told, and wait beside them.
    #expect(report.unsent == 3)
    // Of those that are open the least tried go first, so that none keeps others away for ever.
    for _ in 0..<2 { try bench.push() }
    let tries = bench.disk.attempts.values.map(\.tries)
    #expect(tries.count == 8)
    bench.line.always = { $0.kind == .update && $0.key.id.text != "u17" ? .cut() : nil }
    for _ in 0..<2 { try bench.push() }
    #expect(bench.row("u17") == #"{"n":2}"#)
    bench.line.always = nil
    try bench.push()
    #expect(bench.differences == [])
  }

  @Test("writes that are done without an answer are no cuts")
  mutating func allDone() throws {
    for number in 10..<20 { try bench.save("i\(number)", #"{"n":1}"#) }
    bench.line.always = { _ in .replyCut }
    let report = try bench.push()
    #expect(report.pushed == 10 && report.unsent == 0)
    #expect(bench.differences == [])
  }

  @Test("cuts that end are no reason to wait")
  mutating func cutsEnd() throws {
    for number in 10..<30 { try bench.save("i\(number)", #"{"n":1}"#) }
    bench.line.fates = Array(repeating: .cut(), count: 4)
    let report = try bench.push()
    #expect(report.pushed == 20 && report.unsent == 0)
    #expect(bench.differences == [])
  }

  @Test("after a cut its row is read before anything else is sent")
  mutating func readAtOnce() throws {
    for number in 10..<16 { try bench.save("i\(number)", #"{"n":1}"#) }
    bench.line.beforeSending = { [log = bench.line.log] in log.writes.append("— /—") }
    bench.line.fates = [.answered, .answered, .cut()]
    try bench.push()
    #expect(
      sentIDs() == ["—", "i10", "—", "i11", "i12", "—", "i13", "i14", "i15", "—", "i12"])
  }

  @Test("an answer with the row from before the known one is no result either")
  mutating func twoBehind() throws {
    let first = try bench.elsewhere("x", #"{"a":0}"#)
    try bench.pull()
    try bench.pend(.update)
    bench.line.fates = [.reply(.done(first))]
    #expect(try bench.push().words == ["x rejected 200"])
    #expect(bench.item("x") == #"{"a":2}"#)
  }

  @Test("a new row that the server has filled in is done, whatever id it gave")
  mutating func filledIn() throws {
    try bench.save("hello", #"{"a":1}"#)
    let row = Row(
      id: try ItemID("17"), item: try Item(text: #"{"a":1,"b":false}"#), version: nil,
      updatedAt: nil)
    bench.line.fates = [.reply(.done(row))]
    #expect(try bench.push().words == ["hello pushed insert"])
    #expect(bench.item("17") == #"{"a":1,"b":false}"#)
  }

  @Test("an answer with the row from before the write is no result", arguments: [true, false])
  mutating func formerRow(isDone: Bool) throws {
    try bench.pend(.update)
    let former = try bench.known("x")
    let server = bench.server
    bench.line.beforeWrite = { [key = former.id, table = bench.table] in
      guard isDone else { return }
      _ = server.store(
        try? Item(text: #"{"a":2}"#), ItemKey(table, key), by: 1, over: former)
    }
    bench.line.fates = [.reply(.done(former))]
    let report = try bench.push()
    #expect(report.words == (isDone ? ["x already update"] : ["x rejected 200"]))
    #expect(bench.item("x") == #"{"a":2}"#)
    if case .rejected(let rejection)? = report.events.last?.what {
      #expect(rejection.refusal.words == "the server kept the row as it was")
    }
    // A replica may have it only a moment later.
    #expect(bench.line.log.readings.count == (isDone ? 1 : 2))
  }
}
