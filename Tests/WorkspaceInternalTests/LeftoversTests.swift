import Glibc
import SyncModel
import TestSupport
import Testing
import WorkspaceSupport

@testable import Workspace

/// A text that a killed process left on its way to an item's place, and what becomes of both.
struct Leftover: Sendable, CustomTestStringConvertible {
  let testDescription: String
  /// What the item's file says.
  let item: String?
  /// What was left.
  let left: String
  /// What was to take the place of the text `old`; `nil` where that was to be removed.
  let new: String?
  /// What the item's file says afterwards.
  let becomes: String?
  /// What lies in the trash afterwards.
  let trash: [String]
  /// What is told.
  let told: [String]

  init(
    _ description: String, item: String?, left: String, new: String?, becomes: String?,
    trash: [String] = [], told: [String] = []
  ) {
    testDescription = description
    (self.item, self.left, self.new) = (item, left, new)
    (self.becomes, self.trash, self.told) = (becomes, trash, told)
  }

  private static let isBack =
    "items/todoitem/a.json: restored the text that it had when tsync was interrupted"
  private static let isKept =
    "a text that an interrupted command left is now trash/items/todoitem/a.20260301T101502Z.1.json"

  static let all = [
    Leftover(
      "a text that never got its place is removed",
      item: "old", left: "new", new: "new", becomes: "old"),
    Leftover(
      "what was displaced as it should be goes to the trash",
      item: "new", left: "old", new: "new", becomes: "new", trash: ["old"]),
    Leftover(
      "a save that was swapped out at the very moment of the kill is kept",
      item: "new", left: "mine", new: "new", becomes: "new", trash: ["mine"], told: [isKept]),
    Leftover(
      "what was taken out, and whose place is empty, goes back: nothing was put in yet",
      item: nil, left: "old", new: "old", becomes: "old", told: [isBack]),
    Leftover(
      "a save that was taken out goes back where its place is empty",
      item: nil, left: "mine", new: "old", becomes: "mine", told: [isBack]),
    Leftover(
      "what was taken out goes to the trash where its place has a text",
      item: "new", left: "old", new: "old", becomes: "new", trash: ["old"]),
    Leftover(
      "what was swapped out stays out where its user has removed the item since",
      item: nil, left: "old", new: "new", becomes: nil, trash: ["old"]),
    Leftover(
      "a save that was swapped out is kept where its place has a newer one by now",
      item: "newer", left: "mine", new: "new", becomes: "newer", trash: ["mine"], told: [isKept]),
    Leftover(
      "a text that was cut off before the exchange is kept",
      item: "old", left: "ne", new: "new", becomes: "old", trash: ["ne"]),
    Leftover(
      "an emptied text is kept: an editor may have truncated it, and write to it still",
      item: "new", left: "", new: "new", becomes: "new", trash: [""]),
    Leftover(
      "an emptied text that was taken away is kept",
      item: nil, left: "", new: nil, becomes: nil, trash: [""]),
    Leftover(
      "a save that was taken away instead of the seen text goes back",
      item: nil, left: "mine", new: nil, becomes: "mine", told: [isBack]),
    Leftover(
      "a removal that was cut off before its last step is brought to its end",
      item: nil, left: "old", new: nil, becomes: nil, trash: ["old"]),
    Leftover(
      "a save that was taken away is kept where another lies there by now",
      item: "newer", left: "mine", new: nil, becomes: "newer", trash: ["mine"], told: [isKept]),
  ]
}

@Suite struct LeftoversTests {
  let playground: Playground

  init() throws { playground = try Playground() }

  private func digest(_ text: String) -> String { StagedName.short(Digest(of: text.utf8)) }

  @Test(
    "case 93: what a killed process left half done is ended or undone by the next that writes",
    arguments: Leftover.all)
  func sorts(leftover: Leftover) throws {
    if let item = leftover.item { playground.save(item) }
    let texts = "\(leftover.new.map(digest) ?? "0")-\(digest("old"))"
    playground.directory.write(
      leftover.left, to: ".todosync/trash/.tmp-4194305-1-\(texts)-items-todoitem.a.json")
    _ = try Workspace(at: playground.directory.path, for: .reading, clock: { 0 })
    #expect(playground.staged.count == 1, "a reader clears nothing up")
    let workspace = try playground.open()
    #expect(playground.staged == [])
    #expect(playground.text() == leftover.becomes)
    #expect(playground.trash() == leftover.trash)
    #expect(workspace.notices == leftover.told)
  }

  @Test("case 93: what was being written anew is removed, as soon as a command writes")
  func removesRewritten() throws {
    let names = ["history.jsonl.new", "index.new"]
    for name in names { playground.directory.write("half", to: ".todosync/\(name)") }
    _ = try playground.open()
    let left = playground.directory.names(in: ".todosync")
    #expect(names.filter { left.contains($0) } == [])
  }

  @Test("case 93: what can't be told whose it is is kept and told")
  func keepsTheUnknown() throws {
    playground.directory.write(
      "mine", to: ".todosync/trash/.tmp-1-1-\(digest("new"))-\(digest("old"))")
    let workspace = try playground.open()
    #expect(playground.staged == [])
    #expect(
      playground.directory.text(".todosync/trash/leftover.20260301T101502Z.1.json") == "mine")
    #expect(workspace.notices.count == 1)
  }

  @Test("Names of texts on their way are read back", arguments: ["a", "-a-b", "x.y", "%2Ea"])
  func readsNames(id: String) throws {
    let workspace = try playground.open()
    let file = try playground.file(workspace, id)
    let name = StagedName(number: 7, new: digest("n"), old: nil, file: file)
    #expect(StagedName(name.text) == name)
    #expect(name.target?.name == "\(id).json")
  }

  @Test("On a disk of shorter names an item needs room for its conflict's, and no name is longer")
  func fitsShortNames() throws {
    let workspace = try playground.open()
    func key(_ count: Int) throws -> ItemKey {
      try playground.key(Text(String(repeating: "a", count: count)))
    }
    #expect(try workspace.fits(key(240)))
    workspace.root.nameLimit = 143
    workspace.trash.directory.nameLimit = 143
    #expect(try [131, 132].map { try workspace.fits(key($0)) } == [true, false])
    let stem = String(repeating: "a", count: 131)
    let file = try playground.file(workspace, stem)
    #expect(
      StagedName(number: 7, new: digest("n"), old: nil, file: file).text.utf8.count <= 143)
    let name = Trash.fitting(stem, ".json", in: workspace.trash.directory)
    #expect("\(name).20260301T101502Z.999.json".utf8.count <= 143)
  }

  @Test(
    "case 93: what isn't named exactly as tsync names a file stays, and is no finding",
    arguments: [
      ".tmp-notes.txt", ".tmp-1", ".tmp-1-", ".tmp-01-1", ".tmp-4194305-7.txt",
      ".tmp-4194305--7", ".tmp-4194305-+7", ".tmp-4194305-2026-11-21",
      ".tmp-a-1-0-1234567890123456", ".tmp-1-1-0-12345678901234AB",
      ".tmp-1-1-0-1234567890123456-items",
      ".tmp-1-1-0-1234567890123456-notes-todoitem.a.json",
      ".tmp-1-1-0-1234567890123456-items-todoitem",
      // A directory.
      ".tmp-mine/notes",
    ])
  func leavesOthersFiles(name: String) throws {
    let places = [".todosync", ".todosync/trash"].map { "\($0)/\(name)" }
    for place in places { playground.directory.write("precious", to: place) }
    #expect(try playground.open().notices == [])
    let findings = try Workspace.examine(at: playground.directory.path, clock: { 0 }).findings
    #expect(findings.filter { $0.place.contains(".tmp-") } == [])
    for place in places { #expect(playground.directory.text(place) == "precious") }
  }

  @Test("What another making of a workspace left goes, and nothing that is only named alike")
  func leavesOthersWorkspaces() throws {
    let parent = TemporaryDirectory()
    let names = [".todosync.tmp-20261121", ".todosync.tmp-2026-11-21", ".todosync.tmp-4194305-7"]
    for name in names { parent.write("x", to: "\(name)/notes") }
    try Workspace.make(
      at: parent.path, settings: SettingsFile(place: "config.json", text: nil),
      state: WorkspaceState(), tables: [playground.table])
    #expect(names.map { parent.text("\($0)/notes") } == ["x", "x", nil])
  }
}
