import SyncEngine
import SyncModel
import TestSupport
import Testing

@Suite("When a push stops rather than guess") struct PushGuardTests {
  private var bench: Bench

  init() throws {
    bench = try Bench()
    for number in 0..<10 { try bench.elsewhere("n\(number)", #"{"a":1}"#) }
    try bench.pull()
  }

  /// What stops a push of files that have vanished, of so many: the items of these numbers.
  private func vanished(_ numbers: Range<Int>, of live: Int = 10) -> Stop {
    let keys = numbers.compactMap { try? bench.key("n\($0)") }
    return .unsafe(.unmeant(.missing(keys, of: live, in: bench.table)))
  }

  @Test("a row that somebody has added doesn't speak for the files that have vanished")
  mutating func added() throws {
    for number in 0..<10 { try bench.save("n\(number)", nil) }
    try bench.elsewhere("new", #"{"a":1}"#)
    try bench.pull()
    #expect(throws: vanished(0..<10, of: 11)) { try bench.push() }
    #expect(bench.writes() == [])
  }

  @Test("where everything vanished nothing is sent, also of other changes")
  mutating func all() throws {
    for number in 0..<10 { try bench.save("n\(number)", nil) }
    try bench.save("new", #"{"a":1}"#)
    #expect(throws: vanished(0..<10)) { try bench.push() }
    #expect(bench.writes() == [])
    #expect(bench.standings.count == 11)
  }

  @Test("what vanished is deleted where the user said how much may be")
  mutating func allowed() throws {
    for number in 0..<10 { try bench.save("n\(number)", nil) }
    bench.settings.maxDelete = 9
    #expect(throws: vanished(0..<10)) { try bench.push() }
    bench.settings.maxDelete = 10
    #expect(try bench.push().pushed == 10)
    #expect(bench.differences == [])
  }

  @Test("a limit of none stops the first file that vanished")
  mutating func none() throws {
    try bench.save("n1", nil)
    bench.settings.maxDelete = 0
    #expect(throws: vanished(1..<2)) { try bench.push() }
    #expect(bench.writes() == [])
  }

  @Test("what a command deleted needs no guard, and doesn't count")
  mutating func commanded() throws {
    for number in 0..<9 { #expect(try bench.disk.remove(try bench.key("n\(number)"))) }
    try bench.save("n9", nil)
    #expect(try bench.push().pushed == 10)
    #expect(bench.differences == [])
  }

  @Test("what vanished under a new id has vanished under its former one")
  mutating func renamed() throws {
    for number in 0..<10 {
      try bench.save("n\(number)", nil)
      try bench.mark("n\(number)", .removed(after: ItemID(Text("new\(number)"))))
    }
    #expect(throws: vanished(0..<10)) { try bench.push() }
    for number in 0..<10 {
      try bench.mark("new\(number)", .removed())
    }
    // A push of something else doesn't forget that they were removed.
    try bench.push(only: [])
    #expect(try bench.push().pushed == 10)
  }

  @Test("what vanishes under its new id while a push is under way isn't deleted by its former one")
  mutating func renamedAndVanishing() throws {
    try bench.save("n0", nil)
    try bench.save("new", #"{"a":1}"#)
    let new = try bench.key("new")
    try bench.mark("n0", .removed(after: new.id))
    // What the push writes down first comes after it has looked.
    bench.disk.beforeStep = { $0.save(nil as Item?, as: new) }
    try bench.push()
    bench.disk.beforeStep = nil
    #expect(bench.writes() == [])
    #expect(bench.row("n0") != nil)
  }

  @Test("what was removed by a command, or is in conflict, doesn't speak for the rest")
  mutating func others() throws {
    #expect(try bench.disk.remove(try bench.key("n0")))
    try bench.elsewhere("n1", #"{"a":2}"#)
    try bench.save("n1", nil)
    try bench.pull()
    #expect(bench.disk.inConflict.count == 1)
    for number in 2..<10 { try bench.save("n\(number)", nil) }
    #expect(throws: vanished(2..<10)) { try bench.push() }
    #expect(bench.writes() == [])
    #expect(try bench.push(only: ["n2", "n3", "n4"]).pushed == 3)
  }

  @Test("an item that the server is not known to have speaks for nothing, and takes nothing away")
  mutating func unknownOthers() throws {
    for number in 3..<10 { #expect(try bench.disk.remove(try bench.key("n\(number)"))) }
    try bench.push()
    try bench.save("new", #"{"a":1}"#)
    try bench.elsewhere("new", #"{"a":2}"#)
    try bench.pull()
    #expect(bench.standings == ["new conflict AA"])
    for id in ["n0", "n1", "n2", "new"] { try bench.save(id, nil) }
    #expect(throws: vanished(0..<3, of: 3)) { try bench.push() }
  }

  @Test("a server that has no trace of many rows is not believed")
  mutating func absent() throws {
    for number in 0..<5 { try bench.elsewhere("m\(number)", #"{"a":1}"#) }
    try bench.pull()
    for number in 0..<6 {
      try bench.save("n\(number)", #"{"a":2}"#)
      bench.server.deleteForGood(try bench.key("n\(number)"))
    }
    #expect(throws: Stop.unsafe(.rowsAreGone(6, of: 6))) { try bench.push() }
    // Nothing was decided: every item is as it was, and no conflict was laid.
    for number in 0..<6 { #expect(bench.item("n\(number)") == #"{"a":2}"#) }
    #expect(bench.disk.inConflict.isEmpty)
    #expect(bench.standings.count == 6)
    // The way on that was named is open.
    #expect(bench.disk.attempts.isEmpty)
    try bench.pull(full: true)
    #expect(bench.disk.inConflict.count == 6)
  }

  @Test("rows of which there is no trace count over all tables of a push, however it is split")
  mutating func absentInTables() throws {
    let tables = [bench.table, try TableName("other")]
    for number in 0..<6 {
      for table in tables {
        let key = ItemKey(table, try ItemID(Text("o\(number)")))
        let row = bench.server.store(try Item(text: #"{"a":1}"#), key, by: 2, over: nil)
        try bench.disk.setBase([row], in: table, durably: true)
        bench.disk.save(try Item(text: #"{"a":2}"#), as: key)
        bench.server.deleteForGood(key)
      }
    }
    var report = PushReport()
    #expect(throws: Stop.unsafe(.rowsAreGone(6, of: 12))) {
      try Push(settings: bench.settings).run(
        tables, on: &bench.disk, to: &bench.line, report: &report)
    }
    #expect(bench.disk.inConflict.count <= 5)
  }

  @Test("a command's delete whose item has come back stands for no file that vanishes later")
  mutating func takenBack() throws {
    for number in 0..<9 {
      #expect(try bench.disk.remove(try bench.key("n\(number)")))
      try bench.elsewhere("n\(number)", #"{"a":2}"#)
    }
    try bench.pull()
    for number in 0..<9 { try bench.resolve("n\(number)", .server) }
    for number in 0..<10 { try bench.save("n\(number)", nil) }
    #expect(throws: vanished(0..<10)) { try bench.push() }
    #expect(bench.writes() == [])
  }

  @Test(
    "a command's delete that the table's rule has taken back stands for no file that vanishes later"
  )
  mutating func takenBackByRule() throws {
    bench.settings.policies = [bench.table: MergePolicy(.server)]
    for number in 0..<9 {
      #expect(try bench.disk.remove(try bench.key("n\(number)")))
      try bench.elsewhere("n\(number)", #"{"a":2}"#)
    }
    try bench.pull()
    for number in 0..<10 { try bench.save("n\(number)", nil) }
    #expect(throws: vanished(0..<10)) { try bench.push() }
    #expect(bench.writes() == [])
  }
}
