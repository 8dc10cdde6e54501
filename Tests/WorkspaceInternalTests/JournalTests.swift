import Glibc
import SyncEngine
import SyncModel
import TestSupport
import Testing
import WorkspaceSupport

@testable import Workspace

@Suite struct JournalTests {
  let playground: Playground

  init() throws { playground = try Playground() }

  @Test(
    "W7: what is not known is refused, and the words say what",
    arguments: [
      (#"{"t":"future","table":"t","id":"a"}"#, "unknown kind of record 'future'"),
      (#"{"table":"t","id":"a"}"#, "the member 't' is missing"),
      (#"{"t":"noted","table":"t","id":"a","op":"upsert"}"#, "the member 'op' is not an operation"),
      (#"{"t":"noted","table":"t","id":"..","op":"insert"}"#, "an id can't be '.' or '..'"),
      (
        #"{"t":"noted","table":"../t","id":"a","op":"insert"}"#,
        "a table name must be a letter, then letters, digits and '_', 64 at most"
      ),
      (
        #"{"t":"closed","of":"everything","table":"t"}"#,
        "the record closes an unknown kind of entry, 'everything'"
      ),
      (
        #"{"t":"conflict","table":"t","id":"a","kind":"XX","fields":[],"row":{"id":"a"}}"#,
        "the member 'kind' is not a kind of conflict"
      ),
      (
        #"{"t":"conflict","table":"t","id":"a","kind":"MM","fields":[1],"row":{"id":"a"}}"#,
        "the member 'fields' is not a list of names"
      ),
      (
        #"{"t":"conflict","table":"t","id":"a","kind":"MM","fields":[]}"#,
        "the member 'row' is missing"
      ),
      (
        #"{"t":"result","table":"t","id":"a","row":{"id":[]}}"#,
        "the row's id is not a string or a whole number"
      ),
      (
        #"{"t":"rejected","table":"t","id":"a","op":"insert","status":"x","words":"","tries":1,"time":1}"#,
        "the member 'status' is not a whole number from 0 to 2^53"
      ),
      (
        #"{"t":"intent","table":"t","id":"a","op":"insert","method":"POST","target":"t","headers":[["a"]],"attempt":1}"#,
        "the member 'headers' is not a list of names and values"
      ),
      (
        #"{"t":"intent","table":"t","id":"a","op":"insert","method":"POST","target":"t","headers":[],"attempt":9223372036854775807}"#,
        "the member 'attempt' is not a whole number from 0 to 2^53"
      ),
      (
        #"{"t":"stopped","table":"t","known":-1}"#,
        "the member 'known' is not a whole number from 0 to 2^53"
      ),
      (
        #"{"t":"intent","table":"t","id":"a","op":"insert","method":"POST","target":"t","headers":[],"body64":"!","attempt":1}"#,
        "the member 'body64' is not base64"
      ),
      (
        #"{"t":"intent","table":"t","id":"a","op":"insert","method":"POST","target":"t","headers":[],"file":"x","attempt":1}"#,
        "the member 'file' is not a fingerprint"
      ),
    ])
  func refusesTheUnknown(text: String, fact: String) throws {
    let object = try #require(try JSON(parsing: Array(text.utf8)).object)
    #expect(throws: NameError(fact)) { try JournalRecord(object) }
  }

  /// Lines with what the journal of version 1 doesn't have.
  private static let lines = [
    #"{"t":"noted","table":"t","id":"a","op":"insert","commanded":true,"successor":{"table":"u","id":"b"},"arrived":true}"#,
    #"{"t":"intent","table":"t","id":"a","op":"delete","method":"DELETE","target":"t","headers":[],"attempt":1}"#,
    #"{"t":"intent","table":"t","id":"a","op":"delete","method":"DELETE","target":"t","headers":[],"body":"","attempt":1}"#,
    #"{"t":"conflict","table":"t","id":"a","kind":"MM","fields":["n"],"row":{"id":"a","n":1},"base":{"n":2}}"#,
    #"{"t":"stopped","table":"t","known":7}"#,
    #"{"t":"closed","of":"stop","table":"t"}"#,
  ]

  @Test("A record of any kind is written as the line that it was read from")
  func writesWhatItReads() throws {
    let fixture = try #require(Fixture.path("journal-v1.jsonl").flatMap { Files.read($0) })
    let lines: [[UInt8]] =
      fixture.split(separator: 0x0A).dropFirst().map { Array($0) }
      + Self.lines.map { Array($0.utf8) }
    for line in lines {
      let members = try #require(try JSON(parsing: line).object).members
      let object = JSONObject(members.filter { !["n", "d", "crc"].contains($0.name) })
      let written = try JournalRecord(object).object
      #expect(JSON.object(written).encoded() == JSON.object(object).encoded())
    }
  }

  @Test("The journal of version 1 is read for ever")
  func readsVersion1() throws {
    let path = try #require(Fixture.path("journal-v1.jsonl"))
    playground.directory.write(
      try #require(Files.read(path)), to: ".todosync/journal.jsonl")
    let journal = try Workspace(at: playground.directory.path, for: .reading, clock: { 0 }).journal
    let (table, other) = (playground.table, try TableName("other"))
    let milk = ItemKey(table, try ItemID("7f3a"))
    let item = try Item(text: #"{"text": "Buy oat milk", "n": 1.50}"#)
    let file = Digest("0123456789abcdef0123456789abcdef")
    var expected = JournalState()
    expected.add(.noted(milk, Note(kind: .update, commanded: false)))
    expected.add(
      .intent(
        Intent(
          key: milk, kind: .update,
          request: Request(
            method: "PATCH", target: "tables/todoitem/7f3a",
            headers: [.init("If-Match", "\"AAAA\"")], body: Array(#"{"text":"Buy oat milk"}"#.utf8)),
          version: Version("AAAA"), item: item, digest: file)))
    expected.add(
      .intent(
        Intent(
          key: ItemKey(table, try ItemID("c01d")), kind: .insert,
          request: Request(method: "POST", target: "tables/todoitem", body: [0xFF, 0, 0x80]),
          version: nil, item: Item(JSONObject()), digest: nil, attempt: 2)))
    expected.add(
      .result(
        milk,
        Row(
          id: milk.id, item: item, version: Version("AAAB"),
          updatedAt: Timestamp("2026-03-01T10:15:02Z"))))
    expected.add(
      .rejected(
        ItemKey(table, try ItemID("5d20")),
        Rejection(
          kind: .update, refusal: Refusal(status: 400, words: "text is required"), digest: file,
          tries: 3, time: 1_772_360_102)))
    let passport = ItemKey(table, try ItemID("2b9e"))
    expected.add(
      .conflict(
        passport,
        OpenConflict(
          kind: .modified, fields: ["due"], digest: file,
          server: Row(
            id: passport.id, item: try Item(text: #"{"due": "2026-03-10"}"#),
            version: Version("AAAC"), updatedAt: Timestamp("2026-03-01T10:14:00Z")))))
    expected.add(.purge(other))
    #expect(journal == expected)
  }

  @Test("case 98: a record that one process made safe is known as safe by the next one's")
  func knowsWhatIsSafe() throws {
    for id in ["a", "b"] as [Text] {
      var workspace = try playground.open()
      let note = Note(kind: .delete, commanded: true)
      try workspace.append([.noted(playground.key(id), note)], durably: true)
    }
    let path = ".todosync/journal.jsonl"
    var bytes = try #require(playground.directory.read(path))
    let place = try #require(bytes.firstRange(of: Array("noted".utf8))).lowerBound
    bytes[place] ^= 1
    playground.directory.write(bytes, to: path)
    #expect(throws: WorkspaceError.self) { try playground.open() }
    #expect(playground.directory.read(path) == bytes)
  }
}

/// The files beside the tests.
enum Fixture {
  /// Returns a fixture's path; `nil` where there is none.
  static func path(_ name: String) -> String? {
    let folder = #filePath.utf8.lastIndex(of: UInt8(ascii: "/")).map { #filePath[..<$0] } ?? "."
    return UserDirectory.resolved("\(folder)/Fixtures/\(name)")
  }
}
