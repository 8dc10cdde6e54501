import SyncEngine
import SyncModel
import TestSupport
import Testing

@Suite("Resolving conflicts") struct ResolveTests {
  private var bench: Bench

  init() throws {
    bench = try Bench()
  }

  /// Opens a conflict of a kind about `x`, by a pull.
  private mutating func open(_ kind: Conflict.Kind) throws {
    if kind != .added { try bench.share("x", #"{"a":1,"b":1}"#) }
    try bench.save("x", kind == .deletedHere ? nil : #"{"a":2,"b":1}"#)
    try bench.elsewhere("x", kind == .deletedThere ? nil : #"{"a":3,"b":2}"#)
    try bench.pull()
    #expect(bench.standings == ["x conflict \(kind.rawValue)"])
  }

  /// A kind of conflict, a choice, and what comes of both.
  struct Case: CustomTestStringConvertible, Sendable {
    let kind: Conflict.Kind
    let choice: String
    /// The item after the resolution, and at both sides after the push.
    let item: String?
    let writes: [String]

    var testDescription: String { "\(kind.rawValue), \(choice)" }

    init(_ kind: Conflict.Kind, _ choice: String, _ item: String?, _ writes: String...) {
      (self.kind, self.choice, self.item, self.writes) = (kind, choice, item, writes)
    }
  }

  private static let client = #"{"a":2,"b":1}"#
  private static let server = #"{"a":3,"b":2}"#
  private static let edited = #"{"a":4,"b":2}"#
  private static let copy = #"POST todoitem/copy {"id":"copy","a":2,"b":1}"#

  static let cases: [Case] = [
    Case(.modified, "client", client, #"PATCH todoitem/x If-Match v2 {"a":2,"b":1}"#),
    Case(.modified, "server", server),
    Case(.modified, "both", server, copy),
    Case(.modified, "item", edited, #"PATCH todoitem/x If-Match v2 {"a":4}"#),
    Case(.added, "client", client, #"PATCH todoitem/x If-Match v1 {"a":2,"b":1}"#),
    Case(.added, "server", server),
    Case(.added, "both", server, copy),
    Case(.added, "item", edited, #"PATCH todoitem/x If-Match v1 {"a":4}"#),
    Case(
      .deletedThere, "client", client, "POST todoitem/x If-Match v2",
      #"PATCH todoitem/x If-Match v3 {"a":2}"#),
    Case(.deletedThere, "server", nil),
    Case(.deletedThere, "both", nil, copy),
    Case(
      .deletedThere, "item", edited, "POST todoitem/x If-Match v2",
      #"PATCH todoitem/x If-Match v3 {"a":4,"b":2}"#),
    Case(.deletedHere, "client", nil, "DELETE todoitem/x If-Match v2"),
    Case(.deletedHere, "server", server),
    Case(.deletedHere, "both", server),
    Case(.deletedHere, "item", edited, #"PATCH todoitem/x If-Match v2 {"a":4}"#),
  ]

  private func choice(_ name: String) throws -> Choice {
    switch name {
    case "client": .client
    case "server": .server
    case "both": .both(try ItemID("copy"))
    default: .item(try Item(text: Self.edited))
    }
  }

  @Test("each choice, for each kind, is what is at both sides after the push", arguments: cases)
  mutating func choices(_ row: Case) throws {
    try open(row.kind)
    try bench.resolve("x", try choice(row.choice))
    #expect(bench.item("x") == row.item)
    #expect(bench.disk.inConflict.isEmpty)
    #expect(bench.disk.sides.isEmpty)
    try bench.push()
    #expect(bench.writes() == row.writes)
    #expect(bench.row("x") == row.item)
    #expect(bench.differences == [])
  }

  @Test(
    "what loses is in the trash, whoever loses", arguments: ["client", "server", "both", "item"])
  mutating func trash(_ name: String) throws {
    try open(.modified)
    try bench.resolve("x", try choice(name))
    let texts = bench.disk.trash.map { String(decoding: $0, as: UTF8.self) }
    #expect(texts.contains(#"{"id":"x","a":2,"b":1}"#))
    #expect(texts.contains(#"{"id":"x","a":3,"b":2}"#))
  }

  @Test("of what a command has removed, a file with its id is a copy, and no move")
  mutating func removedBesideCopy() throws {
    try open(.deletedHere)
    let key = try bench.key("x")
    try bench.mark("x", .removed())
    let resolve = Resolve(settings: bench.settings)
    var disk = StrayDisk(memory: bench.disk)
    let file = InvalidItem(place: "x (1).json", message: "no", otherID: key.id)
    disk.more = [Candidate(key: nil, client: .invalid(file), modified: 0)]
    let conflict = try resolve.current(key, on: disk)
    try resolve.settle(key, conflict, by: Choice.client.resolution(of: conflict), on: &disk)
    #expect(try !disk.isInConflict(key))
  }

  @Test("a file that was moved since the conflict was looked at is not taken for a delete")
  mutating func movedMeanwhile() throws {
    try open(.deletedHere)
    let key = try bench.key("x")
    let resolve = Resolve(settings: bench.settings)
    var disk = StrayDisk(memory: bench.disk)
    let conflict = try resolve.current(key, on: disk)
    let file = InvalidItem(place: "x (1).json", message: "no", otherID: key.id)
    disk.more = [Candidate(key: nil, client: .invalid(file), modified: 0)]
    #expect(throws: Resolve.Failure.moved(key, file)) {
      try resolve.settle(key, conflict, by: Choice.client.resolution(of: conflict), on: &disk)
    }
    #expect(try disk.isInConflict(key))
  }

  // MARK: - Which client side counts

  private func current() throws -> Conflict {
    try Resolve(settings: bench.settings).current(bench.key("x"), on: bench.disk)
  }

  @Test("a conflict has the three sides, and the fields in which they differ")
  mutating func untouched() throws {
    try open(.modified)
    let conflict = try current()
    #expect(conflict.client == (try Item(text: Self.client)))
    #expect(conflict.server == (try Item(text: Self.server)))
    #expect(conflict.base == (try Item(text: #"{"a":1,"b":1}"#)))
    #expect(conflict.names == ["a"])
  }

  /// What was saved as the item, and as the client's side, since the conflict was found, and which of
  /// them counts.
  struct Saved: CustomTestStringConvertible, Sendable {
    let testDescription: String
    var item: String? = ResolveTests.client
    var side: String?
    let counts: String?
  }

  static let saved: [Saved] = [
    Saved(testDescription: "the item", item: #"{"a":7,"b":1}"#, counts: #"{"a":7,"b":1}"#),
    Saved(testDescription: "the side", side: #"{"a":8,"b":1}"#, counts: #"{"a":8,"b":1}"#),
    Saved(
      testDescription: "both alike", item: #"{"a":7,"b":1}"#, side: #"{"a":7.0,"b":1}"#,
      counts: #"{"a":7,"b":1}"#),
    Saved(testDescription: "the item, deleted", item: nil, counts: nil),
  ]

  @Test("of a conflict's client sides the one counts that was edited", arguments: saved)
  mutating func countsEdited(_ row: Saved) throws {
    try open(.modified)
    try bench.save("x", row.item)
    if let side = row.side { bench.disk.editSide(try Item(text: side), of: try bench.key("x")) }
    let counts = try row.counts.map { try Item(text: $0) }
    #expect(try current().client == counts)
    try bench.resolve("x", .client)
    #expect(bench.item("x") == row.counts)
    try bench.push()
    #expect(bench.row("x") == row.counts)
    #expect(bench.differences == [])
  }

  @Test("both edited differently are for the user to sort out, and nothing is done")
  mutating func twoSides() throws {
    try open(.modified)
    let key = try bench.key("x")
    try bench.save("x", #"{"a":7,"b":1}"#)
    bench.disk.editSide(try Item(text: #"{"a":8,"b":1}"#), of: key)
    #expect(throws: Resolve.Failure.twoClientSides(key)) { try bench.resolve("x", .client) }
    #expect(bench.item("x") == #"{"a":7,"b":1}"#)
    #expect(bench.standings == ["x conflict MM"])
  }

  @Test("an item that can't be read as one is told, and nothing is done")
  mutating func invalidFile() throws {
    try open(.modified)
    let key = try bench.key("x")
    bench.disk.save(Array("{".utf8), as: key)
    let invalid = InvalidItem(
      place: "todoitem/x", line: 1, column: 2, message: "expected a member name in quotes")
    #expect(throws: Resolve.Failure.invalid(key, invalid)) { try bench.resolve("x", .client) }
    #expect(bench.standings == ["x invalid todoitem/x"])
    #expect(bench.disk.inConflict.count == 1)
    #expect(bench.disk.files[key]?.bytes == Array("{".utf8))
  }

  @Test(
    "a side that can't be read is told, also where there was none",
    arguments: [Conflict.Kind.modified, .deletedHere, .deletedThere])
  mutating func invalidSide(_ kind: Conflict.Kind) throws {
    try open(kind)
    let key = try bench.key("x")
    bench.disk.saveSide(Array("{".utf8), of: key)
    let failure = #expect(throws: Resolve.Failure.self) { try bench.resolve("x", .server) }
    guard case .invalid(key, _)? = failure else {
      Issue.record("\(String(describing: failure))")
      return
    }
    #expect(bench.disk.sides[key]?.client == Array("{".utf8))
    #expect(bench.disk.inConflict.count == 1)
  }

  @Test("an item edited after the conflict was shown is not overwritten; the conflict stays")
  mutating func changedMeanwhile() throws {
    try open(.modified)
    let key = try bench.key("x")
    let conflict = try current()
    let item = try Item(text: #"{"a":9,"b":9}"#)
    bench.ahead(of: 1) { $0.save(item, as: key) }
    #expect(throws: Resolve.Failure.changedMeanwhile(key)) {
      try Resolve(settings: bench.settings).settle(
        key, conflict, by: Choice.server.resolution(of: conflict), on: &bench.disk)
    }
    bench.disk.beforeStep = nil
    #expect(bench.item("x") == #"{"a":9,"b":9}"#)
    #expect(bench.standings == ["x conflict MM"])
    #expect(try current().client == item)
  }

  @Test("a side edited after a resolution was interrupted is not dropped; the conflict stays")
  mutating func editedSinceInterrupted() throws {
    struct Killed: Error {}
    let start = bench
    let text = #"{"a":8,"b":1}"#
    var cuts = 0
    for choice in [Choice.client, .server, .both(try bench.key("copy").id)] {
      for cut in 1... {
        bench = start
        try open(.modified)
        let key = try bench.key("x")
        let conflict = try current()
        var step = 0
        bench.disk.beforeStep = { _ in
          step += 1
          if step == cut { throw Killed() }
        }
        try? Resolve(settings: bench.settings).settle(
          key, conflict, by: choice.resolution(of: conflict), on: &bench.disk)
        bench.disk.beforeStep = nil
        guard step == cut, bench.disk.sides[key] != nil else { break }
        bench.disk.editSide(try Item(text: text), of: key)
        try bench.push()
        let side = try bench.disk.conflictClient(of: key).item
        #expect(try side == Item(text: text), "\(choice), step \(cut)")
        #expect(bench.standings.contains("x conflict MM"), "\(choice), step \(cut)")
        cuts += 1
      }
    }
    #expect(cuts >= 6)
  }

  @Test("what is saved while an interrupted resolution goes on, and a side was edited, counts too")
  mutating func savedWhenFinished() throws {
    struct Killed: Error {}
    try open(.modified)
    let key = try bench.key("x")
    let conflict = try current()
    bench.ahead(of: 2) { _ in throw Killed() }
    #expect(throws: Killed.self) {
      try Resolve(settings: bench.settings).settle(
        key, conflict, by: Choice.server.resolution(of: conflict), on: &bench.disk)
    }
    bench.disk.editSide(try Item(text: #"{"a":8,"b":1}"#), of: key)
    let file = try Item(text: #"{"a":9,"b":9}"#)
    bench.ahead(of: 1) { $0.save(file, as: key) }
    try bench.push()
    bench.disk.beforeStep = nil
    #expect(bench.item("x") == #"{"a":9,"b":9}"#)
    #expect(throws: Resolve.Failure.twoClientSides(key)) { try bench.resolve("x", .client) }
  }

  @Test("a side saved at any step of a resolution is not dropped untold; it alone counts then")
  mutating func editedDuring() throws {
    let start = bench
    let text = #"{"a":8,"b":1}"#
    var saves = 0
    for choice in [Choice.client, .server] {
      for at in 1... {
        bench = start
        try open(.modified)
        let key = try bench.key("x")
        let conflict = try current()
        let side = try Item(text: text)
        var step = 0
        bench.disk.beforeStep = { disk in
          step += 1
          if try step == at && disk.isInConflict(key) { disk.editSide(side, of: key) }
        }
        try? Resolve(settings: bench.settings).settle(
          key, conflict, by: choice.resolution(of: conflict), on: &bench.disk)
        bench.disk.beforeStep = nil
        // Before its last steps a resolution looks for the last time.
        guard try bench.disk.isInConflict(key) else { break }
        #expect(try current().client == side, "\(choice), step \(at)")
        saves += 1
      }
    }
    #expect(saves >= 2)
  }

  @Test(
    "a side that can't be read outlives a pull that would end its conflict",
    arguments: [Conflict.Kind.modified, .deletedHere])
  mutating func invalidSideInPull(_ kind: Conflict.Kind) throws {
    try open(kind)
    let key = try bench.key("x")
    bench.disk.saveSide(Array("{".utf8), of: key)
    try bench.elsewhere("x", kind == .deletedHere ? nil : Self.client)
    try bench.pull()
    #expect(bench.disk.sides[key]?.client == Array("{".utf8))
    #expect(bench.disk.inConflict.count == 1)
  }

  // MARK: - Opened again

  @Test(
    "a conflict that is opened again is as before; cut off, no push sends what was not decided",
    arguments: [Conflict.Kind.modified, .added, .deletedHere, .deletedThere])
  mutating func reopens(_ kind: Conflict.Kind) throws {
    struct Killed: Error {}
    let start = bench
    let key = try bench.key("x")
    for choice in [Choice.client, .server] {
      for cut in 1... {
        bench = start
        try open(kind)
        let (before, text) = (try current(), bench.item("x"))
        try bench.resolve("x", choice)
        let row = bench.row("x")
        let sent = bench.server.writes.count
        var step = 0
        bench.disk.beforeStep = { _ in
          step += 1
          if step == cut { throw Killed() }
        }
        let digest = try bench.disk.client(key).digest
        _ = try? bench.disk.reopen(key, over: before.base, expecting: digest, now: 7) { disk in
          guard let item = before.client else { return try disk.remove(key, expecting: digest) }
          return try disk.write(item, to: key, expecting: digest) != .changedMeanwhile
        }
        bench.disk.beforeStep = nil
        let isDone = step < cut
        // As long as it has not begun, the decision stands.
        if case .client = choice, try bench.disk.arrival(of: key) == nil { continue }
        try bench.push()
        #expect(
          bench.row("x") == row && bench.server.writes.count == sent, "\(choice), step \(cut)")
        guard isDone else { continue }
        #expect(bench.item("x") == text && bench.standings == ["x conflict \(kind.rawValue)"])
        #expect(try current() == before)
        break
      }
    }
  }

  // MARK: - The server moves on

  @Test("a resolution that the server no longer expects is merged where it can be")
  mutating func movedOnApart() throws {
    try open(.modified)
    try bench.resolve("x", .client)
    try bench.elsewhere("x", #"{"a":3,"b":2,"c":1}"#)
    let report = try bench.push()
    #expect(report.words == ["x merged", "x pushed update"])
    #expect(bench.row("x") == #"{"a":2,"b":1,"c":1}"#)
    #expect(bench.differences == [])
  }

  @Test("a new conflict of an item shows the item as it is then, not an older client side")
  mutating func sidesAreRenewed() throws {
    try open(.modified)
    try bench.resolve("x", .item(try Item(text: Self.edited)))
    try bench.elsewhere("x", #"{"a":30,"b":2}"#)
    try bench.push()
    #expect(try current().client == Item(text: Self.edited))
    #expect(
      bench.disk.sides[try bench.key("x")]?.client == bench.disk.files[try bench.key("x")]?.bytes)
  }
}
