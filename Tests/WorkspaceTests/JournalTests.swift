import Glibc
import SyncEngine
import SyncModel
import TestSupport
import Testing

@testable import Workspace

@Suite struct JournalTests {
  let playground: Playground

  init() throws { playground = try Playground() }

  @Test("Every record is read back as it was written", arguments: 0..<200 as Range<UInt64>)
  func roundTrips(seed: UInt64) throws {
    var random = RandomRecords(seed: seed)
    for number in 0..<18 {
      let record = try random.record(number)
      // Through the text, as a file has it.
      let text = JSON.object(record.object).encoded()
      let object = try #require(try JSON(parsing: text).object)
      #expect(try JournalRecord(object) == record, "seed \(seed), record \(number)")
    }
  }

  @Test("Empty and absent bodies are told apart, and bytes that are no text survive")
  func keepsBodies() throws {
    for body in [nil, [], [0x7B, 0x7D], [0xFF], Array(0...255)] as [[UInt8]?] {
      let intent = Intent(
        key: try playground.key(), kind: .delete,
        request: Request(method: "DELETE", target: "t", body: body), version: nil, item: nil,
        digest: nil)
      #expect(try JournalRecord(JournalRecord.intent(intent).object) == .intent(intent))
    }
  }

  @Test(
    "W7: what is not known is refused, and the words say what",
    arguments: [
      (#"{"t":"future","table":"t","id":"a"}"#, "no record is called 'future'"),
      (#"{"table":"t","id":"a"}"#, "the member 't' is missing"),
      (#"{"t":"noted","table":"t","id":"a","op":"upsert"}"#, "the member 'op' is not an operation"),
      (#"{"t":"noted","table":"t","id":"..","op":"insert"}"#, "an id can't be '.' or '..'"),
      (
        #"{"t":"noted","table":"../t","id":"a","op":"insert"}"#,
        "a table's name is a letter, then letters, digits and '_', 64 at most"
      ),
      (
        #"{"t":"closed","of":"everything","table":"t"}"#,
        "nothing that can be closed is called 'everything'"
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

  @Test("What was appended is there when the workspace is opened again")
  func survivesReopening() throws {
    let key = try playground.key()
    let record = JournalRecord.noted(key, Note(kind: .insert, commanded: false))
    do {
      var workspace = try playground.open()
      try workspace.append([record], durably: true)
      #expect(workspace.journal.records == [record])
    }
    #expect(try playground.open().journal.records == [record])
    let reader = try Workspace(at: playground.directory.path, for: .reading, clock: { 0 })
    #expect(reader.journal.records == [record])
  }

  @Test("A rotated journal says the same in fewer lines", arguments: 0..<20 as Range<UInt64>)
  func rotates(seed: UInt64) throws {
    var random = RandomRecords(seed: seed)
    let root = try Directory(path: playground.directory.path(of: ".todosync"), place: "")
    let trash = Trash(try root.child("trash"), clock: { 0 })
    let journal = try Journal(in: root, writing: true, trash: trash)
    for number in 0..<40 {
      let record = try random.record(number)
      switch record {
      case .intent, .result, .resolve: break  // the journal must be quiet
      default: try journal.append([record], durably: false)
      }
    }
    let table = try TableName("over")
    try journal.append([.stopped(table, known: 1), .closed(.stop(table))], durably: false)
    let state = journal.state
    #expect(state.isQuiet)
    let before = playground.directory.read(".todosync/journal.jsonl")?.count ?? 0
    try journal.rotate(above: 0)
    #expect(journal.state == state)
    #expect(playground.directory.read(".todosync/journal.jsonl")?.count ?? .max < before)
    #expect(try Journal(in: root, writing: true, trash: trash).state == state, "seed \(seed)")
  }

  @Test("A journal is not rotated while a write is on its way, nor while it is small")
  func rotatesOnlyWhenQuiet() throws {
    let key = try playground.key()
    let intent = Intent(
      key: key, kind: .delete, request: Request(method: "DELETE", target: "t"), version: nil,
      item: nil, digest: nil)
    var workspace = try playground.open()
    try workspace.append(
      [.intent(intent), .noted(key, Note(kind: .delete, commanded: true))],
      durably: true)
    let text = playground.directory.read(".todosync/journal.jsonl")
    try workspace.records.rotate(above: 0)
    #expect(playground.directory.read(".todosync/journal.jsonl") == text)
    try workspace.append([.closed(.operation(key))], durably: true)
    let longer = playground.directory.read(".todosync/journal.jsonl")
    try workspace.records.rotate(above: Workspace.rotationSize)
    #expect(playground.directory.read(".todosync/journal.jsonl") == longer)
    try workspace.records.rotate(above: 0)
    #expect(playground.directory.read(".todosync/journal.jsonl")?.count ?? .max < 200)
  }

  @Test("L13: a journal that somebody removed is begun anew, and told")
  func begins() throws {
    unlink(playground.directory.path(of: ".todosync/journal.jsonl"))
    let reader = try Workspace(at: playground.directory.path, for: .reading, clock: { 0 })
    #expect(reader.journal.records == [])
    #expect(
      try playground.open().notices == [
        "journal.jsonl was missing or empty; what was pending is found by comparing"
      ])
    #expect(try playground.open().notices == [])
  }

  @Test("A torn tail is cut off, kept and told; a reader passes over it")
  func cutsTornTails() throws {
    let record = JournalRecord.noted(try playground.key(), Note(kind: .insert, commanded: false))
    do {
      var workspace = try playground.open()
      try workspace.append([record], durably: true)
    }
    let whole = try #require(playground.directory.read(".todosync/journal.jsonl"))
    playground.directory.write(
      whole + Array("{\"n\":2,\"d\":1,\"t\":\"no".utf8), to: ".todosync/journal.jsonl")
    let reader = try Workspace(at: playground.directory.path, for: .reading, clock: { 0 })
    #expect(reader.journal.records == [record])
    let workspace = try playground.open()
    #expect(workspace.journal.records == [record])
    #expect(workspace.notices.count == 1)
    #expect(playground.directory.read(".todosync/journal.jsonl") == whole)
    #expect(
      playground.directory.text(".todosync/trash/journal-tail.20260301T101502Z.1")
        == "{\"n\":2,\"d\":1,\"t\":\"no")
  }

  @Test("A record that was destroyed stops everything, and nothing is touched")
  func stopsAtDamage() throws {
    let key = try playground.key()
    do {
      var workspace = try playground.open()
      for _ in 0..<3 {
        try workspace.append([.noted(key, Note(kind: .insert, commanded: false))], durably: true)
      }
    }
    var bytes = try #require(playground.directory.read(".todosync/journal.jsonl"))
    let line = try #require(bytes.firstIndex(of: 0x0A))
    bytes[line + 30] ^= 1
    playground.directory.write(bytes, to: ".todosync/journal.jsonl")
    let error = #expect(throws: WorkspaceError.self) { try self.playground.open() }
    guard case .damaged("journal.jsonl", _, _) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(playground.directory.read(".todosync/journal.jsonl") == bytes)
  }

  @Test("The journal of version 1 is read for ever")
  func readsVersion1() throws {
    let path = try #require(Fixture.path("journal-v1.jsonl"))
    playground.directory.write(
      try #require(Fixture.bytes(path)), to: ".todosync/journal.jsonl")
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

  @Test("a stop is known to the next process until it is closed")
  func keepsStops() throws {
    let table = playground.table
    func stops() throws -> [TableName: Int] { try playground.open().journal.stops }
    do {
      var workspace = try playground.open()
      try workspace.append([.stopped(table, known: 7)], durably: true)
    }
    #expect(try stops() == [table: 7])
    do {
      var workspace = try playground.open()
      try workspace.append([.closed(.stop(table))], durably: true)
    }
    #expect(try stops() == [:])
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

  /// Returns a file's bytes.
  static func bytes(_ path: String) -> [UInt8]? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    return try? FileBytes.read(1 << 20, from: descriptor, at: 0, place: path)
  }
}
