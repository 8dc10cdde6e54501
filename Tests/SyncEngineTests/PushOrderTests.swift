import SyncEngine
import SyncModel
import TestSupport
import Testing

@Suite("What a push sends, and in which order") struct PushOrderTests {
  private var bench: Bench

  init() throws {
    bench = try Bench()
  }

  @Test("a new item that is gone before the push is never sent", arguments: [true, false])
  mutating func insertThenDelete(byCommand: Bool) throws {
    try bench.save("x", #"{"a":1}"#)
    bench.line.fates = [.notSent(ScriptedLine.cut)]
    try bench.push()
    _ = bench.writes()
    if byCommand {
      #expect(try bench.disk.remove(try bench.key("x")))
    } else {
      try bench.save("x", nil)
    }
    try bench.push()
    #expect(bench.writes() == [])
    #expect(bench.differences == [])
  }

  /// Gives the item `x` the id `y`, as `tsync mv` does.
  private mutating func rename(_ text: String) throws {
    try bench.share("x", #"{"a":1}"#)
    try bench.save("y", text)
    try bench.save("x", nil)
    try bench.mark("x", .removed(after: ItemID("y")))
  }

  @Test("an item that has another id now is deleted by its old one when the server has the new one")
  mutating func renamed() throws {
    try rename(#"{"text":"refuse me"}"#)
    #expect(bench.standings == ["y pending insert", "x delete waits for y"])
    #expect(try bench.push().words == ["y rejected 400"])
    #expect(try bench.push(only: ["x"]).words == [])
    #expect(bench.row("x") == #"{"a":1}"#)
    // Not before its outcome is known, either.
    try bench.save("y", #"{"a":1}"#)
    bench.line.fates = [.broken, .broken]
    bench.line.canRead = false
    #expect(try bench.push().words == ["y unknown"])
    #expect(bench.standings == ["y unknown insert", "x delete waits for y"])
    bench.line.canRead = true
    bench.line.fates = []
    _ = bench.writes()
    #expect(try bench.push().words == ["y pushed insert", "x pushed delete"])
    #expect(bench.writes().map { $0.prefix(6) } == ["POST t", "DELETE"])
    #expect(bench.differences == [])
  }

  @Test("who pushes an item under its new id pushes the delete of its old one, too")
  mutating func renamedAndNamed() throws {
    try rename(#"{"a":1}"#)
    #expect(try bench.push(only: ["y"]).words == ["y pushed insert", "x pushed delete"])
    #expect(bench.differences == [])
  }

  @Test("an edit of the new item that the server doesn't take keeps the old row")
  mutating func renamedAndUndeleted() throws {
    try bench.share("y", #"{"text":"former"}"#)
    try bench.elsewhere("y", nil)
    try bench.pull()
    try rename(#"{"text":"refuse me"}"#)
    // The undelete brings the former row, the update what is wanted.
    #expect(try bench.push().words.last == "y rejected 400")
    #expect(bench.row("x") == #"{"a":1}"#)
  }

  @Test("a write of an item from before it was moved doesn't end the wait for its new id")
  mutating func renamedUnderAnOpenWrite() throws {
    try bench.share("x", #"{"a":0}"#)
    try bench.save("x", #"{"a":1}"#)
    bench.line.fates = [.replyLost]
    try bench.push()
    try bench.save("y", #"{"text":"refuse me"}"#)
    try bench.save("x", nil)
    try bench.mark("x", .removed(after: ItemID("y")))
    #expect(try bench.push().words == ["x already update", "y rejected 400"])
    #expect(bench.row("x") == #"{"a":1}"#)
    #expect(try bench.disk.isRemoved(bench.key("x")))
  }

  @Test("a decision on a conflict of an item that was moved doesn't end the wait for its new id")
  mutating func renamedAndResolved() throws {
    try rename(#"{"text":"refuse me"}"#)
    try bench.elsewhere("x", #"{"a":5}"#)
    try bench.pull()
    try bench.resolve("x", .client)
    #expect(bench.standings == ["y pending insert", "x delete waits for y"])
    #expect(try bench.push().words == ["y rejected 400"])
    #expect(bench.row("x") == #"{"a":5}"#)
  }

  @Test("where both sides of a conflict are kept, a moved item's delete waits for the copy")
  mutating func renamedAndCopied() throws {
    try rename(#"{"text":"refuse me"}"#)
    try bench.elsewhere("y", #"{"text":"theirs"}"#)
    try bench.pull()
    try bench.resolve("y", .both(try ItemID("copy")))
    #expect(bench.standings == ["copy pending insert", "x delete waits for copy"])
    #expect(try bench.push().words == ["copy rejected 400"])
    #expect(bench.row("x") == #"{"a":1}"#)
  }

  @Test("an item that is removed under its new id is deleted by its old one")
  mutating func renamedAndRemoved() throws {
    try rename(#"{"text":"refuse me"}"#)
    try bench.push()
    #expect(try bench.disk.remove(try bench.key("y")))
    #expect(try bench.push().words == ["x pushed delete"])
    #expect(bench.differences == [])
  }

  @Test("nor is it waited for where the server has it already")
  mutating func renamedOverAnotherAndRemoved() throws {
    try bench.share("y", #"{"a":9}"#)
    try rename(#"{"a":1}"#)
    #expect(try bench.disk.remove(try bench.key("y")))
    #expect(Set(bench.standings) == ["x pending delete", "y pending delete"])
    #expect(try bench.push().pushed == 2)
    #expect(bench.differences == [])
  }

  @Test("a file that is no item when its turn comes is not sent, nor is the item deleted")
  mutating func becomesInvalid() throws {
    try bench.share("x", #"{"a":1}"#)
    let key = try bench.key("x")
    for text in [#"{"a":2}"#, nil] {
      try bench.save("x", text)
      // The first step notes the change, when it was seen already.
      bench.disk.beforeStep = { $0.save(Array("{".utf8), as: key) }
      try bench.push()
      bench.disk.beforeStep = nil
      #expect(bench.writes() == [])
      #expect(bench.standings == ["x invalid todoitem/x"])
    }
  }

  @Test("what is missing is not deleted where a stray file came after the look")
  mutating func strayAfterTheLook() throws {
    for id in ["x", "y"] { try bench.share(id, #"{"a":1}"#) }
    try bench.save("x", nil)
    #expect(try bench.disk.remove(try bench.key("y")))
    let place = try bench.key("b")
    bench.disk.beforeStep = { $0.save(Array(#"{"id":"c"}"#.utf8), as: place) }
    try bench.push()
    bench.disk.beforeStep = nil
    #expect(bench.writes().map { $0.prefix(17) } == ["DELETE todoitem/y"])
    #expect(bench.row("x") == #"{"a":1}"#)
    bench.disk.save(nil as [UInt8]?, as: place)
    #expect(try bench.push().words == ["x pushed delete"])
  }

  @Test("an item whose file was moved again by hand is not deleted by its old id")
  mutating func renamedAndMoved() throws {
    try rename(#"{"a":1}"#)
    try bench.save("y", nil)
    var disk = StrayDisk(memory: bench.disk)
    let file = InvalidItem(place: "z.json", message: "no", otherID: try bench.key("y").id)
    disk.more = [Candidate(key: nil, client: .invalid(file), modified: 0)]
    var report = PushReport()
    try Push(settings: bench.settings).run(
      [bench.table], on: &disk, to: &bench.line, report: &report)
    #expect(bench.writes() == [])
  }

  @Test("only the fields that changed are sent, a removed one as null")
  mutating func fields() throws {
    try bench.share("x", #"{"a":1,"b":1,"c":{"d":1}}"#)
    try bench.save("x", #"{"c":{"d":2},"a":1.0,"e":null}"#)
    try bench.push()
    #expect(bench.writes() == [#"PATCH todoitem/x If-Match v1 {"c":{"d":2},"b":null}"#])
    #expect(bench.row("x") == #"{"a":1,"c":{"d":2}}"#)
  }

  @Test(
    "changes go by the times of their files, deletes by those of their commands; what vanished goes last"
  )
  mutating func deletesInOrder() throws {
    for id in ["a", "b", "c"] { try bench.share(id, #"{"n":1}"#) }
    try bench.save("b", #"{"n":2}"#)
    try bench.save("a", #"{"n":2}"#)
    bench.line.fates = [.notSent(ScriptedLine.cut)]
    try bench.push()
    _ = bench.writes()
    _ = try bench.disk.remove(try bench.key("b"))
    try bench.save("c", nil)
    try bench.save("new", #"{"n":2}"#)
    try bench.push()
    #expect(
      bench.writes().map { String($0.prefix { $0 != "{" }) } == [
        "PATCH todoitem/a If-Match v1 ", "DELETE todoitem/b If-Match v2", "POST todoitem/new ",
        "DELETE todoitem/c If-Match v3",
      ])
  }

  @Test("a selection sends what was named and nothing else, also of what is unknown")
  mutating func selection() throws {
    for id in ["a", "b"] { try bench.save(id, #"{"n":1}"#) }
    bench.line.fates = [.lost]
    try bench.push(only: ["a"])
    try bench.push(only: ["b"])
    #expect(
      bench.writes() == [
        #"POST todoitem/a {"id":"a","n":1}"#, #"POST todoitem/b {"id":"b","n":1}"#,
      ])
    #expect(bench.standings == ["a unknown insert"])
    try bench.push()
    #expect(bench.differences == [])
  }

  @Test("nothing is sent before its attempt is durable")
  mutating func durableFirst() throws {
    try bench.save("x", #"{"n":1}"#)
    let key = try bench.key("x")
    var random = SplitMix64(seed: 1)
    // The power goes at the step after the sending; the attempt must still be there.
    bench.disk.beforeStep = { [log = bench.line.log] _ in
      if !log.writes.isEmpty { throw MemoryDisk.Crash() }
    }
    #expect(throws: MemoryDisk.Crash.self) { try bench.push() }
    bench.disk.beforeStep = nil
    for _ in 0..<20 {
      bench.disk.losePower(&random)
      #expect(bench.disk.attempts[key]?.kind == .insert)
    }
  }

  @Test("progress counts the replies up to all")
  mutating func progress() throws {
    for id in ["a", "b", "c"] { try bench.save(id, #"{"n":1}"#) }
    var told: [String] = []
    var report = PushReport()
    try Push(settings: bench.settings, progress: { told.append("\($0)/\($1)") }).run(
      [bench.table], on: &bench.disk, to: &bench.line, report: &report)
    #expect(told == ["1/3", "2/3", "3/3"])
    #expect(report.pushed == 3 && report.rejected == 0 && report.conflicts == 0)
  }

  @Test("changes of several tables are sent in their order across them")
  mutating func tables() throws {
    let other = try TableName("other")
    try bench.save("a", #"{"n":1}"#)
    bench.disk.save(try Item(text: #"{"n":1}"#), as: ItemKey(other, try ItemID("b")))
    try bench.save("c", #"{"n":1}"#)
    var report = PushReport()
    try Push(settings: bench.settings).run(
      [bench.table, other], on: &bench.disk, to: &bench.line, report: &report)
    #expect(
      bench.writes().map { $0.prefix { $0 != "{" } } == [
        "POST todoitem/a ", "POST other/b ", "POST todoitem/c ",
      ])
  }
}
