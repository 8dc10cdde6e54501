import SyncEngine
import SyncModel
import TestSupport
import Testing

@testable import Workspace

@Suite struct JournalTests {
  let bench: RowsBench

  init() throws { bench = try RowsBench() }

  private func id(_ text: Text) throws -> ItemID { try ItemID(text) }

  private let path = "journal/todoitem.jsonl"

  private var lines: [JSONObject] {
    (bench.directory.read(path) ?? []).split(separator: 0x0A).compactMap {
      (try? JSON(parsing: Array($0)))?.object
    }
  }

  @Test("A row is kept as the server sent it, to the byte")
  func keepsRowsAsReceived() throws {
    let text = Array(
      #"{ "deleted":false,"n":1.0, "n2":1e2,"\u0069d":"a\u002fb" , "o":{"id":"x","deleted":true}}"#
        .utf8)
    let object = try #require(try JSON(parsing: text).object)
    let row = try Row(object, text: text)
    try bench.log().setBase([row])
    let read = try #require(try bench.log().base(of: id("a/b")).row)
    #expect(read.text == text)
    #expect(read == row)
    #expect(lines[1]["row"]?.object == object)
  }

  @Test("A compacted log says the same without the index, of rows that got ids of the server's too")
  func compactsRenamed() throws {
    let log = try bench.log()
    let (milk, over) = (try id("milk"), try Spoiled.item("sent"))
    for new in ["11", "12"] {
      let row = try bench.row(Text(new), "sent")
      try log.append([.arrived(Arrival(row, over: over, isMine: true, was: milk))], durably: true)
      try log.take(but: [])
    }
    try log.setBase([try bench.row("milk", "theirs")])
    try log.compact()
    let again = try bench.log()
    #expect(try again.ids(.live).sorted() == (["11", "12", "milk"].map { try id($0) }))
    #expect(try again.base(of: milk).item == Spoiled.item("theirs"))
    #expect(lines.dropFirst().prefix(3).allSatisfy { $0["ends"] == nil && $0["by"] == "push" })
  }

  @Test("An open arrival takes nothing over from one of another row")
  func otherRow() throws {
    let log = try bench.log()
    let (nine, over) = (try id("9"), try Spoiled.item("sent"))
    let mine = Arrival(try bench.row("10", "sent"), over: over, isMine: true, was: nine)
    try log.append([.arrived(mine)], durably: true)
    try log.append([.arrived(Arrival(mine.row))], durably: true)
    #expect(try log.arrivals() == [mine])
  }

  @Test("The lines are those of tsync-log-format(5)")
  func writesDocumentedLines() throws {
    let log = try bench.log()
    try log.append(
      [
        .arrived(Arrival(try bench.row("a", "one"))),
        .token(Feed(log.table), DeltaToken("T\"1"), of: 7),
      ],
      durably: true)
    try log.bring([try bench.row("z", "last")])
    try log.take(but: [id("a")])
    try log.setBase([try bench.row("b", "two")])
    let answer = Arrival(try bench.row("c", "kept"), over: try Spoiled.item("sent"), isMine: true)
    try log.append([.arrived(answer)], durably: true)
    let names = lines.map { $0.members.map(\.name.string).joined(separator: " ") }
    #expect(
      names == [
        "h v salt boot table generation crc", "n d row crc", "n d token of crc", "n d row crc",
        "n d taken but crc", "n d by row crc", "n d over mine row crc",
      ])
    #expect(lines[0]["h"] == "tsync-journal")
    #expect(lines[0]["table"] == "todoitem")
    #expect(lines[0]["v"] == 5)
    #expect(lines[2]["token"] == "T\"1")
    #expect(lines[2]["of"] == 7)
    #expect(lines[4]["but"] == ["a"])
    #expect(lines[5]["by"] == "push")
    #expect(lines[6]["over"] == ["text": "sent"])
  }

  @Test("A valid line that says nothing known is damage")
  func refusesUnknownLines() throws {
    try bench.pull([("a", "one")])
    let log = try Log(
      opening: "todoitem.jsonl", in: bench.root.child("journal"), kind: Journal.kind, writing: true,
      trash: bench.trash)
    try log.read { _ in }
    try log.append([Array(#""rows":[]"#.utf8)])
    #expect(throws: WorkspaceError.self) { try bench.log() }
  }

  @Test("A row read by its place is checked for its id and its checksum")
  func checksRowsReadByPlace() throws {
    let log = try bench.log()
    try log.setBase([try bench.row("a", "one"), try bench.row("b", "two")])
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
    let other = try bench.log()
    bench.directory.write(bytes, to: path)
    #expect(throws: WorkspaceError.self) { try other.row(at: entry, as: id("a")) }
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
      try log.bring(rows)
      try log.take(token: DeltaToken(Text("T\(round)")))
      try log.compactIfDue()
      generations.insert(log.generation)
      #expect(log.position.offset < Journal.compactionSize + 300_000)
    }
    #expect(generations.count == 3)
    for log in [log, try bench.log()] {
      #expect(log.rows.liveCount == 100)
      #expect(log.rows.state.tokens[Feed(log.table)] == DeltaToken("T12"))
      for number in 0..<100 {
        #expect(try log.base(of: id(Text("id\(number)"))).row?.version == Version("v12"))
      }
    }
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
}
