import SyncEngine
import SyncModel
import TestSupport
import Testing

@Suite("A server that was put back from a backup") struct LostRowsTests {
  private var bench: Bench

  init() throws {
    bench = try Bench()
    bench.line.commitsInOrder = true
    for number in 0..<5 { try bench.elsewhere("n\(number)", #"{"a":1}"#) }
    try bench.pull()
  }

  private static let stop = Stop.unsafe(.wentBack())

  @Test("is found out by the newest row that was pulled", arguments: [true, false])
  mutating func pulled(inOrder: Bool) throws {
    bench.line.commitsInOrder = inOrder
    try bench.elsewhere("n0", nil)
    let backup = bench.server.rows
    try bench.elsewhere("new", #"{"a":1}"#)
    try bench.pull()
    bench.server.putBack(backup)
    let token = try bench.disk.token(of: Feed(bench.table))
    for _ in 0..<2 { #expect(throws: Self.stop) { try bench.pull() } }
    #expect(bench.item("new") == #"{"a":1}"#)
    #expect(try bench.disk.token(of: Feed(bench.table)) == token)
  }

  @Test("is found out by a row that was pushed, also where no row was ever pulled")
  mutating func pushed() throws {
    for empty in [false, true] {
      if empty {
        bench.server.putBack([:])
        bench.disk = MemoryDisk()
        try bench.pull()
      }
      let backup = bench.server.rows
      try bench.save("mine", #"{"a":1}"#)
      try bench.push()
      bench.server.putBack(backup)
      #expect(throws: Self.stop) { try bench.pull() }
    }
  }

  @Test("is found out by the pull after a push that came first")
  mutating func pushedAfter() throws {
    for isPushed in [false, true] {
      let backup = bench.server.rows
      try bench.elsewhere("lost \(isPushed)", #"{"a":1}"#)
      try bench.pull()
      if isPushed {
        try bench.save("lost, too", #"{"a":1}"#)
        try bench.push()
      }
      bench.server.putBack(backup)
      try bench.save("mine \(isPushed)", #"{"a":1}"#)
      try bench.push()
      #expect(throws: Self.stop) { try bench.pull() }
      bench.settings.maxDelete = 9
      try bench.pull(full: true)
      #expect(try bench.pull().words == [])
    }
  }

  @Test("is found out by a row that was changed, also several times", arguments: [1, 2])
  mutating func changed(times: Int) throws {
    let backup = bench.server.rows
    for number in 0..<times { try bench.elsewhere("n4", #"{"a":\#(number + 2)}"#) }
    try bench.pull()
    bench.server.putBack(backup)
    #expect(throws: Self.stop) { try bench.pull() }
  }

  @Test("nothing of what others have written since is taken, however many pages it has")
  mutating func afterwards() throws {
    let backup = bench.server.rows
    try bench.elsewhere("lost", #"{"a":1}"#)
    try bench.pull()
    bench.server.putBack(backup)
    for number in 0..<10 { try bench.elsewhere("later\(number)", #"{"a":1}"#) }
    let token = try bench.disk.token(of: Feed(bench.table))
    #expect(throws: Self.stop) { try bench.pull() }
    #expect(bench.disk.files.count == 6)
    #expect(try bench.disk.token(of: Feed(bench.table)) == token)
  }

  @Test(
    "a row that others have changed or deleted is read by its id where it comes late, and is no loss"
  )
  mutating func others() throws {
    bench.line.pageSize = 2
    bench.settings.maxDelete = 5
    for text in [#"{"a":2}"#, nil, #"{"a":3}"#] {
      for number in 0..<4 { try bench.elsewhere("n\(number)", text) }
      try bench.elsewhere("n4", text)
      let count = bench.line.log.readings.count
      #expect(try bench.pull().events.count == 5)
      #expect(bench.line.log.readings.count <= count + 1)
    }
    #expect(try bench.pull().words == [])
  }

  @Test("a pull of nothing asks no more than it did")
  mutating func nothing() throws {
    try bench.save("mine", #"{"a":1}"#)
    try bench.push()
    for _ in 0..<2 {
      let lists = bench.line.log.lists.count
      #expect(try bench.pull().words == [])
      #expect(bench.line.log.lists.count == lists + 1)
      #expect(bench.line.log.readings == [])
    }
  }

  @Test("another server may delete rows for good: within two minutes a replica may be late")
  mutating func otherServer() throws {
    bench.line.commitsInOrder = false
    bench.settings.now -= 1
    bench.server.deleteForGood(try bench.key("n4"))
    #expect(try bench.pull().isLate)
    #expect(bench.item("n4") == #"{"a":1}"#)
    #expect(try bench.pull().words == ["n4 removed"])
  }

  @Test("a row that is gone proves nothing: the newest of the others are asked for")
  mutating func goneAndOlder() throws {
    bench.line.commitsInOrder = false
    let backup = bench.server.rows
    try bench.elsewhere("n1", #"{"a":2}"#)
    try bench.elsewhere("new", #"{"a":1}"#)
    try bench.pull()
    bench.server.putBack(backup)
    #expect(throws: Self.stop) { try bench.pull() }
    #expect(bench.item("n1") == #"{"a":2}"# && bench.item("new") == #"{"a":1}"#)
  }

  @Test(
    "each row that pushes have written must come again, whatever others have done to the newest")
  mutating func eachPushed() throws {
    let backup = bench.server.rows
    for (id, text) in [("n1", #"{"a":2}"#), ("n5", #"{"a":1}"#), ("n2", #"{"a":2}"#)] {
      try bench.save(id, text)
      try bench.push()
    }
    bench.server.putBack(backup)
    try bench.elsewhere("n2", #"{"a":3}"#)
    #expect(throws: Self.stop) { try bench.pull() }
    #expect(bench.item("n2") == #"{"a":2}"#)
  }

  @Test("a replica that is late takes back nothing, holds nothing else up, and is asked again")
  mutating func late() throws {
    bench.line.commitsInOrder = false
    bench.pause = 0
    let replica = bench.server.rows
    for number in 1...3 {
      try bench.save("n1", #"{"a":\#(number + 1)}"#)
      try bench.push()
    }
    let primary = bench.server.rows
    bench.server.putBack(replica)
    try bench.elsewhere("n2", #"{"a":2}"#)
    let token = try bench.disk.token(of: Feed(bench.table))
    for _ in 0..<2 {
      let report = try bench.pull()
      #expect(report.isLate)
      #expect(bench.item("n1") == #"{"a":4}"# && bench.item("n2") == #"{"a":2}"#)
      #expect(try bench.disk.token(of: Feed(bench.table)) == token)
    }
    #expect(throws: Guards.late) { try bench.pull(full: true) }
    let newest = try #require(bench.server.rows[try bench.key("n2")])
    bench.server.putBack(primary)
    bench.server.restore(newest, as: try bench.key("n2"))
    #expect(try !bench.pull().isLate)
    bench.server.putBack(replica)
    bench.settings.now += 120
    #expect(throws: Self.stop) { try bench.pull() }
  }

  @Test("whatever version of a row is put back, none that was here before is news")
  mutating func formerVersions() throws {
    bench.line.commitsInOrder = false
    var states = [try #require(bench.server.rows[try bench.key("n1")])]
    for number in 2..<6 {
      try bench.share("n1", #"{"a":\#(number)}"#)
      states.append(try #require(bench.server.rows[try bench.key("n1")]))
    }
    #expect(try bench.known("n1").had == states.dropLast().compactMap(\.version))
    for state in states.dropLast() {
      bench.server.restore(state, as: try bench.key("n1"))
      #expect(throws: Self.stop) { try bench.pull() }
      #expect(throws: Stop.unsafe(.wentBack(accepting: 1))) { try bench.pull(full: true) }
      #expect(try LostRows(of: bench.table, on: bench.disk, from: &bench.line).past == [state])
      #expect(bench.item("n1") == #"{"a":5}"#)
    }
    // Somebody says that it counts: the versions begin anew.
    bench.settings.maxDelete = 1
    #expect(try bench.pull(full: true).words == ["n1 updated"])
    #expect(try bench.known("n1").had == [])
  }

  @Test(
    "a row that was deleted and made again comes, though a server that counts gives its versions anew"
  )
  mutating func madeAgain() throws {
    bench.line.commitsInOrder = false
    (bench.server.counts, bench.server.deletesForGood) = (true, true)
    try bench.share("x", #"{"a":1}"#)
    let former = try bench.known("x")
    try bench.save("x", nil)
    try bench.push()
    bench.server.restore(former, as: try bench.key("x"))
    #expect(throws: Self.stop) { try bench.pull() }
    bench.server.deleteForGood(try bench.key("x"))
    try bench.elsewhere("x", #"{"a":2}"#)
    #expect(
      try bench.known("x").had == bench.server.rows[bench.key("x")].flatMap(\.version).map { [$0] })
    #expect(try bench.pull().words == ["x added"])
    // Made again, unseen, under the version that is known.
    try bench.elsewhere("x", nil)
    try bench.elsewhere("x", #"{"a":3}"#)
    #expect(try bench.pull().words == ["x updated"])
  }

  @Test("a server that gives a known version to another text was put back; a new column is none")
  mutating func renumbered() throws {
    bench.line.commitsInOrder = false
    let row = try bench.known("n4")
    func replaced(_ text: String, later: Int64) throws -> Row {
      Row(
        id: row.id, item: try Item(text: text), version: row.version,
        updatedAt: row.updatedAt.map { Timestamp(ticks: $0.ticks + later) })
    }
    bench.server.restore(try replaced(#"{"a":1,"b":2}"#, later: 0), as: try bench.key("n4"))
    #expect(try bench.pull().words == ["n4 updated"])
    bench.server.restore(try replaced(#"{"a":7,"b":2}"#, later: 9), as: try bench.key("n4"))
    #expect(throws: Stop.unsafe(.renumbered())) { try bench.pull() }
    #expect(throws: Stop.unsafe(.renumbered(accepting: 1))) { try bench.pull(full: true) }
    bench.settings.maxDelete = 1
    #expect(try bench.pull(full: true).words == ["n4 updated"])
  }

  @Test("a push that reads an older state stops, and the push of what is missing sends the item")
  mutating func pushFirst() throws {
    let backup = bench.server.rows
    try bench.share("n1", #"{"a":2,"b":2}"#)
    try bench.share("n1", #"{"a":3,"b":2}"#)
    bench.server.putBack(backup)
    try bench.save("n1", #"{"a":3,"b":3}"#)
    for _ in 0..<2 { #expect(throws: Self.stop) { try bench.push() } }
    #expect(bench.item("n1") == #"{"a":3,"b":3}"#)
    try LostRows(of: bench.table, on: bench.disk, from: &bench.line).claim(on: &bench.disk)
    try bench.push()
    #expect(bench.row("n1") == #"{"a":3,"b":3}"#)
    #expect(try bench.pull().words == [])
  }

  @Test("lost rows of items that can't be sent are missed until they are")
  mutating func waiting() throws {
    let backup = bench.server.rows
    try bench.share("x", #"{"a":1}"#)
    try bench.share("y", #"{"a":1}"#)
    bench.server.putBack(backup)
    bench.disk.save(Array("{".utf8), as: try bench.key("x"))
    let lost = try LostRows(of: bench.table, on: bench.disk, from: &bench.line)
    #expect(lost.absent.map(\.description) == ["y"] && lost.unready.map(\.description) == ["x"])
    try lost.claim(on: &bench.disk)
    try bench.push()
    #expect(throws: Self.stop) { try bench.pull() }
    try bench.save("x", #"{"a":1}"#)
    try LostRows(of: bench.table, on: bench.disk, from: &bench.line).claim(on: &bench.disk)
    try bench.push()
    #expect(try bench.pull().words == [])
    #expect(bench.row("x") == #"{"a":1}"#)
  }

  @Test(
    "a lost row that only an open conflict knows is missed until it is sent",
    arguments: [true, false])
  mutating func conflict(isOurs: Bool) throws {
    let backup = bench.server.rows
    try bench.elsewhere("n1", #"{"a":2}"#)
    try bench.save("n1", #"{"a":3}"#)
    try bench.pull()
    try bench.share("later", #"{"a":1}"#)
    bench.server.putBack(backup)
    func claim(_ bench: inout Bench) throws -> LostRows {
      let lost = try LostRows(of: bench.table, on: bench.disk, from: &bench.line)
      try lost.claim(on: &bench.disk)
      return lost
    }
    #expect(try claim(&bench).unready.map(\.description) == ["n1"])
    try bench.push()
    #expect(throws: Self.stop) { try bench.pull() }
    try bench.resolve("n1", isOurs ? .client : .server)
    #expect(try claim(&bench).past.count == 1)
    try bench.push()
    #expect(bench.row("n1") == (isOurs ? #"{"a":3}"# : #"{"a":2}"#))
    #expect(try bench.pull().words == [])
  }

  @Test("a full pull doesn't pass over a row whose newer state only a conflict knows")
  mutating func conflictAndFullPull() throws {
    let backup = bench.server.rows
    try bench.elsewhere("n1", #"{"a":2}"#)
    try bench.save("n1", #"{"a":3}"#)
    try bench.pull()
    bench.server.putBack(backup)
    #expect(throws: Stop.unsafe(.wentBack(accepting: 1))) { try bench.pull(full: true) }
    try bench.resolve("n1", .server)
    #expect(throws: Stop.unsafe(.wentBack(accepting: 1))) { try bench.pull(full: true) }
    bench.settings.maxDelete = 1
    try bench.pull(full: true)
    #expect(bench.item("n1") == bench.row("n1"))
  }

  @Test("what the server had when nothing was missing is missed later")
  mutating func nothingMissing() throws {
    let backup = bench.server.rows
    try bench.save("mine", #"{"a":1}"#)
    try bench.push()
    try LostRows(of: bench.table, on: bench.disk, from: &bench.line).claim(on: &bench.disk)
    bench.server.putBack(backup)
    #expect(throws: Self.stop) { try bench.pull() }
  }

  @Test("the row of the last pull is missed however many pushes came since")
  mutating func manyPushes() throws {
    let backup = bench.server.rows
    try bench.share("x", #"{"a":1}"#)
    bench.server.putBack(backup)
    for number in 0..<20 {
      try bench.save("m\(number)", #"{"a":1}"#)
      try bench.push()
    }
    #expect(throws: Self.stop) { try bench.pull() }
  }

  @Test("a list may show less of a time than the answer to a write")
  mutating func coarseTimes() throws {
    bench.line.commitsInOrder = false
    try bench.save("mine", #"{"a":1}"#)
    try bench.push()
    let row = try bench.known("mine")
    let time = row.updatedAt.map { Timestamp(ticks: $0.ticks - 5) }
    bench.server.restore(
      Row(id: row.id, item: row.item, version: row.version, updatedAt: time),
      as: try bench.key("mine"))
    for _ in 0..<2 { #expect(try bench.pull().words == []) }
    #expect(bench.line.log.readings.count <= 2)
  }

  @Test("another server may forget the newest tombstone")
  mutating func tombstonePurged() throws {
    bench.line.commitsInOrder = false
    try bench.elsewhere("n1", nil)
    try bench.elsewhere("n4", nil)
    try bench.pull()
    bench.server.deleteForGood(try bench.key("n4"))
    #expect(try bench.pull().words == [])
  }

  @Test("a full pull takes the server's state, rows from before only where somebody says so")
  mutating func fullPull() throws {
    let backup = bench.server.rows
    try bench.elsewhere("n1", #"{"a":2}"#)
    try bench.elsewhere("new", #"{"a":1}"#)
    try bench.pull()
    bench.server.putBack(backup)
    #expect(throws: Stop.unsafe(.wentBack(accepting: 2))) { try bench.pull(full: true) }
    bench.settings.maxDelete = 2
    #expect(try bench.pull(full: true).words == ["n1 updated", "new removed"])
    bench.settings.maxDelete = nil
    #expect(try bench.pull().words == [])
    #expect(bench.item("n1") == #"{"a":1}"#)
  }
}
