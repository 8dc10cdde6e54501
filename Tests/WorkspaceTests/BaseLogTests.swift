import Glibc
import SyncModel
import TestSupport
import Testing

@testable import Workspace

@Suite struct BaseLogTests {
  let bench: RowsBench

  init() throws { bench = try RowsBench() }

  private func id(_ text: Text) throws -> ItemID { try ItemID(text) }

  private let path = "base/todoitem.jsonl"

  private var lines: [JSONObject] {
    (bench.directory.read(path) ?? []).split(separator: 0x0A).compactMap {
      (try? JSON(parsing: Array($0)))?.object
    }
  }

  @Test("A table of which there is no log was never seen")
  func knowsNothingAtFirst() throws {
    let log = try bench.log()
    #expect(try log.base(of: id("a")) == .neverSeen)
    #expect(log.rows.liveIDs.isEmpty)
    #expect(log.rows.token == nil)
    #expect(try log.incomingRows().isEmpty)
    #expect(bench.directory.read(path) == nil)
  }

  @Test("Rows are in effect when a commit follows them, and not before")
  func commits() throws {
    let row = try bench.row("a", "one")
    let log = try bench.log()
    try log.append([row], atOnce: false, durably: true)
    for log in [log, try bench.log()] {
      #expect(try log.base(of: id("a")) == .neverSeen)
      #expect(try log.incomingRows() == [row])
    }
    try log.commit(token: DeltaToken("T1"), held: [])
    for log in [log, try bench.log()] {
      #expect(try log.base(of: id("a")) == .row(row))
      #expect(try log.incomingRows().isEmpty)
      #expect(log.rows.liveIDs == [try id("a")])
      #expect(log.rows.token == DeltaToken("T1"))
    }
  }

  @Test("A row held back leaves the former base in effect, and waits over later commits")
  func holdsBack() throws {
    let first = try bench.row("a", "one", version: "A")
    let second = try bench.row("a", "two", version: "B")
    let other = try bench.row("b", "other")
    let log = try bench.log()
    try log.append([first], atOnce: false, durably: true)
    try log.commit(token: DeltaToken("T1"), held: [])
    try log.append([second, other], atOnce: false, durably: true)
    try log.commit(token: DeltaToken("T2"), held: [id("a"), id("unknown")])
    try log.append([try bench.row("c", "third")], atOnce: false, durably: true)
    try log.commit(token: nil, held: [])
    for log in [log, try bench.log()] {
      #expect(try log.base(of: id("a")) == .row(first))
      #expect(try log.base(of: id("b")) == .row(other))
      #expect(try log.incomingRows() == [second])
      #expect(log.rows.token == DeltaToken("T2"))
    }
  }

  @Test("A newer row takes the place of one that was held back")
  func replacesHeldRows() throws {
    let log = try bench.log()
    try log.append([try bench.row("a", "two", version: "B")], atOnce: false, durably: true)
    try log.commit(token: nil, held: [id("a")])
    let third = try bench.row("a", "three", version: "C")
    try log.append([third], atOnce: false, durably: true)
    #expect(try log.incomingRows() == [third])
    try log.commit(token: nil, held: [])
    for log in [log, try bench.log()] {
      #expect(try log.base(of: id("a")) == .row(third))
      #expect(try log.incomingRows().isEmpty)
    }
  }

  @Test("A push's row is in effect at once, and pushes aside what waited before it")
  func takesPushedRows() throws {
    let pushed = try bench.row("a", "pushed", version: "C")
    let log = try bench.log()
    try log.append([try bench.row("a", "two", version: "B")], atOnce: false, durably: true)
    try log.append([pushed], atOnce: true, durably: false)
    try log.commit(token: nil, held: [])
    for log in [log, try bench.log()] {
      #expect(try log.base(of: id("a")) == .row(pushed))
      #expect(try log.incomingRows().isEmpty)
    }
    let later = try bench.row("a", "later", version: "D")
    try log.append([later], atOnce: false, durably: true)
    #expect(try log.base(of: id("a")) == .row(pushed))
    try log.commit(token: nil, held: [])
    #expect(try bench.log().base(of: id("a")) == .row(later))
  }

  @Test("A tombstone stays, with its version; one without a version too")
  func keepsTombstones() throws {
    let tombstone = try bench.row("a", "one", version: "B", deleted: true)
    let gone = Row(
      id: try id("b"), item: Item(JSONObject()), version: nil, updatedAt: nil, deleted: true)
    let log = try bench.log()
    try log.append([try bench.row("a", "one")], atOnce: true, durably: true)
    try log.append([tombstone, gone], atOnce: true, durably: true)
    try log.compact()
    for log in [log, try bench.log()] {
      #expect(try log.base(of: id("a")) == .tombstone(tombstone))
      #expect(try log.base(of: id("b")) == .tombstone(gone))
      #expect(log.rows.liveIDs.isEmpty)
      #expect(log.rows.liveCount == 0)
    }
  }

  @Test("A row is kept as the server sent it, to the byte")
  func keepsRowsAsReceived() throws {
    let text = Array(
      #"{ "deleted":false,"n":1.0, "n2":1e2,"\u0069d":"a\u002fb" , "o":{"id":"x","deleted":true}}"#
        .utf8)
    let object = try #require(try JSON(parsing: text).object)
    let row = try Row(object, text: text)
    try bench.log().append([row], atOnce: true, durably: true)
    let read = try #require(try bench.log().base(of: id("a/b")).row)
    #expect(read.text == text)
    #expect(read == row)
    #expect(lines[1]["row"]?.object == object)
  }

  @Test("The lines are those of decisions.md 1")
  func writesDocumentedLines() throws {
    let log = try bench.log()
    try log.append([try bench.row("a", "one")], atOnce: false, durably: true)
    try log.commit(token: nil, held: [id("a")])
    try log.append([try bench.row("b", "two")], atOnce: true, durably: true)
    try log.commit(token: DeltaToken("T\"1"), held: [])
    let names = lines.map { $0.members.map(\.name.string).joined(separator: " ") }
    #expect(
      names == [
        "h v salt boot table generation crc", "n d row crc",
        "n d commit query token held crc", "n d by row crc", "n d commit query token held crc",
      ])
    #expect(lines[0]["h"] == "tsync-base")
    #expect(lines[0]["table"] == "todoitem")
    #expect(lines[2]["held"] == ["a"])
    #expect(lines[2]["token"] == .some(.null))
    #expect(lines[3]["by"] == "push")
    #expect(lines[4]["token"] == "T\"1")
  }

  @Test("A commit that changes nothing writes nothing")
  func skipsEmptyCommits() throws {
    let log = try bench.log()
    try log.append([try bench.row("a", "one")], atOnce: false, durably: true)
    try log.commit(token: DeltaToken("T1"), held: [id("a")])
    let size = log.position.offset
    try log.commit(token: nil, held: [id("a")])
    try log.commit(token: DeltaToken("T1"), held: [])
    #expect(log.position.offset == size)
    try log.commit(token: DeltaToken("T2"), held: [])
    #expect(log.position.offset > size)
  }

  @Test("Forgetting empties rows and token in one step, with another generation")
  func forgets() throws {
    let log = try bench.log()
    try log.append(
      [try bench.row("a", "one"), try bench.row("b", "two")], atOnce: false, durably: true)
    try log.commit(token: DeltaToken("T1"), held: [id("b")])
    let generation = log.generation
    try log.forget()
    for log in [log, try bench.log()] {
      #expect(try log.base(of: id("a")) == .neverSeen)
      #expect(try log.incomingRows().isEmpty)
      #expect(log.rows.token == nil)
      #expect(log.rows.liveCount == 0)
      #expect(log.generation != generation)
    }
    try log.append([try bench.row("a", "again")], atOnce: true, durably: true)
    #expect(try bench.log().base(of: id("a")).row == (try bench.row("a", "again")))
  }

  @Test(
    "case 103: a log that lost its end is in effect up to its last whole line, at every length")
  func survivesTornTails() throws {
    let log = try bench.log()
    let first = try bench.row("a", "one", version: "A")
    let second = try bench.row("a", "two", version: "B")
    try log.append([first], atOnce: false, durably: true)
    try log.commit(token: DeltaToken("T1"), held: [])
    let durable = log.position.offset
    try log.append([second], atOnce: false, durably: true)
    let committed = log.position.offset
    try log.commit(token: DeltaToken("T2"), held: [])
    let whole = try #require(bench.directory.read(path))
    for length in durable..<whole.count {
      bench.directory.write(Array(whole[..<length]), to: path)
      let log = try bench.log()
      #expect(try log.base(of: id("a")) == .row(first), "cut at \(length)")
      #expect(try log.incomingRows() == (length >= committed ? [second] : []))
      #expect(log.rows.token == DeltaToken("T1"))
      #expect(log.notices.isEmpty == (length == durable || length == committed))
    }
    bench.directory.write(whole, to: path)
    #expect(try bench.log().base(of: id("a")) == .row(second))
  }

  @Test("L13: a log that was removed is a table of which nothing was seen")
  func survivesRemoval() throws {
    try bench.pull([("a", "one")])
    #expect(remove(bench.directory.path(of: path)) == 0)
    let log = try bench.log()
    #expect(try log.base(of: id("a")) == .neverSeen)
    #expect(log.rows.token == nil)
  }

  @Test(
    "Without the directory of the logs, a table may still be named as another file of the workspace"
  )
  func survivesRemovalOfAll() throws {
    try bench.pull([("a", "one")])
    let log = try Log(
      opening: "journal.jsonl", in: bench.root, kind: "tsync-journal", writing: true,
      trash: bench.trash)
    try log.append([Array(#""t":"noted""#.utf8)])
    try #require(rename(bench.directory.path(of: "base"), bench.directory.path(of: "away")) == 0)
    let journal = try TableName("journal")
    // A directory that was opened before would still be found.
    let root = try Directory(path: bench.directory.path, place: "")
    func rows(writing: Bool) -> Rows {
      Rows(root: root, trash: bench.trash, isWriting: writing, clock: { 0 })
    }
    #expect(try rows(writing: false).log(of: journal).base(of: id("a")) == .neverSeen)
    let writer = rows(writing: true)
    try writer.log(of: journal).append([bench.row("a", "one")], atOnce: true, durably: true)
    #expect(try rows(writing: false).log(of: journal).base(of: id("a")).row != nil)
  }

  @Test("Another table's log under this name is damage")
  func tellsTablesApart() throws {
    try bench.pull([("a", "one")])
    bench.directory.write(try #require(bench.directory.read(path)), to: "base/notes.jsonl")
    #expect(throws: LogHeader.damage("base/notes.jsonl")) {
      try bench.rows().log(of: TableName("notes"))
    }
  }

  @Test("A valid line that says nothing known is damage")
  func refusesUnknownLines() throws {
    try bench.pull([("a", "one")])
    let log = try Log(
      opening: "todoitem.jsonl", in: bench.root.child("base"), kind: BaseLog.kind, writing: true,
      trash: bench.trash)
    try log.read { _ in }
    try log.append([Array(#""rows":[]"#.utf8)])
    #expect(throws: WorkspaceError.self) { try bench.log() }
  }

  @Test("A row read by its place is checked for its id and its checksum")
  func checksRowsReadByPlace() throws {
    let log = try bench.log()
    try log.append(
      [try bench.row("a", "one"), try bench.row("b", "two")], atOnce: true, durably: true)
    let entry = try #require(try id("a").withBytes(log.rows.entry(of:)))
    #expect(try log.row(at: entry, as: id("a")) == (try bench.row("a", "one")))
    #expect(throws: WorkspaceError.self) { try log.row(at: entry, as: id("b")) }
    var shifted = entry
    shifted.offset += 1
    #expect(throws: WorkspaceError.self) { try log.row(at: shifted, as: id("a")) }
    var long = entry
    long.length += 1
    #expect(throws: WorkspaceError.self) { try log.row(at: long, as: id("a")) }
    var bytes = try #require(bench.directory.read(path))
    bytes[entry.offset + 30] ^= 1
    bench.directory.write(bytes, to: path)
    #expect(throws: WorkspaceError.self) { try log.row(at: entry, as: id("a")) }
  }

  @Test("More than half stale and more than a megabyte: the file is written anew")
  func compactsWhenDue() throws {
    let log = try bench.log()
    let text = String(repeating: "x", count: 2_000)
    var generations: Set<Text> = []
    for round in 1...12 {
      let rows = try (0..<100).map {
        try bench.row(Text("id\($0)"), text, version: Text("v\(round)"))
      }
      try log.append(rows, atOnce: false, durably: true)
      try log.commit(token: DeltaToken(Text("T\(round)")), held: [])
      generations.insert(log.generation)
      #expect(log.position.offset < BaseLog.compactionSize + 300_000)
    }
    #expect(generations.count == 3)
    for log in [log, try bench.log()] {
      #expect(log.rows.liveCount == 100)
      #expect(log.rows.token == DeltaToken("T12"))
      for number in 0..<100 {
        #expect(try log.base(of: id(Text("id\(number)"))).row?.version == Version("v12"))
      }
    }
  }

  @Test("Ids that look alike are two rows")
  func tellsIDsApartByBytes() throws {
    let composed = try bench.row("\u{e9}", "composed")
    let decomposed = try bench.row("e\u{301}", "decomposed")
    try bench.log().append([composed, decomposed], atOnce: true, durably: true)
    let log = try bench.log()
    #expect(try log.base(of: id("\u{e9}")) == .row(composed))
    #expect(try log.base(of: id("e\u{301}")) == .row(decomposed))
  }
}

@Suite struct RowSketchTests {
  private func sketch(_ text: String) -> (id: String, isTombstone: Bool)? {
    Array(text.utf8).withUnsafeBytes { bytes in
      RowSketch(bytes).map { (String(decoding: $0.id, as: UTF8.self), $0.isTombstone) }
    }
  }

  @Test(
    "Id and tombstone are found wherever they stand",
    arguments: [
      (#"{"id":"a"}"#, "a", false),
      (#"{"id":"a","deleted":true}"#, "a", true),
      (#"{"deleted":true,"id":"a"}"#, "a", true),
      (#"{"deleted":null,"id":"a"}"#, "a", false),
      (#"{"x":{"id":"b","deleted":true},"id":"a","deleted":false}"#, "a", false),
      (#"{"x":["}",{"y":"\"]}"},1,2],"id":"a"}"#, "a", false),
      (#" {"#.dropFirst() + #" "x" : "\\" , "id" : "a" , "deleted" : true }"#, "a", true),
      (#"{"n":-1.5e3,"b":false,"id":"é/%"}"#, "é/%", false),
    ])
  func findsMembers(text: String, id: String, isTombstone: Bool) throws {
    let found = try #require(sketch(text))
    #expect(found.id.utf8.elementsEqual(id.utf8))
    #expect(found.isTombstone == isTombstone)
  }

  @Test(
    "Where an escape or a surprise is in the way there is no sketch",
    arguments: [
      "", "{", "{}", "[]", #"{"id":1}"#, #"{"id":"a"#, #"{"id":"a\u0062"}"#, #"{"\u0069d":"a"}"#,
      #"{"text":"a"}"#, #"{"id":"a"}}"#, #"{"id":"a"} {"#, #"{"x":"\"#,
    ])
  func givesUp(text: String) {
    #expect(sketch(text) == nil)
  }
}
