import Glibc
import SyncEngine
import SyncModel
import Synchronization
import Testing

@testable import TestSupport
@testable import Workspace

@Suite struct ReplacedFileTests {
  let playground: Playground

  init() throws { playground = try Playground() }

  private var itemPath: String { playground.directory.path(of: ".todosync/items/todoitem/a.json") }

  private func mode() -> mode_t {
    var status = stat()
    return lstat(itemPath, &status) == 0 ? status.st_mode & 0o7777 : 0
  }

  // MARK: The disk's calls

  @Test("A new item gets a new file, and nothing goes to the trash")
  func makesFiles() throws {
    var workspace = try playground.open()
    let outcome = try workspace.write(
      Item(text: #"{"text": "x"}"#), to: playground.key(), expecting: nil)
    let text = "{\n  \"id\": \"a\",\n  \"text\": \"x\"\n}\n"
    #expect(outcome == .replaced(Digest(of: text.utf8)))
    #expect(playground.text() == text)
    #expect(mode() == 0o600)
    #expect(playground.trash() == [])
    #expect(playground.staged == [])
  }

  @Test("A new item doesn't replace what somebody made meanwhile")
  func makesNoFileOverAnother() throws {
    playground.save("mine")
    var workspace = try playground.open()
    let outcome = try workspace.write(
      Item(text: "{}"), to: playground.key(), expecting: nil)
    #expect(outcome == .changedMeanwhile)
    #expect(playground.text() == "mine")
    #expect(playground.staged == [])
  }

  @Test("An item that exists is rewritten in its own style, and its old bytes go to the trash")
  func rewritesFiles() throws {
    let old = "{\r\n\t\"n\": 1.50,\r\n\t\"text\": \"x\"\r\n}\r\n"
    let digest = playground.save(old)
    var workspace = try playground.open()
    let outcome = try workspace.write(
      Item(text: #"{"n": 1.5, "text": "y"}"#), to: playground.key(), expecting: digest)
    let new = "{\r\n\t\"n\": 1.50,\r\n\t\"text\": \"y\"\r\n}\r\n"
    #expect(outcome == .replaced(Digest(of: new.utf8)))
    #expect(playground.text() == new)
    #expect(playground.trash() == [old])
    #expect(
      playground.directory.names(in: ".todosync/trash/items/todoitem")
        == ["a.20260301T101502Z.1.json"])
  }

  @Test("Rewriting to the same meaning touches nothing")
  func leavesEqualFiles() throws {
    let digest = playground.save(#"{ "n": 1.0 }"#)
    var workspace = try playground.open()
    let outcome = try workspace.write(
      Item(text: #"{"n": 1, "due": null}"#), to: playground.key(), expecting: digest)
    #expect(outcome == .replaced(digest))
    #expect(playground.text() == #"{ "n": 1.0 }"#)
    #expect(playground.trash() == [])
  }

  @Test("case 79: what changed before the check stays, whether it was edited or removed")
  func leavesChangedFiles() throws {
    let digest = playground.save("{\"text\": \"x\"}")
    var workspace = try playground.open()
    let (key, item) = (try playground.key(), try Item(text: #"{"text": "server"}"#))
    playground.save("{\"text\": \"y\"}")
    #expect(try workspace.write(item, to: key, expecting: digest) == .changedMeanwhile)
    #expect(try workspace.write(nil, to: key, expecting: digest) == .changedMeanwhile)
    #expect(playground.text() == "{\"text\": \"y\"}")
    unlink(itemPath)
    #expect(try workspace.write(item, to: key, expecting: digest) == .changedMeanwhile)
    #expect(try workspace.write(nil, to: key, expecting: digest) == .changedMeanwhile)
    #expect(playground.text() == nil)
    #expect(playground.trash() == [])
    #expect(playground.staged == [])
  }

  @Test("The mode of a replaced file is kept", arguments: [0o644, 0o600, 0o664, 0o440] as [mode_t])
  func keepsModes(mode wanted: mode_t) throws {
    let digest = playground.save("{\"text\": \"x\"}")
    #expect(chmod(itemPath, wanted) == 0)
    var workspace = try playground.open()
    _ = try workspace.write(
      Item(text: #"{"text": "y"}"#), to: playground.key(), expecting: digest)
    #expect(playground.text() == "{\"text\": \"y\"}")
    #expect(mode() == wanted)
  }

  @Test("A removed item lies in the trash")
  func removesFiles() throws {
    let digest = playground.save("{\"text\": \"x\"}")
    var workspace = try playground.open()
    #expect(try workspace.write(nil, to: playground.key(), expecting: digest) == .replaced(nil))
    #expect(playground.text() == nil)
    #expect(playground.trash() == ["{\"text\": \"x\"}"])
    #expect(try workspace.write(nil, to: playground.key(), expecting: nil) == .replaced(nil))
  }

  @Test("Removing what isn't there as expected removes nothing")
  func removesOnlyWhatWasSeen() throws {
    playground.save("{\"text\": \"x\"}")
    var workspace = try playground.open()
    #expect(try workspace.write(nil, to: playground.key(), expecting: nil) == .changedMeanwhile)
    #expect(playground.text() == "{\"text\": \"x\"}")
  }

  @Test("A table's directory is made, but 'items' itself is not")
  func needsItems() throws {
    var workspace = try playground.open()
    let key = ItemKey(try TableName("other"), try ItemID("a"))
    _ = try workspace.write(Item(text: "{}"), to: key, expecting: nil)
    #expect(playground.directory.text(".todosync/items/other/a.json") != nil)
    workspace = try reopened(&workspace) {
      let items = playground.directory.path(of: ".todosync/items")
      #expect(rename(items, items + "-away") == 0)
    }
    #expect(throws: WorkspaceError.missing(place: "items")) {
      try workspace.write(Item(text: "{}"), to: key, expecting: nil)
    }
  }

  /// Gives the lock back, does something, and opens the workspace again.
  private func reopened(
    _ workspace: inout Workspace, _ between: () -> Void
  ) throws -> Workspace {
    workspace = try Workspace(
      at: playground.directory.path, for: .reading, clock: { self.playground.now })
    between()
    return try playground.open()
  }

  @Test("A lost item is kept in the trash, and the history says where")
  func keepsLostItems() throws {
    var workspace = try playground.open()
    try workspace.keep(Item(text: #"{"text": "lost"}"#), of: playground.key())
    #expect(playground.trash() == ["{\n  \"id\": \"a\",\n  \"text\": \"lost\"\n}\n"])
    try workspace.finish("pull")
    let place: Text = "trash/items/todoitem/a.20260301T101502Z.1.json"
    #expect(try workspace.history().last?.displaced.map(\.place) == [place])
  }

  // MARK: A save at the very moment

  /// Saves as editors do.
  enum Saver: CaseIterable {
    case truncating, renaming, appending, removingFirst

    func save(_ text: String, in directory: TemporaryDirectory) {
      let name = ".todosync/items/todoitem/a.json"
      let path = directory.path(of: name)
      switch self {
      case .truncating: directory.write(text, to: name)
      case .renaming:
        directory.write(text, to: "new")
        rename(directory.path(of: "new"), path)
      case .appending:
        let descriptor = open(path, O_WRONLY | O_APPEND | O_CREAT, 0o600)
        _ = write(descriptor, text, text.utf8.count)
        close(descriptor)
      case .removingFirst:
        unlink(path)
        directory.write(text, to: name)
      }
    }
  }

  @Test(
    "cases 79, L2: a save between the check and the exchange stays in its place",
    arguments: Saver.allCases)
  func undoesTheExchange(saver: Saver) throws {
    let digest = playground.save("old")
    let workspace = try playground.open()
    let staged = try StagedText(
      Array("server".utf8), for: playground.file(workspace), expecting: digest)
    saver.save("mine", in: playground.directory)
    let saved = playground.text()
    guard case .changedMeanwhile = try staged.takePlace() else {
      Issue.record("a save was displaced")
      return
    }
    #expect(playground.text() == saved)
    #expect(playground.staged == [])
    #expect(playground.trash() == ["server"])
  }

  @Test("case 79: a second save between the exchanges wins its place, and the first is kept")
  func keepsBothSaves() throws {
    let digest = playground.save("old")
    let workspace = try playground.open()
    let staged = try StagedText(
      Array("server".utf8), for: playground.file(workspace), expecting: digest)
    playground.save("first")
    #expect((try? staged.exchange().get()) != nil)
    playground.save("second")
    guard case .changedMeanwhile = try staged.settle(digest) else {
      Issue.record("a save was displaced")
      return
    }
    #expect(playground.text() == "second")
    #expect(playground.trash() == ["first"])
    #expect(playground.staged == [])
  }

  @Test("A removal between the exchanges stays one, and the save before it is kept")
  func keepsTheRemoval() throws {
    let digest = playground.save("old")
    let workspace = try playground.open()
    let staged = try StagedText(
      Array("server".utf8), for: playground.file(workspace), expecting: digest)
    playground.save("first")
    #expect((try? staged.exchange().get()) != nil)
    unlink(itemPath)
    _ = try staged.settle(digest)
    #expect(playground.text() == nil)
    #expect(playground.trash() == ["first"])
  }

  @Test("A directory or link that came in its place meanwhile is put back")
  func putsBackWhatIsNoFile() throws {
    let digest = playground.save("old")
    let workspace = try playground.open()
    let staged = try StagedText(
      Array("server".utf8), for: playground.file(workspace), expecting: digest)
    unlink(itemPath)
    #expect(symlink("/nonexistent", itemPath) == 0)
    _ = try staged.takePlace()
    #expect(mode() & S_IFMT == 0)
    var status = stat()
    #expect(lstat(itemPath, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK)
    #expect(playground.staged == [])
  }

  @Test(
    "cases 96, L11: where names can't be exchanged, a replaced file is linked into the trash first")
  func replacesWithoutExchange() throws {
    let digest = playground.save("old")
    let workspace = try playground.open()
    let file = try playground.file(workspace)
    let staged = try StagedText(Array("new".utf8), for: file, expecting: digest)
    guard case .replaced = try staged.replaceWithoutExchange(digest) else {
      Issue.record("not replaced")
      return
    }
    #expect(playground.text() == "new")
    #expect(playground.trash() == ["old"])
    let other = try StagedText(Array("newer".utf8), for: file, expecting: digest)
    guard case .changedMeanwhile = try other.replaceWithoutExchange(digest) else {
      Issue.record("replaced something unseen")
      return
    }
    #expect(playground.text() == "new")
    #expect(playground.staged == [])
  }

  @Test("cases 79, L3: a program that writes into the old file while tsync replaces loses no line")
  func losesNoLine() throws {
    playground.save("begin\n")
    let count = 2_000
    try race(saves: count, text: { number in "save \(number)\n" }, by: { .appending })
    let kept = Set(
      ([playground.text() ?? ""] + playground.trash()).flatMap { $0.split(separator: "\n") })
    for number in 1...count { #expect(kept.contains("save \(number)")) }
  }

  @Test(
    "L2: the last save is in its place or in the trash, whole",
    arguments: [Saver.truncating, .renaming, .removingFirst], 0..<20)
  func losesNoLastSave(saver: Saver, round: Int) throws {
    playground.save("begin")
    let text = { @Sendable (number: Int) in
      "save \(number) " + String(repeating: "x", count: 100 * number)
    }
    try race(saves: 20, text: text) { saver }
    let kept = [playground.text() ?? ""] + playground.trash()
    #expect(kept.contains(text(20)))
  }

  /// Replaces the item over and over while a saver saves it.
  private func race(
    saves: Int, text: @escaping @Sendable (Int) -> String, by saver: @escaping @Sendable () -> Saver
  ) throws {
    let isOver = Flag()
    let directory = playground.directory
    let thread = try #require(
      ServerThread.start {
        for number in 1...saves { saver().save(text(number), in: directory) }
        isOver.value.store(true, ordering: .releasing)
      })
    let workspace = try playground.open()
    let file = try playground.file(workspace)
    var rounds = 0
    while !isOver.value.load(ordering: .acquiring) {
      guard case .file(let bytes, _) = try file.read(limit: 1 << 20) else { continue }
      rounds += 1
      _ = try file.replace(with: Array("server \(rounds)\n".utf8), expecting: Digest(of: bytes))
    }
    thread.join()
    #expect(playground.staged == [])
  }

  private final class Flag: Sendable {
    let value = Atomic(false)
  }
}
