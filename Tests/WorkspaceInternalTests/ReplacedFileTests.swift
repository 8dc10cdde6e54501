import Glibc
import SyncEngine
import SyncModel
import Synchronization
import TestSupport
import Testing
import WorkspaceSupport

@testable import Workspace

@Suite struct ReplacedFileTests {
  let playground: Playground

  init() throws { playground = try Playground() }

  private var itemPath: String { playground.directory.path(of: ".todosync/items/todoitem/a.json") }

  private func mode() -> mode_t {
    var status = stat()
    return lstat(itemPath, &status) == 0 ? status.st_mode & 0o7777 : 0
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

  @Test("Where the directory of all items is gone, none is made for an item")
  func needsItems() throws {
    let items = playground.directory.path(of: ".todosync/items")
    #expect(rename(items, items + "-away") == 0)
    let key = try playground.key()
    var workspace = try playground.open()
    #expect(throws: WorkspaceError.missing(place: "items")) {
      try workspace.write(Item(text: "{}"), to: key, expecting: nil)
    }
  }

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
    let swap = try Swap(
      of: playground.file(workspace), to: Array("server".utf8), expecting: digest, durably: true)
    saver.save("mine", in: playground.directory)
    let saved = playground.text()
    guard case .changedMeanwhile = try swap.run() else {
      Issue.record("a save was displaced")
      return
    }
    #expect(playground.text() == saved)
    #expect(playground.staged == [])
    #expect(playground.trash() == ["server"])
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
      let swap = try Swap(
        of: file, to: Array("server \(rounds)\n".utf8), expecting: Digest(of: bytes),
        durably: false)
      _ = try swap.run()
    }
    thread.join()
    #expect(playground.staged == [])
  }

  private final class Flag: Sendable {
    let value = Atomic(false)
  }
}

extension Playground {
  /// Returns the file of an item, with the workspace's parts under it.
  func file(_ workspace: Workspace, _ id: String = "a") throws -> ReplacedFile {
    ReplacedFile(
      kind: "items", table: table,
      directory: try workspace.root.child("items").child("todoitem"), name: "\(id).json",
      trash: workspace.trash)
  }
}
