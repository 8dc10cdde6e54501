import Glibc
import SyncEngine
import SyncModel
import TestSupport
import Testing
import WorkspaceSupport

@testable import Workspace

/// What is told of files that somebody has removed, or has written to where nobody looks.
@Suite("Losses are told")
struct LossTests {
  private let spoiled: Spoiled

  init() throws { spoiled = try Spoiled() }

  private func notices(writing: Bool) throws -> [String] {
    let access: Workspace.Access =
      writing ? .writing(command: "test", patience: 0) : .reading
    let workspace = try Workspace(
      at: spoiled.place.directory.path, for: access, clock: { self.spoiled.place.now })
    _ = try workspace.candidates(in: spoiled.place.table)
    return workspace.notices
  }

  @Test("the directory of the base logs", arguments: [true, false])
  func base(writing: Bool) throws {
    unlink(spoiled.path("base/todoitem.jsonl"))
    rmdir(spoiled.path("base"))
    let told = try notices(writing: writing)
    #expect(told.count == 1)
    #expect(told.first?.hasPrefix("base is missing:") == true)
  }

  @Test("a base log that the index knows of", arguments: [true, false])
  func log(writing: Bool) throws {
    #expect(try notices(writing: writing) == [])
    unlink(spoiled.path("base/todoitem.jsonl"))
    #expect(
      try notices(writing: writing).contains { $0.hasPrefix("base/todoitem.jsonl is missing:") })
  }

  @Test("no base log where none ever was")
  func never() throws {
    let place = try Playground()
    let workspace = try place.open()
    _ = try workspace.candidates(in: place.table)
    #expect(workspace.notices == [])
  }

  @Test("a displaced text that its editor went on writing to, by the next day (L3)")
  func lateWrite() throws {
    let path = spoiled.path("items/todoitem/a.json")
    let editor = open(path, O_WRONLY | O_APPEND | O_CLOEXEC)
    defer { close(editor) }
    try spoiled.displace()
    #expect(try notices(writing: true) == [])
    write(editor, "more", 4)
    let name = try #require(
      spoiled.place.directory.names(in: ".todosync/trash/items/todoitem").first)
    let place = "trash/items/todoitem/\(name)"
    #expect(
      try spoiled.examine().findings.map { "\($0.invariant) \($0.place) \($0.gravity)" }
        == ["I15 \(place) note"])
    spoiled.place.now += 86_400 * 1_000_000_000
    #expect(
      try notices(writing: true)
        == ["\(place) was changed after tsync moved it to the trash: compare it with todoitem/a"])
    #expect(try notices(writing: true) == [])
  }

  @Test("no text that tsync itself wrote there, though with its id it is larger than an item")
  func largeText() throws {
    do {
      var workspace = try spoiled.place.open()
      let text = Text(String(repeating: "x", count: ItemFile.limit - 20))
      try workspace.keep(Spoiled.item(text), of: spoiled.place.key("a"))
      try workspace.finish("mv")
    }
    let name = try #require(
      spoiled.place.directory.names(in: ".todosync/trash/items/todoitem").first)
    let kept = ".todosync/trash/items/todoitem/\(name)"
    let size = spoiled.place.directory.read(kept)?.count ?? 0
    try #require(size > ItemFile.limit)
    #expect(try spoiled.examine().findings == [])
    spoiled.place.now += 86_400 * 1_000_000_000
    #expect(try notices(writing: true) == [])
    // Of one that somebody did write to it is told.
    let path = spoiled.place.directory.path(of: kept)
    let editor = open(path, O_WRONLY | O_APPEND | O_CLOEXEC)
    defer { close(editor) }
    write(editor, "more", 4)
    #expect(try spoiled.examine().findings.map(\.invariant) == [.history])
  }

  @Test(
    "nothing that was no file when it was displaced",
    arguments: [WrongKind.Kind.pipe, .directory, .link])
  func displacedKind(kind: WrongKind.Kind) throws {
    WrongKind(name: "items/todoitem/x.json", kind: kind).lay(in: spoiled)
    do {
      var workspace = try spoiled.place.open()
      let key = try spoiled.place.key("x")
      guard case .invalid(let invalid) = try workspace.client(key) else {
        Issue.record("it can be read")
        return
      }
      let isGone = try workspace.discard(invalid, of: key, in: spoiled.place.table)
      #expect(isGone)
      try workspace.settle()
      try workspace.finish("rm")
    }
    #expect(try spoiled.examine().findings == [])
  }

  @Test("what lies where a text was displaced and is no file")
  func otherKind() throws {
    try spoiled.displace()
    let name = try #require(
      spoiled.place.directory.names(in: ".todosync/trash/items/todoitem").first)
    let place = "trash/items/todoitem/\(name)"
    unlink(spoiled.path(place))
    try #require(mkdir(spoiled.path(place), 0o700) == 0)
    let told = try spoiled.examine().findings.map { "\($0.place) \($0.fact)" }
    #expect(told == ["\(place) can't be read"])
  }
}
