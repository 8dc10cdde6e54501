import SyncEngine
import SyncModel
import TestSupport
import Testing

@Suite("Removing, restoring, forgetting") struct DiscardingTests {
  private var bench: Bench

  init() throws {
    bench = try Bench()
    try bench.share("x", #"{"a":1}"#)
  }

  // MARK: - Removing

  @Test("a removed item is a delete, first noted, then gone, and a copy is kept")
  mutating func removes() throws {
    let key = try bench.key("x")
    var noted = false
    bench.disk.beforeStep = { disk in
      if disk.files[key] != nil, disk.mark(of: key) != nil { noted = true }
    }
    #expect(try bench.disk.remove(key))
    bench.disk.beforeStep = nil
    #expect(noted)
    #expect(bench.item("x") == nil)
    #expect(bench.disk.trash.count == 1)
    #expect(bench.standings == ["x pending delete"])
    try bench.push()
    #expect(bench.writes() == ["DELETE todoitem/x If-Match v1"])
    #expect(bench.differences == [])
  }

  @Test("an item that is not as its caller has seen it stays, and nothing is noted")
  mutating func changedBeforeRemoval() throws {
    let key = try bench.key("x")
    let seen = try bench.disk.client(key).digest
    try bench.disk.save(Item(text: #"{"a":2}"#), as: key)
    #expect(try !bench.disk.remove(key, expecting: seen))
    #expect(bench.item("x") == #"{"a":2}"#)
    #expect(bench.disk.mark(of: key) == nil)
  }

  @Test("an item saved while it is removed stays")
  mutating func savedWhileRemoved() throws {
    let (key, item) = (try bench.key("x"), try Item(text: #"{"a":2}"#))
    bench.ahead(of: 2) { $0.save(item, as: key) }
    #expect(try !bench.disk.remove(key))
    bench.disk.beforeStep = nil
    #expect(bench.item("x") == #"{"a":2}"#)
    #expect(bench.standings == ["x pending update"])
  }

  @Test("nor is its delete remembered where a write of it is open")
  mutating func savedWhileRemovedInDoubt() throws {
    let (key, item) = (try bench.key("x"), try Item(text: #"{"a":3}"#))
    try bench.save("x", #"{"a":2}"#)
    bench.line.fates = [.replyLost]
    try bench.push()
    bench.ahead(of: 2) { $0.save(item, as: key) }
    #expect(try !bench.disk.remove(key))
    bench.disk.beforeStep = nil
    #expect(try !bench.disk.isRemoved(key))
    #expect(bench.standings == ["x unknown update"])
  }

  // MARK: - Restoring

  /// An item of which the server has one, or none, or a tombstone; what lies here; and how it is, and
  /// stands, when it was restored.
  struct Case: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let id: String
    var isDeleted = false
    let client: String?
    let item: String?
    var standings: [String] = []
  }

  private static let former = #"{"a":1}"#

  static let cases: [Case] = [
    Case(testDescription: "as the server has it", id: "x", client: former, item: former),
    Case(testDescription: "edited", id: "x", client: #"{"a":2}"#, item: former),
    Case(testDescription: "vanished", id: "x", client: nil, item: former),
    Case(testDescription: "only here", id: "y", client: #"{"a":2}"#, item: nil),
    Case(
      testDescription: "deleted by the server", id: "x", isDeleted: true, client: nil, item: former,
      standings: ["x pending undelete"]),
    Case(
      testDescription: "made over a tombstone", id: "x", isDeleted: true, client: #"{"a":5}"#,
      item: nil),
  ]

  @Test("an item goes back to what the server has, or last had", arguments: cases)
  mutating func restores(_ row: Case) throws {
    if row.isDeleted {
      try bench.elsewhere(row.id, nil)
      try bench.pull()
    }
    let before = bench.disk.trash.count
    try bench.save(row.id, row.client)
    let item = try row.item.map { try Item(text: $0) }
    let restored = try bench.disk.restore(bench.key(row.id))
    let expected: Restored = row.client == row.item ? .unchanged : .restored(item)
    #expect(restored == expected)
    #expect(bench.item(row.id) == row.item)
    #expect(bench.standings == row.standings)
    let isDisplaced = row.client != nil && row.client != row.item
    #expect(bench.disk.trash.count == before + (isDisplaced ? 1 : 0))
  }

  @Test("a tombstone that tells no field, or only nulls, leaves what was known of its row")
  mutating func remembersKnown() throws {
    try bench.save("x", #"{"a":1,"b":2}"#)
    try bench.elsewhere("x", #"{"a":null}"#)
    try bench.elsewhere("x", nil)
    try bench.pull()
    let conflict = try Resolve(settings: bench.settings).current(
      bench.key("x"), on: bench.disk)
    #expect(conflict.last == (try Item(text: #"{"a":1}"#)))
    #expect(conflict.revived == (try Item(text: #"{"a":1,"b":2}"#)))
  }

  @Test("a rejected item is not rejected any more when it was restored")
  mutating func restoresRejected() throws {
    try bench.save("x", #"{"text":"refuse me"}"#)
    try bench.push()
    _ = try bench.disk.restore(bench.key("x"))
    #expect(bench.differences == [])
  }

  @Test("a write of unknown outcome stays open when its item is restored")
  mutating func restoresUnknown() throws {
    try bench.save("x", #"{"a":2}"#)
    bench.line.fates = [.replyLost]
    try bench.push()
    _ = try bench.disk.restore(bench.key("x"))
    #expect(bench.standings == ["x unknown update"])
    // The server had done it; what was restored is a change back.
    try bench.push()
    #expect(bench.row("x") == #"{"a":1}"#)
    #expect(bench.differences == [])
  }

  @Test(
    "a row that an invalid item has kept waiting is what is put in its place",
    arguments: [#"{"a":4}"#, nil])
  mutating func restoresWaiting(_ server: String?) throws {
    let key = try bench.key("x")
    bench.disk.save(Array("{".utf8), as: key)
    try bench.elsewhere("x", server)
    #expect(try bench.pull().words == ["x held"])
    #expect(
      try bench.disk.restore(key, settings: bench.settings) { $0.save(nil as Item?, as: key) })
    #expect(bench.item("x") == server)
    #expect(try bench.pull().words == [])
    #expect(bench.differences == [])
  }

  @Test(
    "of an item in conflict that can't be read the server's side is what is put in its place",
    arguments: [#"{"a":4}"#, nil])
  mutating func restoresConflict(_ server: String?) throws {
    let key = try bench.key("x")
    try bench.save("x", #"{"a":2}"#)
    try bench.elsewhere("x", server)
    #expect(try bench.pull().words == ["x conflict \(server == nil ? "MD" : "MM")"])
    bench.disk.save(Array("{".utf8), as: key)
    #expect(
      try bench.disk.restore(key, settings: bench.settings) { $0.save(nil as Item?, as: key) })
    #expect(bench.item("x") == server)
    #expect(bench.disk.sides.isEmpty)
    #expect(bench.differences == [])
  }

  @Test(
    "a restore in place of a file that can't be read settles a conflict whose side was edited, too"
  )
  mutating func restoresConflictWithSide() throws {
    let key = try bench.key("x")
    try bench.save("x", #"{"a":2}"#)
    try bench.elsewhere("x", #"{"a":4}"#)
    try bench.pull()
    bench.disk.editSide(try Item(text: #"{"a":9}"#), of: key)
    bench.disk.save(Array("{".utf8), as: key)
    #expect(
      try bench.disk.restore(key, settings: bench.settings) { $0.save(nil as Item?, as: key) })
    #expect(bench.item("x") == #"{"a":4}"#)
    #expect(bench.disk.sides.isEmpty)
    #expect(bench.differences == [])
  }

  @Test(
    "no conflict is left about an older row than the one that was put in place", arguments: 0..<8,
    [false, true])
  mutating func cutOffOverConflict(step: Int, editsSide: Bool) throws {
    let key = try bench.key("x")
    try bench.save("x", #"{"a":2}"#)
    try bench.elsewhere("x", #"{"a":4}"#)
    #expect(try bench.pull().words == ["x conflict MM"])
    bench.disk.save(Array("{".utf8), as: key)
    try bench.elsewhere("x", nil)
    #expect(try bench.pull().words == ["x held"])
    try bench.cut(at: step) {
      _ = try $0.disk.restore(
        key, settings: $0.settings, discarding: { $0.save(nil as Item?, as: key) })
    }
    if editsSide {
      bench.disk.editSide(try Item(text: #"{"a":8}"#), of: key)
    } else {
      try bench.save("x", #"{"a":7}"#)
    }
    try bench.pull()
    let newest = try bench.disk.newestRow(of: key)
    #expect(newest?.deleted == true)
    if !editsSide { #expect(bench.item("x") == #"{"a":7}"#) }
  }

  @Test("an invalid item is left alone")
  mutating func restoresInvalid() throws {
    let key = try bench.key("x")
    bench.disk.save(Array("{".utf8), as: key)
    _ = try bench.disk.restore(key)
    #expect(bench.disk.files[key]?.bytes == Array("{".utf8))
  }

  // MARK: - Forgetting

  @Test("a purge forgets rows, token, items and all that waits, and sends nothing")
  mutating func purges() throws {
    try bench.share("conflict", #"{"a":1}"#)
    try bench.save("conflict", #"{"a":2}"#)
    try bench.elsewhere("conflict", #"{"a":3}"#)
    try bench.pull()
    try bench.save("refused", #"{"text":"refuse me"}"#)
    try bench.save("unknown", #"{"a":1}"#)
    bench.line.fates = [.answered, .replyLost]
    try bench.push()
    try bench.save("new", #"{"a":1}"#)
    _ = bench.writes()
    let count = bench.disk.files.count
    try bench.disk.purge(bench.table, edits: true)
    #expect(bench.disk.files.isEmpty && bench.disk.sides.isEmpty)
    #expect(bench.disk.inConflict.isEmpty)
    #expect(try bench.disk.token(of: bench.table) == nil)
    #expect(bench.disk.trash.count >= count)
    #expect(bench.standings == [])
    try bench.push()
    #expect(bench.writes() == [])
    try bench.pull()
    #expect(bench.differences == [])
  }

  @Test("without a word about edits, a purge leaves what was saved in its midst")
  mutating func purgesNoEdit() throws {
    for id in ["x", "y"] { try bench.share(id, #"{"a":1}"#) }
    try bench.save("y", #"{"a":2}"#)
    try bench.disk.purge(bench.table, edits: false)
    #expect(bench.item("x") == nil && bench.item("y") == #"{"a":2}"#)
    #expect(bench.standings == ["y pending insert"])
  }

  @Test("a purge leaves what can't be an item where it is")
  mutating func purgesNoInvalid() throws {
    let key = try bench.key("y")
    bench.disk.save(Array("{".utf8), as: key)
    try bench.disk.purge(bench.table, edits: true)
    #expect(bench.disk.files.keys.map { $0 } == [key])
  }
}
