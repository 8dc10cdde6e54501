import Glibc
import SyncEngine
import SyncModel
import TestSupport
import Testing

@testable import Workspace

@Suite struct LeftoversTests {
  let playground: Playground

  init() throws { playground = try Playground() }

  private func digest(_ text: String) -> String { StagedName.short(Digest(of: text.utf8)) }

  /// Leaves a text as a process does that is killed on its way.
  private func leave(_ text: String, new: String?, old: String?, id: String = "a") {
    let name =
      ".tmp-4194305-1-\(new.map(digest) ?? "0")-\(old.map(digest) ?? "0")-items-todoitem.\(id).json"
    playground.directory.write(text, to: ".todosync/trash/\(name)")
  }

  @Test("case 93: a text that never got its place is removed")
  func removesOwnTexts() throws {
    playground.save("old")
    leave("new", new: "new", old: "old")
    let workspace = try playground.open()
    #expect(playground.staged == [])
    #expect(playground.trash() == [])
    #expect(playground.text() == "old")
    #expect(workspace.notices == [])
  }

  @Test("case 93: what was being written anew is removed, as soon as a command writes")
  func removesRewritten() throws {
    _ = try playground.open()
    let names = ["journal.jsonl.new", "history.jsonl.new", "index.new"]
    for name in names { playground.directory.write("half", to: ".todosync/\(name)") }
    _ = try playground.open()
    let left = playground.directory.names(in: ".todosync")
    #expect(names.filter { left.contains($0) } == [])
  }

  @Test("case 93: what was displaced as it should be goes to the trash")
  func keepsDisplacedTexts() throws {
    playground.save("new")
    leave("old", new: "new", old: "old")
    #expect(try playground.open().notices == [])
    #expect(playground.text() == "new")
    #expect(playground.trash() == ["old"])
  }

  @Test(
    "case 93: a save that was swapped out at the very moment of the kill goes back to its place")
  func putsSavesBack() throws {
    playground.save("new")
    leave("mine", new: "new", old: "old")
    var workspace = try playground.open()
    #expect(playground.text() == "mine")
    #expect(playground.trash() == [])
    #expect(playground.staged == [])
    let note =
      "items/todoitem/a.json: a text that was saved as tsync was stopped is back in its place"
    #expect(workspace.notices == [note])
    try workspace.finish("pull")
    #expect(try workspace.history().last?.notes == [Text(note)])
  }

  @Test(
    "what a power loss left of a displaced text doesn't take the place of the whole one",
    arguments: ["{\"text\": \"mi\0\0", "{\"text\": \"older\"}"])
  func keepsWhatPowerLeft(_ text: String) throws {
    playground.save("new")
    leave(text, new: "new", old: "old")
    let long = timespec(tv_sec: 978_307_200, tv_nsec: 0)
    let staged = try #require(playground.staged.first)
    let path = playground.directory.path(of: ".todosync/trash/\(staged)")
    try #require(utimensat(AT_FDCWD, path, [long, long], 0) == 0)
    #expect(try playground.open().notices.count == 1)
    #expect(playground.text() == "new")
    #expect(playground.trash() == [text])
  }

  @Test("case 93: a save that was swapped out is kept where its place has a newer one by now")
  func keepsOlderSaves() throws {
    playground.save("newer")
    leave("mine", new: "new", old: "old")
    let workspace = try playground.open()
    #expect(playground.text() == "newer")
    #expect(playground.trash() == ["mine"])
    #expect(
      workspace.notices == [
        "a text that a stopped tsync left is kept in trash/items/todoitem/a.20260301T101502Z.1.json"
      ])
  }

  @Test("A text that was cut off before the exchange is kept, and not told")
  func keepsCutTexts() throws {
    playground.save("old")
    leave("ne", new: "new", old: "old")
    #expect(try playground.open().notices == [])
    #expect(playground.text() == "old")
    #expect(playground.trash() == ["ne"])
  }

  @Test("An emptied text is kept: an editor may have truncated it, and write to it still")
  func keepsEmptiedTexts() throws {
    playground.save("new")
    leave("", new: "new", old: "old")
    leave("", new: nil, old: "old", id: "b")
    #expect(try playground.open().notices == [])
    #expect(playground.text() == "new")
    #expect(playground.text("b") == nil)
    #expect(playground.trash() == ["", ""])
    #expect(playground.staged == [])
  }

  @Test("A save that was taken away instead of the seen text goes back, where nothing lies there")
  func undoesRemovals() throws {
    leave("mine", new: nil, old: "old")
    #expect(try playground.open().notices.count == 1)
    #expect(playground.text() == "mine")
    #expect(playground.trash() == [])
  }

  @Test("A removal that was cut off before its last step is brought to its end")
  func endsRemovals() throws {
    leave("old", new: nil, old: "old")
    #expect(try playground.open().notices == [])
    #expect(playground.text() == nil)
    #expect(playground.trash() == ["old"])
  }

  @Test("A save that was taken away is kept where another lies there by now")
  func keepsTakenSaves() throws {
    playground.save("newer")
    leave("mine", new: nil, old: "old")
    #expect(try playground.open().notices.count == 1)
    #expect(playground.text() == "newer")
    #expect(playground.trash() == ["mine"])
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

  @Test("A reader clears nothing up")
  func leavesThemToWriters() throws {
    leave("new", new: "new", old: "old")
    _ = try Workspace(at: playground.directory.path, for: .reading, clock: { 0 })
    #expect(playground.staged.count == 1)
  }

  @Test("Private temporary files go once their writer is gone, and not before")
  func removesPrivateFiles() throws {
    playground.directory.write("{", to: ".todosync/.tmp-4194305-77")
    playground.directory.write("{", to: ".todosync/.tmp-\(getpid())-78")
    playground.directory.write("2", to: ".todosync/trash/.tmp-4194305-79")
    _ = try playground.open()
    let names = playground.directory.names(in: ".todosync").filter { $0.hasPrefix(".tmp-") }
    #expect(names == [".tmp-\(getpid())-78"])
    #expect(playground.staged == [])
  }

  @Test("A killed process's text is the one that recovery finds, at each step of a replacement")
  func recoversEachStep() throws {
    let old = playground.save("old")
    let key = try playground.key()
    do {
      let workspace = try playground.open()
      // Killed before the exchange: the deinit closes the file, as the kernel does.
      _ = try StagedText(Array("new".utf8), for: playground.file(workspace), expecting: old)
    }
    #expect(playground.staged.count == 1)
    _ = try playground.open()
    #expect(playground.staged == [])
    #expect(playground.text() == "old")
    do {
      let workspace = try playground.open()
      let staged = try StagedText(
        Array("new".utf8), for: playground.file(workspace), expecting: old)
      _ = staged.exchange()
    }
    _ = try playground.open()
    #expect(playground.staged == [])
    #expect(playground.text() == "new")
    #expect(playground.trash() == ["old"])
    #expect(try playground.open().client(key) != .absent)
  }

  @Test("Names of texts on their way are read back", arguments: ["a", "-a-b", "x.y", "%2Ea"])
  func readsNames(id: String) throws {
    let workspace = try playground.open()
    let file = try playground.file(workspace, id)
    let name = StagedName(number: 7, new: digest("n"), old: nil, file: file)
    #expect(StagedName(name.text) == name)
    #expect(name.target?.name == "\(id).json")
  }

  @Test("A file's name that is too long to be named along is left out")
  func shortensNames() throws {
    let workspace = try playground.open()
    let file = try playground.file(workspace, String(repeating: "x", count: 240))
    let name = StagedName(number: 7, new: digest("n"), old: digest("o"), file: file)
    #expect(name.target == nil)
    #expect(StagedName(name.text) == name)
    let id = try ItemID(Text(String(repeating: "x", count: 240)))
    var other = workspace
    let outcome = try other.write(
      Item(text: "{}"), to: ItemKey(playground.table, id), expecting: nil)
    #expect(outcome != .changedMeanwhile)
  }

  @Test(
    "Other names are no texts on their way",
    arguments: [".tmp-1-2", ".tmp-", "a.json", ".tmp-1-2-3", "tmp-1-2-0-0"] + others)
  func readsNoOtherNames(name: String) {
    #expect(StagedName(name) == nil)
  }

  /// Names that begin as those of files on their way do, and are none.
  private static let others = [
    ".tmp-notes.txt", ".tmp-1", ".tmp-1-", ".tmp-01-1", ".tmp-4194305-7.txt", ".tmp-4194305--7",
    ".tmp-4194305-+7", ".tmp-4194305-2026-11-21", ".tmp-a-1-0-1234567890123456",
    ".tmp-1-1-0-12345678901234AB", ".tmp-1-1-0-1234567890123456-items",
    ".tmp-1-1-0-1234567890123456-notes-todoitem.a.json",
    ".tmp-1-1-0-1234567890123456-items-todoitem",
  ]

  @Test(
    "case 93: what isn't named exactly as tsync names a file stays, and is no finding",
    arguments: others)
  func leavesOthersFiles(name: String) throws {
    let places = [".todosync", ".todosync/trash"].map { "\($0)/\(name)" }
    for place in places { playground.directory.write("precious", to: place) }
    #expect(try playground.open().notices == [])
    let findings = try Workspace.examine(at: playground.directory.path, clock: { 0 }).findings
    #expect(findings.filter { $0.place.hasSuffix(name) } == [])
    for place in places { #expect(playground.directory.text(place) == "precious") }
  }

  @Test("case 93: so does a directory, which stops nothing")
  func leavesOthersDirectories() throws {
    let places = [".todosync/.tmp-mine/notes", ".todosync/trash/.tmp-mine/notes"]
    for place in places { playground.directory.write("precious", to: place) }
    #expect(try playground.open().notices == [])
    let findings = try Workspace.examine(at: playground.directory.path, clock: { 0 }).findings
    #expect(findings.filter { $0.place.hasSuffix(".tmp-mine") } == [])
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
