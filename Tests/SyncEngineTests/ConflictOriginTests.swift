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

  /// Changes an item's field, whose answer is lost, lets somebody else change another one, and edits
  /// both.
  private mutating func loseUpdate() throws {
    try bench.share(id, #"{"text":"rice","due":1,"note":1}"#)
    try bench.save(id, #"{"text":"milk","due":1,"note":1}"#)
    bench.line.fates = [.replyLost]
    try bench.push()
    try bench.elsewhere(id, #"{"text":"milk","due":2,"note":1}"#)
    try bench.save(id, #"{"text":"oat","due":3,"note":1}"#)
    #expect(try bench.push().words.contains("\(id) conflict MM"))
  }

  @Test("after a lost answer what only its user has changed since isn't in conflict")
  mutating func lostUpdate() throws {
    try loseUpdate()
    #expect(try current().names == ["due"])
    try bench.resolve(id, .item(try #require(try current().fields).item))
    try bench.push()
    #expect(bench.row(id) == #"{"text":"oat","due":3,"note":1}"#)
    #expect(bench.differences == [])
  }

  @Test("nor after the server has moved on")
  mutating func movedOn() throws {
    try loseUpdate()
    try bench.elsewhere(id, #"{"text":"milk","due":2,"note":2}"#)
    try bench.pull()
    #expect(try current().names == ["due"])
    #expect(try current().fields?.item == Item(text: #"{"text":"oat","due":3,"note":2}"#))
    let origin = try bench.disk.base(of: bench.key(id)).item
    #expect(try origin == Item(text: #"{"text":"milk","due":1,"note":1}"#))
  }

  @Test("where nothing is merged, the server's side is the server's and the client's the client's")
  mutating func manual() throws {
    bench.settings.policies = [bench.table: MergePolicy(.manual)]
    try bench.share(id, #"{"text":"milk","due":1}"#)
    try bench.save(id, #"{"text":"mine","due":1}"#)
    try bench.elsewhere(id, #"{"text":"milk","due":2}"#)
    try bench.pull()
    let conflict = try current()
    #expect(conflict.names == ["text", "due"])
    #expect(try conflict.fields?.item == Item(text: #"{"text":"mine","due":1}"#))
  }

  @Test("a rule of the table decides its field as it did when the conflict was found")
  mutating func fieldRule() throws {
    bench.settings.policies = [bench.table: MergePolicy(.fields, fields: ["due": .server])]
    try bench.share(id, #"{"text":"milk","due":1}"#)
    try bench.save(id, #"{"text":"mine","due":2}"#)
    try bench.elsewhere(id, #"{"text":"theirs","due":3}"#)
    try bench.pull()
    #expect(try current().names == ["text"])
    #expect(try current().fields?.item == Item(text: #"{"text":"mine","due":3}"#))
  }

  @Test(
    "a rule that is set afterwards doesn't decide for its user",
    arguments: [MergePolicy.Rule.server, .client])
  mutating func ruleSince(_ rule: MergePolicy.Rule) throws {
    try bench.share(id, #"{"text":"milk"}"#)
    try bench.save(id, #"{"text":"mine"}"#)
    try bench.elsewhere(id, #"{"text":"theirs"}"#)
    try bench.pull()
    bench.settings.policies = [bench.table: MergePolicy(rule)]
    #expect(try current().names == ["text"])
    #expect(try current().fields?.item == Item(text: #"{"text":"mine"}"#))
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

  @Test("nor is one that is laid once the item is back which its user had deleted")
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
