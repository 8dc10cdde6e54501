import Glibc
import SyncEngine
import SyncModel
import TestSupport
import Testing
import WorkspaceSupport

@testable import Workspace

/// What commands write into the history, and what is read of it.
@Suite("The history")
struct HistoryTests {
  private let playground: Playground

  init() throws { playground = try Playground() }

  private var place: String { ".todosync/history.jsonl" }

  private var lines: [[UInt8]] {
    (playground.directory.read(place) ?? []).split(separator: 0x0A).dropFirst().map { Array($0) }
  }

  private func item(_ text: String) throws -> Item {
    Item(JSONObject([.init(name: "text", value: .string(Text(text)))]))
  }

  /// Replaces an item's file, and returns what was in the history then.
  private func change(
    _ id: Text, to text: String?, _ workspace: inout Workspace
  ) throws {
    let key = try playground.key(id)
    let digest = try workspace.client(key).digest
    _ = try workspace.write(try text.map(item), to: key, expecting: digest)
  }

  @Test("a command's changes, its number and its status are read as they were written")
  func changes() throws {
    var workspace = try playground.open()
    try change("a", to: "one", &workspace)
    try workspace.finish("new", status: 0)
    try workspace.record(as: "set a", undoing: 1)
    try change("a", to: "two", &workspace)
    try change("a", to: nil, &workspace)
    try workspace.finish("set a", status: 3)
    let key = try playground.key()
    let (one, two) = (try item("one"), try item("two"))
    let found = try workspace.commands()
    #expect(found.map(\.number) == [2, 1])
    #expect(found.map(\.words) == ["set a", "new"])
    #expect(found.map(\.status) == [3, 0])
    #expect(found.map(\.undoes) == [1, nil])
    #expect(found[1].changes == [History.Change(key, .added, to: one)])
    // No row of it is known: all was to be sent.
    var wanted = [
      History.Change(key, .changed, from: one, to: two), History.Change(key, .removed, from: two),
    ]
    for index in wanted.indices { wanted[index].dirty = ["text"] }
    #expect(found[0].changes == wanted)
  }

  @Test("a command that changes nothing and ends with 0 has no line")
  func nothing() throws {
    var workspace = try playground.open()
    try workspace.finish("status", status: 0)
    #expect(playground.directory.read(place) == nil)
    try workspace.finish("push", status: 5)
    #expect(try workspace.commands().map(\.status) == [5])
  }

  @Test("many changes are several lines of at most 64 KiB, and one command")
  func longCommand() throws {
    var workspace = try playground.open()
    let count = 2_000
    for number in 0..<count {
      try change(Text("i\(number)"), to: String(repeating: "x", count: 60), &workspace)
    }
    try workspace.finish("new", status: 0)
    #expect(lines.count > 2)
    #expect(lines.allSatisfy { $0.count < 64 << 10 })
    let found = try workspace.commands()
    #expect(found.count == 1)
    #expect(
      found[0].changes.map(\.key) == (try (0..<count).map { try playground.key(Text("i\($0)")) }))
    #expect(found[0].status == 0)
  }

  @Test("lines of another command may lie between those of one")
  func interleaved() throws {
    let number = try {
      var first = try playground.open()
      try change("a", to: "one", &first)
      try first.finish("edit")
      return first.recordedNumber
    }()
    // While an editor is open, nobody holds the lock.
    try {
      var second = try playground.open()
      try change("b", to: "two", &second)
      try second.finish("new", status: 0)
    }()
    var last = try playground.open()
    try last.record(as: "edit", number: number)
    try change("a", to: "three", &last)
    try last.finish("edit", status: 0)
    let found = try last.commands()
    #expect(found.map(\.number) == [2, 1])
    #expect(found.map(\.changes.count) == [1, 2])
    #expect(found[1].status == 0)
  }

  @Test("a large file goes to the trash where a command begins; numbers go on, and all is read")
  func rotates() throws {
    var workspace = try playground.open()
    workspace.history.fileLimit = 4_000
    for number in 0..<100 {
      playground.now += 1_000_000_000
      try workspace.record(as: "set")
      try change("a", to: "text \(number)", &workspace)
      try workspace.finish("set", status: 0)
    }
    let kept = playground.directory.names(in: ".todosync/trash").filter { $0.hasPrefix("history") }
    #expect(kept.count > 2)
    #expect(playground.directory.read(place)?.count ?? 0 < 5_000)
    #expect(try workspace.commands().map(\.number) == (1...100).reversed())
  }

  /// Records three commands, damages the second one's line, and adds what a crash has left.
  private func damage(tail: String = "") throws {
    for words in ["one", "two", "three"] {
      var workspace = try playground.open()
      try workspace.record(as: Text(words))
      try change("a", to: words, &workspace)
      try workspace.finish(Text(words), status: 0)
    }
    var bytes = try #require(playground.directory.read(place))
    let range = try #require(bytes.firstRange(of: Array("two".utf8)))
    bytes[range.lowerBound] = UInt8(ascii: "T")
    playground.directory.write(bytes + Array(tail.utf8), to: place)
  }

  @Test("a damaged line ahead of a torn end costs itself alone")
  func damagedAndTorn() throws {
    try damage(tail: #"{"n":4,"d":0,"ti"#)
    var workspace = try playground.open()
    try workspace.record(as: "four")
    try change("a", to: "four", &workspace)
    try workspace.finish("four", status: 0)
    #expect(try workspace.commands().map(\.words) == ["four", "three", "one"])
    #expect(try workspace.commands().map(\.number) == [4, 3, 1])
    let kept = playground.directory.names(in: ".todosync/trash").filter { $0.hasPrefix("history") }
    #expect(kept.map { $0.hasPrefix("history-tail") } == [true])
  }

  @Test("a line that somebody has damaged is passed over")
  func damagedLine() throws {
    try damage()
    let workspace = try playground.open()
    #expect(try workspace.commands().map(\.words) == ["three", "one"])
  }

  @Test("of a large change the old text is in the trash")
  func largeChange() throws {
    var workspace = try playground.open()
    let long = String(repeating: "x", count: 40_000)
    try change("a", to: long, &workspace)
    try workspace.finish("new", status: 0)
    try workspace.record(as: "set")
    try change("a", to: "short", &workspace)
    try workspace.finish("set", status: 0)
    let change = try #require(try workspace.commands().first?.changes.first)
    #expect(change.fields == [])
    #expect(change.made(try item("short")))
    #expect(!change.made(try item("other")))
    let text = try #require(try workspace.text(before: change))
    #expect(try ItemFile.item(in: text, as: playground.key(), place: "") == item(long))
  }

  @Test("a delete is in the history, durably, before the log says that it is sent")
  func ahead() throws {
    var workspace = try playground.open()
    let key = try playground.key()
    let row = try Row(
      JSONObject([
        .init(name: "id", value: "a"), .init(name: "text", value: "one"),
        .init(name: "version", value: "v1"),
      ]))
    try workspace.append([.base(row)], to: playground.table, durably: true)
    let attempt = Attempt(
      key: key, kind: .delete, version: row.version, item: nil, digest: nil, tries: 1, time: 1)
    // The history can't be written: nothing is sent.
    let kind = LogKind("tsync-history", version: 3)
    try Log(
      opening: Layout.history, in: workspace.root, kind: kind, writing: true,
      trash: workspace.trash
    ).append([[]])
    #expect(throws: WorkspaceError.self) {
      try workspace.append([.sent(attempt)], to: playground.table, durably: true)
    }
    #expect(try workspace.attempts(in: playground.table) == [])
    try #require(unlink(playground.directory.path(of: place)) == 0)
    try workspace.append([.sent(attempt)], to: playground.table, durably: true)
    #expect(
      try workspace.commands().first?.changes == [
        History.Change(key, .deleting, from: row.item)
      ])
    try workspace.append(
      [.base(.gone(key.id, holding: row.item), ends: key.id)], to: playground.table, durably: true)
    try workspace.finish("push", status: 0)
    #expect(try workspace.commands().first?.changes.map(\.did) == [.deleting, .deleted])
  }
}
