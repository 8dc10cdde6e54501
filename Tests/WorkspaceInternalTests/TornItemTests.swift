import Glibc
import SyncEngine
import SyncModel
import TestSupport
import Testing
import WorkspaceSupport

@testable import Workspace

/// What a power loss leaves of items that were being written: the row is durable, the
/// item's file isn't.
@Suite("Items torn by a power loss")
struct TornItemTests {
  private let place: Playground
  private var key: ItemKey { get throws { try place.key() } }

  init() throws {
    place = try Playground()
    var workspace = try place.open()
    let row = try Spoiled.row("a", "old")
    try workspace.bring([row], to: place.table)
    _ = try workspace.write(row.item, to: place.key(), expecting: nil)
    try workspace.settle()
    try workspace.take(in: place.table)
  }

  private static let new = #"{"# + "\n  \"id\": \"a\",\n  \"text\": \"new\"\n}\n"

  /// Pulls the row's next state as far as the log, and leaves bytes in the item's place.
  private func tear(_ bytes: String, modified second: Int64) throws {
    var workspace = try place.open()
    try workspace.bring([Spoiled.row("a", "new", version: "2")], to: place.table)
    try leave(bytes, modified: second)
  }

  private func leave(_ bytes: String, modified second: Int64) throws {
    place.save(bytes)
    var times = [
      timespec(tv_sec: Int(second), tv_nsec: 0), timespec(tv_sec: Int(second), tv_nsec: 0),
    ]
    let path = place.directory.path(of: ".todosync/items/todoitem/a.json")
    try #require(utimensat(AT_FDCWD, path, &times, 0) == 0)
  }

  @discardableResult
  private func recover() throws -> [Event] {
    var workspace = try place.open()
    return try Recovery.run([place.table], on: &workspace, settings: Settings())
  }

  @Test(
    "what is left of tsync's own text is written again",
    arguments: ["", "\0", "\0\0\0\0", "{", String(new.dropLast(3)), "{\n  \"id\"\0\0\0"])
  func torn(left: String) throws {
    try tear(left, modified: Playground.second - 60)
    #expect(try recover().count == 1)
    #expect(place.text() == Self.new)
    #expect(try place.open().base(of: key) == Base(Spoiled.row("a", "new", version: "2")))
    #expect(place.trash().contains(left))
  }

  @Test(
    "what isn't its beginning is the user's, and stays",
    arguments: ["{\"text\": \"mine", "[", "\0{", "{\n  \"id\": \"b", "x\0\0"])
  func users(left: String) throws {
    try tear(left, modified: Playground.second - 60)
    try recover()
    #expect(place.text() == left)
    #expect(try place.open().arrivals(in: place.table).map(\.row).count == 1)
  }

  @Test("what was saved since the machine was started is the user's, and stays")
  func saved() throws {
    try tear("", modified: TornText.bootTime / 1_000_000_000 + 10)
    try recover()
    #expect(place.text() == "")
  }

  @Test("without a row that waits, an empty file is the user's")
  func noRow() throws {
    try leave("", modified: Playground.second - 60)
    try recover()
    #expect(place.text() == "")
  }

  @Test("a new item that was torn is added")
  func added() throws {
    var workspace = try place.open()
    let row = try Spoiled.row("b", "new")
    try workspace.bring([row], to: place.table)
    place.directory.write("", to: ".todosync/items/todoitem/b.json")
    var times = [
      timespec(tv_sec: 978_307_200, tv_nsec: 0), timespec(tv_sec: 978_307_200, tv_nsec: 0),
    ]
    utimensat(AT_FDCWD, place.directory.path(of: ".todosync/items/todoitem/b.json"), &times, 0)
    let events = try Recovery.run([place.table], on: &workspace, settings: Settings())
    #expect(events.map(\.what) == [.added])
    #expect(try workspace.client(place.key("b")).item == row.item)
  }

  @Test("of a torn merge, the client's side comes back from the trash, and is merged again")
  func merged() throws {
    var workspace = try place.open()
    let mine = try Item(text: #"{"text":"old","notes":"mine"}"#)
    let digest = place.save(#"{"text":"old","notes":"mine"}"#)
    let row = try Spoiled.row("a", "new", version: "2")
    try workspace.bring([row], to: place.table)
    let merged = try Item(text: #"{"text":"new","notes":"mine"}"#)
    _ = try workspace.write(merged, to: key, expecting: digest)
    #expect(try workspace.displaced(key) == mine)
    try leave("", modified: Playground.second)
    _ = try Recovery.run([place.table], on: &workspace, settings: Settings())
    #expect(try workspace.client(key).item == merged)
    #expect(try workspace.base(of: key) == Base(row))
  }

  @Test("an older text in the trash isn't what was displaced")
  func olderTrash() throws {
    do {
      var workspace = try place.open()
      let digest = place.save(#"{"text":"ages ago"}"#)
      _ = try workspace.write(Spoiled.item("old"), to: key, expecting: digest)
    }
    place.now += 3_600_000_000_000
    try tear("", modified: Playground.second + 3_600)
    try recover()
    #expect(place.text() == Self.new)
  }

  @Test("what a resolution was writing is written again")
  func resolution() throws {
    var workspace = try place.open()
    let digest = try workspace.client(key).digest
    let server = try Spoiled.row("a", "theirs", version: "2")
    try workspace.append(
      [
        .resolve(
          key,
          Resolution(
            item: Spoiled.item("new"), digest: digest, server: server, client: Spoiled.item("old")))
      ], durably: true)
    try leave("\0\0", modified: Playground.second - 60)
    _ = try Recovery.run([place.table], on: &workspace, settings: Settings())
    #expect(place.text() == Self.new)
    #expect(try workspace.base(of: key) == Base(server))
    #expect(workspace.journal.resolutions.isEmpty)
  }

  @Test("what an answer to a push was writing is written again")
  func result() throws {
    var workspace = try place.open()
    let attempt = Attempt(
      key: try key, kind: .update, version: Version("1"), item: try Spoiled.item("sent"),
      digest: nil)
    let answer = try Spoiled.row("a", "new", version: "2")
    let arrival = Arrival(answer, over: attempt.item, isMine: true)
    try workspace.append(
      [.sent(attempt), .arrived(arrival, ends: attempt.key.id)], to: place.table, durably: true)
    try leave("", modified: Playground.second - 60)
    _ = try Recovery.run([place.table], on: &workspace, settings: Settings())
    #expect(try workspace.client(key).item == answer.item)
    #expect(try workspace.base(of: key) == Base(answer))
  }
}
