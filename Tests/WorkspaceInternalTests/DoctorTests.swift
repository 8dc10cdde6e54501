import SyncEngine
import SyncModel
import TestSupport
import Testing
import WorkspaceSupport

@testable import Workspace

@Suite("The doctor finds what is broken, and mends it")
struct DoctorTests {
  @Test("a workspace with all that there can be in it is whole")
  func whole() throws {
    let spoiled = try Spoiled()
    let examination = try spoiled.examine()
    #expect(examination.findings == [])
    #expect(examination.items == 5)
    #expect(try spoiled.unwell() == [])
  }

  @Test(
    "damage is found, mended, and then no more found nor mended; no byte is lost",
    arguments: Spoiling.damaged)
  func mended(spoiling: Spoiling) throws {
    let spoiled = try Spoiled()
    try spoiling.spoil(spoiled)
    let found = try spoiled.examine().faults
    #expect(
      found.contains {
        $0.gravity == .damage && $0.place == spoiling.place && $0.remedy != nil
      }, "\(found)")
    let before = spoiled.files
    let mended = try spoiled.mend()
    #expect(mended.contains { $0.place == spoiling.place && $0.deed != nil }, "\(mended)")
    #expect(try spoiled.examine().faults == [])
    #expect(Self.lost(before, spoiled.files) == [])
    #expect(try spoiled.mend() == [])
  }

  @Test(
    "what costs nobody anything is mended in silence; no byte is lost", arguments: Spoiling.silent)
  func silent(spoiling: Spoiling) throws {
    let spoiled = try Spoiled()
    try spoiling.spoil(spoiled)
    #expect(try spoiled.unwell() != [])
    #expect(try spoiled.examine().faults == [])
    let before = spoiled.files
    #expect(try spoiled.mend() == [])
    #expect(try spoiled.unwell() == [])
    #expect(Self.lost(before, spoiled.files) == [])
  }

  @Test("what only its user can mend is told", arguments: Spoiling.others)
  func told(spoiling: Spoiling) throws {
    let spoiled = try Spoiled()
    try spoiling.spoil(spoiled)
    let found = try spoiled.examine().findings
    #expect(
      found.count { $0.gravity == spoiling.gravity && $0.place == spoiling.place } == 1, "\(found)")
    #expect(found.allSatisfy { $0.remedy == nil })
  }

  @Test(
    "looking writes nothing (I20)",
    arguments: Spoiling.damaged + Spoiling.silent + Spoiling.others)
  func writesNothing(spoiling: Spoiling) throws {
    let spoiled = try Spoiled()
    try spoiling.spoil(spoiled)
    let before = spoiled.snapshot
    _ = try spoiled.examine()
    #expect(spoiled.snapshot == before)
  }

  @Test("what a user may have written to a side stays where it is, whatever is mended")
  func keepsEdits() throws {
    let spoiled = try Spoiled()
    let names = ["c.client.json", "c.edit.json"].map { "conflicts/todoitem/\($0)" }
    let texts = [Array(#"{"id": "c", "text": "my last word"}"#.utf8), Array("<<<<<<<\n".utf8)]
    for (name, text) in zip(names, texts) { spoiled.change(name) { $0 = text } }
    // The row of the conflict is lost, and the conflict is found again.
    spoiled.change("journal/todoitem.jsonl") { $0.flip("theirs") }
    try spoiled.mend()
    #expect(names.map { spoiled.place.directory.read(".todosync/\($0)") } == texts)
    var workspace = try spoiled.place.open()
    let key = try spoiled.place.key("c")
    #expect(try !workspace.isInConflict(key))
    try workspace.bring([Spoiled.row("c", "theirs", version: "2")], to: key.table)
    _ = try Recovery.run([key.table], on: &workspace, settings: Settings())
    #expect(try workspace.isInConflict(key))
    #expect(names.map { spoiled.place.directory.read(".todosync/\($0)") } == texts)
    let now = try Resolve(settings: Settings()).current(key, on: workspace)
    #expect(try now.client == Spoiled.item("my last word"))
    try workspace.finish("resolve")
  }

  @Test("of a damaged journal what stands by itself is kept, and what is over stays over")
  func keepsWhatStandsAlone() throws {
    let spoiled = try Spoiled()
    let (table, a, b) = (spoiled.place.table, try ItemID("a"), try ItemID("z"))
    let refusal = Rejection(
      kind: .update, refusal: Refusal(status: 400, words: "no"), digest: nil, tries: 1, time: 1)
    do {
      var workspace = try spoiled.place.open()
      try workspace.append(
        [.marked(a, .removed()), .marked(b, .removed()), .refused(b, refusal)], to: table,
        durably: true)
      try workspace.append([.base(.gone(a), ends: a)], to: table, durably: true)
    }
    spoiled.change("journal/todoitem.jsonl") { $0.flip("as pulled") }
    try spoiled.mend()
    do {
      var workspace = try spoiled.place.open()
      #expect(try workspace.state(of: table).marks.all.keys.sorted() == [b])
      #expect(try workspace.attempts(in: table).map(\.key.id) == [ItemID("d")])
      #expect(try workspace.rejectedIDs(in: table) == [b])
      #expect(try workspace.state(of: table).laid.keys.sorted() == [ItemID("c")])
      #expect(spoiled.files["conflicts/todoitem/c.server.json"] != nil)
      // Its row comes once more, and is agreed upon.
      let row = try Spoiled.row("c", "theirs", version: "2")
      try workspace.append([.arrived(Arrival(row)), .base(row)], to: table, durably: true)
      try workspace.setBase([Spoiled.row("y", "as pulled")], in: table)
    }
    spoiled.change("journal/todoitem.jsonl") { $0.flip("as pulled") }
    #expect(throws: Never.self) { try spoiled.mend() }
    let workspace = try spoiled.place.open()
    #expect(try workspace.state(of: table).laid == [:])
  }

  @Test("where a side was edited that is laid down again, the place of the edit is told")
  func tellsPlaceOfSide() throws {
    let spoiled = try Spoiled()
    spoiled.change("conflicts/todoitem/c.server.json") { $0 = Array("{}".utf8) }
    var workspace = try spoiled.place.open()
    try workspace.mend([spoiled.place.table])
    var told: [String] = []
    try workspace.finish("doctor") { told.append($0) }
    let place = try #require(told.first?.split(separator: " ").last)
    #expect(place.hasPrefix("trash/conflicts/todoitem/c.server."))
    #expect(spoiled.place.directory.text(".todosync/\(place)") == "{}")
  }

  @Test(
    "nothing is mended in a workspace of another version of tsync",
    arguments: [-1, 1])
  func otherFormat(step: Int) throws {
    let file = (name: "journal/todoitem.jsonl", version: 5)
    let spoiled = try Spoiled()
    spoiled.change(file.name) { bytes in
      guard let place = bytes.firstRange(of: Array("\"v\":\(file.version)".utf8)) else { return }
      bytes[place.upperBound - 1] = UInt8(ascii: "0") + UInt8(file.version + step)
    }
    spoiled.change("history.jsonl") { $0 = [] }
    let before = spoiled.files
    let error = WorkspaceError.otherFormat(place: file.name, isNewer: step > 0)
    #expect(throws: error) { try spoiled.examine() }
    #expect(throws: error) { try spoiled.mend() }
    #expect(spoiled.files.filter { $0.key != "lock" } == before.filter { $0.key != "lock" })
  }

  /// Returns the files whose bytes are nowhere any more: of a log, those that are not the beginning of
  /// the log or a file of the trash's.
  static func lost(_ before: [String: [UInt8]], _ after: [String: [UInt8]]) -> [String] {
    let texts = Set(after.values)
    return before.filter { path, bytes in
      // What was to become the journal is written anew by whoever begins one.
      let isCache =
        ["index", "lock", "trash/.emptied", "journal/todoitem.jsonl.new"].contains(path)
        || bytes.isEmpty
      if isCache || texts.contains(bytes) { return false }
      let now = after[path] ?? []
      let common = zip(now, bytes).prefix { $0 == $1 }.count
      guard path.hasSuffix(".jsonl") else { return true }
      // What was appended since may begin as what was cut off.
      return !(0...common).contains { $0 == bytes.count || texts.contains(Array(bytes[$0...])) }
    }.map(\.key).sorted()
  }
}
