import SyncEngine
import SyncModel
import TestSupport
import Testing

@Suite("When a pull stops rather than guess") struct PullGuardTests {
  private var bench: Bench

  init() throws {
    bench = try Bench()
    for number in 10..<20 { try bench.elsewhere("n\(number)", #"{"a":1}"#) }
    try bench.pull()
  }

  @Test("where too many would go none does, however often it is asked; what else came stays")
  mutating func all() throws {
    for number in 10..<14 { try bench.elsewhere("n\(number)", nil) }
    try bench.elsewhere("new", #"{"a":1}"#)
    for number in 14..<20 { try bench.elsewhere("n\(number)", nil) }
    bench.line.pageSize = 2
    // What came with them makes no room for them.
    for _ in 0..<3 {
      let danger = Danger.removals(
        deletes: 10, leaving: 0, of: 10, in: bench.table, areShown: false)
      #expect(throws: Stop.unsafe(danger)) { try bench.pull() }
      #expect(bench.disk.files.count == 11)
      #expect(bench.standings == [])
    }
    try bench.elsewhere("new", nil)
    bench.settings.maxDelete = 11
    try bench.pull()
    #expect(bench.disk.files.isEmpty)
    #expect(bench.differences == [])
  }

  @Test("a row that comes back while it is pulled is not removed")
  mutating func comesBack() throws {
    let gone = try bench.elsewhere("n10", nil)
    let back = try bench.elsewhere("n10", #"{"a":2}"#)
    bench.line.pages = [Page(rows: [gone]), Page(rows: [back])]
    #expect(try bench.pull().words == ["n10 updated"])
    #expect(bench.item("n10") == #"{"a":2}"#)
  }

  @Test("a pull that is cut off takes no deletion: it can't know how many there are")
  mutating func cutOff() throws {
    for number in 10..<20 { try bench.elsewhere("n\(number)", nil) }
    bench.line.pageSize = 3
    bench.line.pagesLeft = 3
    #expect(throws: ScriptedLine.cut) { try bench.pull() }
    #expect(bench.disk.files.count == 10)
    _ = try Recovery.run([bench.table], on: &bench.disk, settings: bench.settings)
    #expect(bench.disk.files.count == 10)
    bench.line.pagesLeft = nil
    for _ in 0..<2 {
      #expect(throws: Stop.self) { try bench.pull() }
      #expect(bench.disk.files.count == 10)
    }
    bench.settings.maxDelete = 10
    #expect(try bench.pull().removed == 10)
    #expect(bench.differences == [])
  }

  @Test("what was committed before the deletes came makes no room for them")
  mutating func committedBefore() throws {
    for number in 20..<40 { try bench.elsewhere("n\(number)", #"{"a":1}"#) }
    try bench.pull()
    var news: [Row] = []
    for number in 10..<90 { news.append(try bench.elsewhere("m\(number)", #"{"a":1}"#)) }
    // One of them moves meanwhile, so that what came before is made the base.
    let again = try bench.elsewhere("m10", #"{"a":2}"#)
    var gone: [Row] = []
    for number in 10..<35 { gone.append(try bench.elsewhere("n\(number)", nil)) }
    let stop = Stop.unsafe(
      .removals(deletes: 25, leaving: 0, of: 30, in: bench.table, areShown: false))
    bench.line.pages = [
      Page(rows: news, token: news.last?.updatedAt.map { DeltaToken($0.text) }),
      Page(rows: [again]), Page(rows: gone),
    ]
    #expect(throws: stop) { try bench.pull() }
    bench.line.pages = nil
    for _ in 0..<2 { #expect(throws: stop) { try bench.pull() } }
    #expect(bench.disk.files.count == 110)
    bench.settings.maxDelete = 25
    #expect(try bench.pull().removed == 25)
    #expect(bench.differences == [])
  }

  @Test("what was pushed since the last pull is known")
  mutating func pushedSince() throws {
    for number in 20..<90 { try bench.save("n\(number)", #"{"a":1}"#) }
    try bench.push()
    for number in 10..<34 { try bench.elsewhere("n\(number)", nil) }
    #expect(try bench.pull().removed == 24)
  }

  @Test("tombstones of rows that were not here don't count")
  mutating func unseen() throws {
    for number in 30..<60 {
      try bench.elsewhere("n\(number)", #"{"a":1}"#)
      try bench.elsewhere("n\(number)", nil)
    }
    #expect(try bench.pull().words == [])
  }

  @Test(
    "deletes that wait are asked for again: what the server has after all stays",
    arguments: [false, true])
  mutating func waitingAgain(areTombstones: Bool) throws {
    let rows = bench.server.rows
    for key in rows.keys.sorted() {
      if areTombstones {
        try bench.elsewhere(key.id.description, nil)
      } else {
        bench.server.deleteForGood(key)
      }
    }
    bench.settings.maxDelete = 9
    #expect(throws: Stop.self) { try bench.pull(full: !areTombstones) }
    // The server was put back, or had hidden them.
    for (key, row) in rows { bench.server.restore(row, as: key) }
    bench.settings.maxDelete = 10
    if areTombstones {
      #expect(throws: Stop.unsafe(.wentBack())) { try bench.pull() }
      bench.settings.maxDelete = 9
      #expect(throws: Stop.unsafe(.wentBack(accepting: 10))) { try bench.pull(full: true) }
      bench.settings.maxDelete = 10
    }
    #expect(try bench.pull(full: areTombstones).words == [])
    #expect(bench.disk.files.count == 10)
    #expect(try bench.disk.arrivals(in: bench.table).isEmpty)
  }

  @Test("deletes that invalid files hold back are measured by the rows that there were")
  mutating func heldBack() throws {
    for number in 10..<14 { bench.disk.save(Array("{".utf8), as: try bench.key("n\(number)")) }
    for number in 10..<14 { try bench.elsewhere("n\(number)", nil) }
    bench.settings.maxDelete = 4
    try bench.pull()
    for number in 20..<60 { try bench.elsewhere("n\(number)", #"{"a":1}"#) }
    bench.settings.maxDelete = nil
    try bench.pull()
    #expect(try bench.disk.state(of: bench.table).measure == 10)
  }

  @Test("deletes of conflicts that are open from before don't count")
  mutating func oldConflicts() throws {
    for number in 20..<80 { try bench.elsewhere("n\(number)", #"{"a":1}"#) }
    try bench.pull()
    for number in 20..<38 {
      try bench.save("n\(number)", #"{"a":2}"#)
      try bench.elsewhere("n\(number)", nil)
    }
    try bench.pull()
    for number in 40..<45 { try bench.elsewhere("n\(number)", nil) }
    #expect(try bench.pull().removed == 5)
  }

  @Test("what a pull that is cut off has brought makes no room for deletes that come only then")
  mutating func cutOffBefore() throws {
    for number in 20..<90 { try bench.elsewhere("n\(number)", #"{"a":1}"#) }
    bench.line.pagesLeft = 5
    #expect(throws: ScriptedLine.cut) { try bench.pull() }
    bench.line.pagesLeft = nil
    for number in 10..<20 { try bench.elsewhere("n\(number)", nil) }
    #expect(throws: Stop.self) { try bench.pull() }
    bench.settings.maxDelete = 10
    try bench.pull()
    #expect(try bench.disk.state(of: bench.table).measure == nil)
  }

  @Test("rows that are gone count in a full pull")
  mutating func gone() throws {
    for number in 10..<20 { bench.server.deleteForGood(try bench.key("n\(number)")) }
    #expect(throws: Stop.self) { try bench.pull(full: true) }
    #expect(bench.disk.files.count == 10)
  }

  // MARK: - Rows from the past

  private func older(_ id: String, _ text: String, deleted: Bool = false) throws -> Row {
    Row(
      id: try ItemID(Text(id)), item: try Item(text: text), version: Version("old"),
      updatedAt: Timestamp("2001-01-01T00:00:00Z"), deleted: deleted)
  }

  @Test("a row older than its base is ignored where reading it brings what is known")
  mutating func replicaLags() throws {
    bench.line.pages = [Page(rows: [try older("n10", #"{"a":0}"#)])]
    #expect(try bench.pull().words == [])
    #expect(bench.item("n10") == #"{"a":1}"#)
    #expect(bench.line.log.readings == [try bench.key("n10")])
  }

  @Test("a row older than its base is passed over for the newer one that reading brings")
  mutating func replicaLagsBehindNewer() throws {
    try bench.elsewhere("n10", #"{"a":2}"#)
    bench.line.pages = [Page(rows: [try older("n10", #"{"a":0}"#)])]
    #expect(try bench.pull().words == ["n10 updated"])
    #expect(bench.item("n10") == #"{"a":2}"#)
  }

  @Test("a row older than one that waits doesn't take its place")
  mutating func replicaLagsBehindWaiting() throws {
    let key = try bench.key("n10")
    let second = try bench.elsewhere("n10", #"{"a":2}"#)
    bench.disk.save(Array("{".utf8), as: key)
    try bench.elsewhere("n10", #"{"a":3}"#)
    #expect(try bench.pull().words == ["n10 held"])
    bench.line.pages = [Page(rows: [second])]
    #expect(try bench.pull().words == [])
    try bench.save("n10", #"{"a":1}"#)
    #expect(try bench.pull().words == ["n10 updated"])
    #expect(bench.item("n10") == #"{"a":3}"#)
  }

  @Test(
    "a row older than one that is gone, of which a trace of nothing waits, doesn't take its place")
  mutating func replicaLagsBehindNothing() throws {
    let key = try bench.key("n10")
    bench.disk.save(Array("{".utf8), as: key)
    bench.server.deleteForGood(key)
    #expect(try bench.pull(full: true).words == ["n10 held"])
    bench.line.pages = [Page(rows: [try older("n10", #"{"a":0}"#)])]
    #expect(try bench.pull().words == [])
    #expect(try bench.disk.arrival(of: key)?.row.isGone == true)
  }

  @Test(
    "a row that another machine has stamped too early is newer, by its version",
    arguments: [(1, 100), (3, 10_000_000), (9, 100)])
  mutating func stampedEarly(_ count: Int, _ milliseconds: Int64) throws {
    let token = try #require(try bench.disk.token(of: bench.table))
    bench.server.tick = -milliseconds
    let rows = try (0..<count).map { try bench.elsewhere("n1\($0)", #"{"a":2}"#) }
    bench.line.pages = [Page(rows: rows, token: token)]
    #expect(try bench.pull().words == (0..<count).map { "n1\($0) updated" })
    #expect(bench.item("n10") == #"{"a":2}"#)
    #expect(try bench.disk.token(of: bench.table) == token)
  }

  @Test("of many rows that are older by hours none is taken", arguments: [false, true])
  mutating func manyStampedEarly(full: Bool) throws {
    let token = try bench.disk.token(of: bench.table)
    bench.server.tick = -10_000_000
    let rows = try (0..<4).map { try bench.elsewhere("n1\($0)", #"{"a":2}"#) }
    if !full { bench.line.pages = [Page(rows: rows)] }
    let stop = Stop.unsafe(.wentBack(accepting: full ? 4 : nil))
    for _ in 0..<2 { #expect(throws: stop) { try bench.pull(full: full) } }
    #expect(bench.item("n10") == #"{"a":1}"#)
    #expect(try bench.disk.token(of: bench.table) == token)
  }

  @Test("a row in the version from before the known one is passed over: a replica lags")
  mutating func formerVersion() throws {
    let former = try bench.known("n10")
    try bench.share("n10", #"{"a":2}"#)
    let key = try bench.key("n10")
    bench.line.pages = [Page(rows: [former])]
    bench.line.stale = [former]
    #expect(try bench.pull().words == [])
    #expect(bench.item("n10") == #"{"a":2}"#)
    #expect(try bench.disk.base(of: key).row?.had == [former.version].compactMap(\.self))
  }

  @Test("a row that was deleted here is not brought back by a replica that lags")
  mutating func formerVersionOfDeleted() throws {
    let former = try bench.known("n10")
    try bench.save("n10", nil)
    try bench.push()
    bench.line.pages = [Page(rows: [former])]
    bench.line.stale = [former]
    #expect(try bench.pull().words == [])
    #expect(bench.item("n10") == nil)
    // Somebody else may bring it back.
    let back = try bench.elsewhere("n10", #"{"a":1}"#)
    bench.line.pages = [Page(rows: [back])]
    #expect(try bench.pull().words == ["n10 added"])
  }

  @Test("a row that a replica didn't have yet comes back with the next pull")
  mutating func goneByMistake() throws {
    let row = try bench.known("n10")
    bench.server.deleteForGood(try bench.key("n10"))
    #expect(try bench.pull(full: true).words == ["n10 removed"])
    bench.line.pages = [Page(rows: [row])]
    #expect(try bench.pull().words == ["n10 added"])
  }

  @Test("a full pull takes a row that has another time only for what it is")
  mutating func otherTime() throws {
    let row = try bench.known("n10")
    let early = Row(
      id: row.id, item: row.item, version: row.version,
      updatedAt: row.updatedAt.map { Timestamp(ticks: $0.ticks - 20_000) })
    bench.server.restore(early, as: try bench.key("n10"))
    #expect(try bench.pull(full: true).words == [])
  }

  @Test("a full pull of a server that has one row in its former version applies nothing")
  mutating func putBack() throws {
    let former = try bench.known("n10")
    try bench.share("n10", #"{"a":2}"#)
    bench.server.restore(former, as: try bench.key("n10"))
    try bench.elsewhere("n11", #"{"a":3}"#)
    // However often it is asked.
    for _ in 0..<2 {
      #expect(throws: Stop.unsafe(.wentBack(accepting: 1))) { try bench.pull(full: true) }
    }
    #expect(bench.item("n10") == #"{"a":2}"#)
    #expect(bench.item("n11") == #"{"a":1}"#)
  }

  @Test("an older row without a version stops the pull")
  mutating func wentBack() throws {
    let past = Row(
      id: try ItemID("n10"), item: try Item(text: #"{"a":0}"#), version: nil,
      updatedAt: Timestamp("2001-01-01T00:00:00Z"))
    bench.line.pages = [Page(rows: [past])]
    bench.line.stale = [past]
    let token = try bench.disk.token(of: bench.table)
    #expect(throws: Stop.unsafe(.wentBack())) { try bench.pull() }
    #expect(bench.item("n10") == #"{"a":1}"#)
    #expect(try bench.disk.token(of: bench.table) == token)
  }

  @Test(
    "a reading in the former version tells nothing of a row that no page has brought",
    arguments: [true, false])
  mutating func readingLags(deleted: Bool) throws {
    let former = try bench.known("n10")
    try bench.share("n10", #"{"a":2}"#)
    let key = try bench.key("n10")
    bench.server.deleteForGood(key)
    bench.line.stale = [
      Row(
        id: former.id, item: former.item, version: former.version, updatedAt: former.updatedAt,
        deleted: deleted)
    ]
    #expect(try bench.pull(full: true).words == [])
    #expect(bench.item("n10") == #"{"a":2}"#)
    #expect(try bench.pull(full: true).words == ["n10 removed"])
  }

  @Test("a row older than its base that can't be read is left for the next pull")
  mutating func unreadable() throws {
    bench.line.pages = [Page(rows: [try older("n10", #"{"a":0}"#)])]
    bench.line.canRead = false
    #expect(throws: ScriptedLine.cut) { try bench.pull() }
    #expect(bench.item("n10") == #"{"a":1}"#)
  }
}
