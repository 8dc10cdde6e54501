import SyncEngine
import SyncModel
import TestSupport
import Testing

@Suite("A conflict is decided by what it was found by") struct ConflictOriginTests {
  private var bench: Bench
  private let id = "x"

  init() throws {
    bench = try Bench()
  }

  private func current() throws -> Conflict {
    try Resolve(settings: bench.settings).current(bench.key(id), on: bench.disk)
  }

  @Test(
    "after a lost answer what only its user has changed since isn't in conflict, whatever comes next"
  )
  mutating func lostUpdate() throws {
    try bench.share(id, #"{"text":"rice","due":1,"note":1}"#)
    try bench.save(id, #"{"text":"milk","due":1,"note":1}"#)
    bench.line.fates = [.replyLost]
    try bench.push()
    try bench.elsewhere(id, #"{"text":"milk","due":2,"note":1}"#)
    try bench.save(id, #"{"text":"oat","due":3,"note":1}"#)
    #expect(try bench.push().words.contains("\(id) conflict MM"))
    #expect(try current().names == ["due"])
    try bench.elsewhere(id, #"{"text":"milk","due":2,"note":2}"#)
    try bench.pull()
    #expect(try current().names == ["due"])
    let origin = try bench.disk.base(of: bench.key(id)).item
    #expect(try origin == Item(text: #"{"text":"milk","due":1,"note":1}"#))
    try bench.resolve(id, .item(try #require(try current().fields).item()))
    try bench.push()
    #expect(bench.row(id) == #"{"text":"oat","due":3,"note":2}"#)
    #expect(bench.differences == [])
  }

  /// A rule by which a conflict was found, one that was set since, and the fields that are in conflict
  /// then, with the item that is proposed.
  struct Case: CustomTestStringConvertible, Sendable {
    let found: MergePolicy
    let since: MergePolicy
    let names: [Text]
    let item: String

    var testDescription: String {
      "\(found.rule), \(since.rule): \(names.map(\.string).joined(separator: ", "))"
    }
  }

  private static let byField = MergePolicy(.fields, fields: ["due": .server])
  private static let mine = #"{"text":"mine","due":2,"note":1}"#
  private static let mineAndNote = #"{"text":"mine","due":2,"note":2}"#

  static let cases: [Case] = [
    Case(
      found: MergePolicy(.manual), since: MergePolicy(.manual), names: ["text", "due", "note"],
      item: mine),
    Case(
      found: byField, since: byField, names: ["text"],
      item: #"{"text":"mine","due":3,"note":2}"#),
    // A rule that is set afterwards doesn't decide for its user.
    Case(
      found: MergePolicy(.fields), since: MergePolicy(.server), names: ["text", "due"],
      item: mineAndNote),
    Case(
      found: MergePolicy(.fields), since: MergePolicy(.client), names: ["text", "due"],
      item: mineAndNote),
  ]

  @Test(
    "the rule of its table says which fields are in conflict, and decides none of them later",
    arguments: cases)
  mutating func rules(_ row: Case) throws {
    bench.settings.policies = [bench.table: row.found]
    try bench.share(id, #"{"text":"milk","due":1,"note":1}"#)
    try bench.save(id, Self.mine)
    try bench.elsewhere(id, #"{"text":"theirs","due":3,"note":2}"#)
    try bench.pull()
    bench.settings.policies = [bench.table: row.since]
    #expect(try current().names == row.names)
    #expect(try current().fields?.item() == Item(text: row.item))
  }

  @Test("a client's side that was removed and laid anew isn't taken for an edited one")
  mutating func laidAnew() throws {
    try bench.share(id, #"{"text":"milk"}"#)
    try bench.save(id, #"{"text":"mine"}"#)
    try bench.elsewhere(id, #"{"text":"theirs"}"#)
    try bench.pull()
    bench.disk.saveSide(nil, of: try bench.key(id))
    try bench.save(id, #"{"text":"mine, too"}"#)
    try bench.elsewhere(id, #"{"text":"theirs again"}"#)
    try bench.pull()
    try bench.save(id, #"{"text":"mine in the end"}"#)
    #expect(try current().client == Item(text: #"{"text":"mine in the end"}"#))
  }

  @Test("a client's side that is laid once the deleted item is back isn't taken for an edited one")
  mutating func laidOnceBack() throws {
    try bench.share(id, #"{"text":"milk"}"#)
    try bench.save(id, nil)
    for text in ["a", "b", "c"] {
      try bench.elsewhere(id, "{\"text\":\"\(text)\"}")
      try bench.pull()
      try bench.save(id, #"{"text":"mine"}"#)
    }
    let side = try bench.disk.conflictClient(of: bench.key(id))
    #expect(try side.item == Item(text: #"{"text":"mine"}"#))
    #expect(try current().client == Item(text: #"{"text":"mine"}"#))
    // What is saved from now on is one of two.
    try bench.save(id, #"{"text":"mine in the end"}"#)
    bench.disk.editSide(try Item(text: #"{"text":"decided"}"#), of: try bench.key(id))
    #expect(throws: Resolve.Failure.twoClientSides(try bench.key(id))) { try current() }
  }

  @Test("nor is one that was laid then, however that was cut off", arguments: 0..<12)
  mutating func laidOnceBackAndCutOff(step: Int) throws {
    try bench.share(id, #"{"text":"milk"}"#)
    try bench.save(id, nil)
    try bench.elsewhere(id, #"{"text":"a"}"#)
    try bench.pull()
    try bench.save(id, #"{"text":"mine"}"#)
    try bench.elsewhere(id, #"{"text":"b"}"#)
    try bench.cut(at: step) { try $0.pull() }
    try bench.pull()
    // What is saved now is the only edit.
    try bench.save(id, #"{"text":"mine in the end"}"#)
    #expect(try current().client == Item(text: #"{"text":"mine in the end"}"#))
  }

  @Test(
    "a conflict that a push finds is decided by the row it read, not by an older one that waits")
  mutating func olderWaits() throws {
    bench.server.tick = 0
    try bench.share(id, #"{"text":"milk"}"#)
    try bench.save(id, #"{"text":"mine"}"#)
    bench.line.fates = [.lost]
    try bench.push()
    try bench.elsewhere(id, #"{"text":"older"}"#)
    try bench.pull()
    let newer = try bench.elsewhere(id, #"{"text":"newer"}"#)
    try bench.push()
    #expect(try current().server == Item(text: #"{"text":"newer"}"#))
    #expect(try bench.disk.newestRow(of: bench.key(id)) == newer)
    try bench.resolve(id, .client)
    try bench.push()
    #expect(bench.row(id) == #"{"text":"mine"}"#)
    #expect(bench.differences == [])
  }
}
