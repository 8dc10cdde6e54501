import SyncEngine
import SyncModel
import TestSupport
import Testing

@Suite("A table that is pulled by queries") struct QueryPullTests {
  private var bench: Bench
  private let a: Feed
  private let b: Feed

  init() throws {
    bench = try Bench()
    // A filter is the digits of the parts that it lets through; `t0` is in part 0.
    a = Feed(bench.table, query: "a", filter: "01")
    b = Feed(bench.table, query: "b", filter: "12")
  }

  /// A text whose row is in a part, as an object.
  private static func text(_ part: Int) throws -> String {
    let item = try (0..<10).map { try Item(text: #"{"text":"t\#($0)"}"#) }
      .first { ModelServer.part(of: $0) == part }
    return String(decoding: JSON.object(item?.fields ?? JSONObject()).encoded(), as: UTF8.self)
  }

  private mutating func elsewhere(_ id: String, _ part: Int) throws {
    try bench.elsewhere(id, Self.text(part))
  }

  @discardableResult
  private mutating func pull(
    _ feeds: [Feed]? = nil, of all: [Feed]? = nil, full: Bool = false
  ) throws -> [String] {
    let all = all ?? [a, b]
    let feeds = feeds ?? all
    var reports = feeds.map { PullReport($0) }
    try Pull(settings: bench.settings).run(
      feeds, isPart: feeds.count < all.count, full: full, on: &bench.disk, from: &bench.line,
      reports: &reports)
    return reports.flatMap(\.events).map(\.words).sorted()
  }

  private var ids: [String] { bench.disk.files.keys.map(\.id.description).sorted() }

  @Test("each brings its rows; a row in both is one file, and what leaves both goes")
  mutating func overlap() throws {
    for part in 0..<4 { try elsewhere("p\(part)", part) }
    #expect(try pull() == ["p0 added", "p1 added", "p2 added"])
    try elsewhere("p1", 0)
    try elsewhere("p0", 3)
    #expect(try pull() == ["p0 left", "p1 updated"])
    #expect(ids == ["p1", "p2"])
    try elsewhere("p0", 2)
    #expect(try pull() == ["p0 added"])
    #expect(bench.line.log.writes.isEmpty)
  }

  @Test(
    "while one query is at fault, the others bring their rows and nothing leaves",
    arguments: [0, 1])
  mutating func faulty(index: Int) throws {
    for part in 0..<3 { try elsewhere("p\(part)", part) }
    try pull()
    try elsewhere("p0", 3)
    try elsewhere("p1", 2)
    try elsewhere("p4", 2)
    bench.line.faulty = ["a"]
    let feeds = index == 0 ? [a, b] : [b, a]
    #expect(try pull(feeds) == ["p1 updated", "p4 added"])
    #expect(ids == ["p0", "p1", "p2", "p4"])
    try elsewhere("p2", 3)
    // What is read in full is taken whole or not at all.
    #expect(throws: QueryFault.self) { try pull(feeds, full: true) }
    #expect(ids == ["p0", "p1", "p2", "p4"])
    bench.line.faulty = []
    #expect(try pull(feeds) == ["p0 left", "p2 left"])
  }

  @Test("an edited item stays, is sent, and leaves after that")
  mutating func edited() throws {
    try elsewhere("p", 0)
    try pull()
    try elsewhere("p", 3)
    try bench.save("p", #"{"text":"t0","mine":1}"#)
    #expect(try pull() == [])
    #expect(try bench.disk.state(of: bench.table).left.count == 1)
    #expect(try bench.push().words == ["p merged", "p pushed update"])
    #expect(try pull() == ["p left"])
    #expect(bench.row("p") != nil)
    #expect(try bench.disk.state(of: bench.table).left.isEmpty)
  }

  @Test("restored, it leaves; and a missing file of it is no delete")
  mutating func restored() throws {
    try elsewhere("p", 0)
    try elsewhere("q", 0)
    try pull()
    let before = bench.item("p")
    for id in ["p", "q"] {
      try elsewhere(id, 3)
      try bench.save(id, #"{"text":"mine"}"#)
    }
    try pull()
    try bench.save("p", before)
    try bench.save("q", nil)
    #expect(try bench.push().words == [])
    #expect(try pull() == ["p left", "q left"])
    #expect(bench.row("q") != nil)
  }

  @Test("a file that its user has removed is a change: it doesn't leave")
  mutating func removedByHand() throws {
    try elsewhere("p", 0)
    try elsewhere("q", 0)
    try pull()
    let before = bench.item("p")
    try bench.save("p", nil)
    try elsewhere("p", 3)
    try elsewhere("q", 3)
    #expect(try pull() == ["q left"])
    #expect(bench.standings == ["p pending delete"])
    #expect(try pull() == [])
    try bench.save("p", before)
    #expect(try pull() == ["p left"])
  }

  @Test("one that is removed by a command is deleted")
  mutating func removed() throws {
    try elsewhere("p", 0)
    try pull()
    try bench.save("p", Self.text(3))
    try bench.push()
    try bench.save("p", #"{"text":"mine"}"#)
    try pull()
    #expect(try bench.disk.state(of: bench.table).left.count == 1)
    _ = try bench.disk.remove(bench.key("p"))
    #expect(try bench.push().words == ["p pushed delete"])
    #expect(bench.row("p") == nil)
  }

  @Test("a pull that is killed at any step deletes nothing, even if the row matches again")
  mutating func killed() throws {
    try elsewhere("p", 0)
    try elsewhere("q", 0)
    try pull()
    try elsewhere("p", 3)
    let start = bench
    for matches in [false, true] {
      var step = 1
      while step < 1_000 {
        bench = start
        // The server is one object: what the last round did there is taken back.
        try elsewhere("p", 3)
        var count = 0
        bench.disk.beforeStep = { _ in
          count += 1
          if count == step { throw MemoryDisk.Crash() }
        }
        let isDone = (try? pull()) != nil
        bench.disk.beforeStep = nil
        if matches { try elsewhere("p", 1) }
        try pull()
        try bench.push()
        #expect(bench.row("p") != nil)
        #expect(ids == (matches ? ["p", "q"] : ["q"]))
        if isDone { break }
        step += 1
      }
      #expect(step > 3)
    }
    #expect(bench.line.log.writes.isEmpty)
  }

  @Test("a query that is back with the same filter reads again what has left meanwhile")
  mutating func back() throws {
    try elsewhere("p", 0)
    try elsewhere("q", 2)
    try pull()
    bench.settings.maxDelete = 9
    #expect(try pull(of: [b]) == ["p left"])
    #expect(try pull() == ["p added"])
    // So does the whole table, and what it brings leaves again.
    try elsewhere("r", 3)
    #expect(try pull(of: [Feed(bench.table)]) == ["r added"])
    #expect(try pull() == ["r left"])
    #expect(ids == ["p", "q"])
  }

  @Test("another filter has no token")
  mutating func changed() throws {
    try elsewhere("p", 0)
    try elsewhere("q", 2)
    let other = Feed(bench.table, query: "a", filter: "2")
    try pull(of: [a])
    bench.settings.maxDelete = 9
    #expect(try pull(of: [other]) == ["p left", "q added"])
    #expect(try pull(of: [a]) == ["p added", "q left"])
    #expect(try bench.disk.token(of: other) == nil)
  }

  @Test("one query alone looks for nothing that left")
  mutating func one() throws {
    try elsewhere("p", 0)
    try elsewhere("q", 2)
    try pull()
    try elsewhere("q", 3)
    try elsewhere("r", 1)
    #expect(try pull([a]) == ["r added"])
    #expect(try pull() == ["q left"])
    #expect(try pull([a], full: true) == [])
  }

  @Test("too many that leave wait for a word, unless somebody has said that they may")
  mutating func many() throws {
    for number in 10..<40 { try elsewhere("n\(number)", 0) }
    try elsewhere("q", 2)
    try pull()
    for _ in 0..<2 {
      let stop = #expect(throws: Stop.self) { try pull(of: [b]) }
      let danger = Danger.removals(
        deletes: 0, leaving: 30, of: 31, in: bench.table, areShown: false)
      #expect(stop == .unsafe(danger))
    }
    #expect(ids.count == 31)
    bench.settings.maxDelete = 30
    #expect(try pull(of: [b]).count == 30)
    bench.settings.maxDelete = nil
    #expect(try pull().count == 30)
    try bench.disk.append([.mayLeave(2)], to: bench.table, durably: true)
    #expect(throws: Stop.self) { try pull(of: [b]) }
    // More than was allowed is never meant.
    try bench.disk.append([.mayLeave(27)], to: bench.table, durably: true)
    #expect(throws: Stop.self) { try pull(of: [b]) }
    try bench.disk.append([.mayLeave(1)], to: bench.table, durably: true)
    #expect(try pull(of: [b]).count == 30)
    #expect(try bench.disk.state(of: bench.table).mayLeave == 0)
  }

  @Test("a row that is deleted and in no query is an ordinary delete")
  mutating func deleted() throws {
    try elsewhere("p", 0)
    try elsewhere("q", 0)
    try pull()
    try elsewhere("p", 3)
    try bench.elsewhere("p", nil)
    #expect(try pull() == ["p removed"])
    bench.server.deleteForGood(try bench.key("q"))
    #expect(try pull(full: true) == ["q left"])
  }

  @Test("what a push has found at the server, and no query returns, leaves")
  mutating func found() throws {
    try elsewhere("p", 3)
    try elsewhere("q", 0)
    try pull()
    try bench.save("p", Self.text(3))
    try bench.push()
    #expect(ids == ["p", "q"])
    #expect(try pull() == ["p left"])
    // A new item that fits no query, too.
    try bench.save("r", Self.text(3))
    try bench.push()
    #expect(try pull() == ["r left"])
    #expect(bench.row("r") != nil)
  }
}
