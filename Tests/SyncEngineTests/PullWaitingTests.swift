import SyncEngine
import SyncModel
import TestSupport
import Testing

@Suite("Rows and conflicts that wait") struct PullWaitingTests {
  private var bench: Bench

  init() throws {
    bench = try Bench()
    try bench.share("x", #"{"a":1,"b":1}"#)
  }

  private func base() throws -> Item? { try bench.disk.base(of: bench.key("x")).item }

  @Test(
    "other content behind the stamps of the base is no answer to anything: the rule decides",
    arguments: [#"{"a":2,"b":1}"#, nil])
  mutating func otherContent(_ text: String?) throws {
    bench.settings.policies = [bench.table: MergePolicy(.manual)]
    let key = try bench.key("x")
    let row = try #require(bench.server.rows[key])
    try bench.save("x", text)
    bench.server.restore(
      Row(
        id: row.id, item: try Item(text: #"{"a":9,"b":1}"#), version: row.version,
        updatedAt: row.updatedAt), as: key)
    #expect(try bench.pull(full: true).words == ["x conflict \(text == nil ? "DM" : "MM")"])
    #expect(bench.item("x") == text)
  }

  @Test("a row whose item is invalid waits until it is valid, though the token moves on")
  mutating func invalid() throws {
    bench.disk.save(Array("{\"a\": 2,".utf8), as: try bench.key("x"))
    try bench.elsewhere("x", #"{"a":1,"b":3}"#)
    try bench.elsewhere("y", #"{"a":1}"#)
    #expect(try bench.pull().words == ["y added", "x held"])
    #expect(bench.disk.files[try bench.key("x")]?.bytes == Array("{\"a\": 2,".utf8))
    #expect(try bench.pull().words == [])
    try bench.save("x", #"{"a":2,"b":1}"#)
    #expect(try bench.pull().words == ["x merged"])
    #expect(bench.item("x") == #"{"a":2,"b":3}"#)
    #expect(bench.standings == ["x pending update"])
  }

  @Test("a newer row replaces one that waits")
  mutating func newerWaits() throws {
    bench.disk.save(Array("{".utf8), as: try bench.key("x"))
    try bench.elsewhere("x", #"{"a":1,"b":3}"#)
    try bench.pull()
    try bench.elsewhere("x", #"{"a":1,"b":4}"#)
    try bench.pull()
    try bench.save("x", #"{"a":1,"b":1}"#)
    #expect(try bench.pull().words == ["x updated"])
    #expect(bench.item("x") == #"{"a":1,"b":4}"#)
  }

  @Test("a row whose item has a write of unknown outcome waits for the push")
  mutating func openWrite() throws {
    try bench.save("x", #"{"a":2,"b":1}"#)
    bench.line.fates = [.replyLost]
    try bench.push()
    try bench.elsewhere("x", #"{"a":2,"b":7}"#)
    #expect(try bench.pull().words == [])
    #expect(bench.item("x") == #"{"a":2,"b":1}"#)
    #expect(bench.standings == ["x unknown update"])
    let report = try bench.push()
    #expect(report.conflicts == 0)
    #expect(bench.item("x") == #"{"a":2,"b":7}"#)
    #expect(bench.differences == [])
    #expect(try bench.pull().words == [])
  }

  // MARK: - Moved files

  /// Moves the file of `x` to the name of `y`, and changes `x` at the server.
  private mutating func move() throws -> ItemKey {
    let place = try bench.key("y")
    bench.disk.save(Array(#"{"id":"x","a":1,"b":1}"#.utf8), as: place)
    try bench.save("x", nil)
    try bench.elsewhere("x", #"{"a":1,"b":3}"#)
    return place
  }

  @Test("a row whose file was moved waits; it is no conflict with a delete")
  mutating func moved() throws {
    let place = try move()
    #expect(try bench.pull().words == ["x held"])
    #expect(bench.standings == ["y invalid todoitem/y", "x moved to todoitem/y"])
    #expect(try bench.pull().words == [])
    #expect(try bench.push().words == [])
    // Moved back, it is taken.
    bench.disk.save([UInt8]?.none, as: place)
    try bench.save("x", #"{"a":1,"b":1}"#)
    #expect(try bench.pull().words == ["x updated"])
    #expect(bench.differences == [])
  }

  @Test("a row whose file was moved is a conflict once the file is gone, or another item")
  mutating func movedForGood() throws {
    _ = try move()
    try bench.pull()
    try bench.save("y", #"{"a":1,"b":1}"#)
    #expect(try bench.pull().words == ["x conflict DM"])
  }

  @Test("what a command deleted is in conflict as deleted, though another file says its id")
  mutating func movedAndRemoved() throws {
    _ = try bench.disk.remove(bench.key("x"))
    _ = try move()
    #expect(try bench.pull().words == ["x conflict DM"])
  }

  // MARK: - Open conflicts

  /// Opens a conflict about the field `a` of `x`.
  private mutating func open() throws {
    try bench.save("x", #"{"a":2,"b":1}"#)
    try bench.elsewhere("x", #"{"a":3,"b":1}"#)
    try bench.pull()
  }

  @Test("when the server moves on, an open conflict's server side is replaced")
  mutating func movesOn() throws {
    try open()
    let row = try bench.elsewhere("x", #"{"a":4,"b":1}"#)
    #expect(try bench.pull().words == ["x conflict MM"])
    let key = try bench.key("x")
    #expect(bench.disk.inConflict[key] == row)
    #expect(bench.disk.sides[key]?.server == row.item)
    #expect(bench.item("x") == #"{"a":2,"b":1}"#)
    #expect(try base() == Item(text: #"{"a":1,"b":1}"#))
  }

  @Test("an open conflict that nothing has changed is not told again")
  mutating func toldOnce() throws {
    try open()
    let laid = try bench.disk.state(of: bench.table).laid
    #expect(try bench.pull().words == [])
    #expect(try bench.disk.state(of: bench.table).laid == laid)
  }

  @Test("while a row waits its item is not sent, though it can be read since the command began")
  mutating func notSentBeforeItsRow() throws {
    let id = "00000000000000000000000000000abc"
    let key = try bench.key(id)
    try bench.elsewhere(id, #"{"a":1}"#)
    bench.disk.save(Array("{".utf8), as: key)
    #expect(try bench.pull().words == ["\(id) held"])
    let mine = try Item(text: #"{"a":2}"#)
    // The row was brought to it a moment ago, and waits.
    bench.ahead(of: 2) { $0.save(mine, as: key) }
    // Of an id made at random an answer like this says that the row is from here.
    bench.line.fates = [.broken]
    #expect(try bench.push().words == ["\(id) held"])
    bench.disk.beforeStep = nil
    #expect(bench.line.log.writes.isEmpty)
    #expect(try bench.push().words == ["\(id) conflict AA"])
    #expect(bench.item(id) == #"{"a":2}"#)
  }

  @Test("a row that waited for the outcome of a write comes before what the same push sends")
  mutating func waitsForAnOutcome() throws {
    try bench.share("x", #"{"a":1}"#)
    try bench.save("x", #"{"a":2}"#)
    bench.line.fates = [.lost]
    try bench.push()
    let attempt = try #require(bench.disk.attempts[bench.key("x")])
    bench.disk.loseJournal()
    // As where a damaged log was mended.
    try bench.disk.append([.sent(attempt)], to: bench.table, durably: true)
    try bench.pull()
    try #require(try bench.disk.arrival(of: bench.key("x")) != nil)
    try bench.save("x", #"{"a":3}"#)
    #expect(try bench.push().words == ["x conflict AA"])
    #expect(bench.standings == ["x conflict AA"])
  }

  @Test("a conflict that the server has taken back is none any more")
  mutating func takenBack() throws {
    try open()
    try bench.elsewhere("x", #"{"a":1,"b":5}"#)
    #expect(try bench.pull().words == ["x merged"])
    #expect(bench.disk.inConflict.isEmpty && bench.disk.sides.isEmpty)
    #expect(bench.item("x") == #"{"a":2,"b":5}"#)
    #expect(bench.standings == ["x pending update"])
  }

  @Test("a conflict in which the server came to the client's side is none any more")
  mutating func cameToOurs() throws {
    try open()
    try bench.elsewhere("x", #"{"a":2,"b":1}"#)
    #expect(try bench.pull().words == ["x conflict over"])
    #expect(bench.disk.inConflict.isEmpty && bench.disk.sides.isEmpty)
    #expect(bench.differences == [])
  }

  @Test("an edited client side keeps its conflict open, whatever the server does")
  mutating func editedSide() throws {
    try open()
    let key = try bench.key("x")
    bench.disk.editSide(try Item(text: #"{"a":7,"b":1}"#), of: key)
    try bench.elsewhere("x", #"{"a":2,"b":1}"#)
    try bench.pull()
    #expect(bench.standings == ["x conflict MM"])
    #expect(
      try Resolve(settings: bench.settings).current(key, on: bench.disk).client
        == Item(text: #"{"a":7,"b":1}"#))
  }

  @Test("a conflict becomes one of another kind with what the server does")
  mutating func kindChanges() throws {
    try open()
    try bench.elsewhere("x", nil)
    #expect(try bench.pull().words == ["x conflict MD"])
    try bench.elsewhere("x", #"{"a":5,"b":1}"#)
    #expect(try bench.pull().words == ["x conflict MM"])
    #expect(bench.item("x") == #"{"a":2,"b":1}"#)
  }

  private struct DiskFails: Error {}

  @Test(
    "what the disk fails on in a pull's midst never looks like an edit or a delete",
    arguments: 0..<9)
  mutating func diskFails(step: Int) throws {
    try bench.share("y", #"{"a":1}"#)
    try bench.elsewhere("x", #"{"a":1,"b":2}"#)
    try bench.elsewhere("y", #"{"a":2}"#)
    try bench.elsewhere("z", #"{"a":1}"#)
    var left = step
    bench.disk.beforeStep = { _ in
      left -= 1
      if left == -1 { throw DiskFails() }
    }
    do { try bench.pull() } catch is DiskFails {}
    bench.disk.beforeStep = nil
    _ = try Recovery.run([bench.table], on: &bench.disk, settings: bench.settings)
    #expect(bench.standings == [])
    try bench.pull()
    #expect(bench.standings == [])
    #expect(bench.differences == [])
  }

  @Test("an edit of the client's side outlives the record of its conflict, and its user decides")
  mutating func lostRecord() throws {
    try bench.save("x", #"{"a":2,"b":1}"#)
    try bench.elsewhere("x", #"{"a":3,"b":1}"#)
    try bench.pull()
    let key = try bench.key("x")
    bench.disk.editSide(try Item(text: #"{"a":9,"b":1}"#), of: key)
    let side = bench.disk.sides[key]?.client
    bench.disk.loseJournal()
    try bench.pull()
    #expect(bench.disk.sides[key]?.client == side)
    #expect(throws: Resolve.Failure.twoClientSides(key)) { try bench.resolve("x", .client) }
    // The server moves on, and nothing is decided by that.
    try bench.elsewhere("x", #"{"a":4,"b":1}"#)
    try bench.pull()
    #expect(throws: Resolve.Failure.twoClientSides(key)) { try bench.resolve("x", .client) }
    try bench.save("x", #"{"a":9,"b":1}"#)
    try bench.resolve("x", .client)
    #expect(try bench.push().conflicts == 0)
    #expect(bench.row("x") == #"{"a":9,"b":1}"#)
  }
}
