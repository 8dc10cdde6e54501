import Glibc
import SyncEngine
import SyncModel
import SystemPackage
import TestSupport
import Testing

@testable import Workspace

@Suite struct WorkspaceTests {
  let playground: Playground

  init() throws { playground = try Playground() }

  private func mode(_ name: String) -> mode_t {
    var status = stat()
    return lstat(playground.directory.path(of: name), &status) == 0 ? status.st_mode & 0o7777 : 0
  }

  private func make(at path: String) throws {
    try Workspace.make(
      at: path, settings: SettingsFile(place: "", text: Array("{}".utf8)), state: WorkspaceState(),
      tables: [playground.table])
  }

  // MARK: Making

  @Test("W6, L12: a new workspace has its files, for its owner only")
  func makes() throws {
    #expect(
      playground.directory.names(in: ".todosync") == [
        ".gitignore", "base", "config.json", "conflicts", "items", "journal.jsonl", "quarantine",
        "state.json", "trash",
      ])
    #expect(playground.directory.names(in: ".todosync/items") == ["todoitem"])
    for name in ["", "base", "items", "items/todoitem", "trash"] {
      #expect(mode(".todosync/\(name)") == 0o700, "\(name)")
    }
    for name in ["config.json", "journal.jsonl", "state.json", ".gitignore"] {
      #expect(mode(".todosync/\(name)") == 0o600, "\(name)")
    }
    #expect(playground.directory.text(".todosync/state.json") == "{\n  \"format\": 1\n}\n")
  }

  @Test("The directories above are made too")
  func makesDirectories() throws {
    try make(at: playground.directory.path(of: "x/y/z"))
    #expect(playground.directory.text("x/y/z/.todosync/config.json") == "{}")
  }

  @Test("A workspace is not made twice, and a failed making leaves nothing")
  func makesOnce() throws {
    let before = playground.directory.names()
    #expect(
      throws: WorkspaceError.exists(place: playground.directory.path(of: ".todosync"))
    ) { try make(at: playground.directory.path) }
    #expect(playground.directory.names() == before)
  }

  @Test("A workspace can't be made below a file")
  func makesNothingBelowFiles() throws {
    playground.directory.write("x", to: "file")
    #expect(throws: WorkspaceError.self) { try make(at: playground.directory.path(of: "file")) }
    #expect(throws: WorkspaceError.self) { try make(at: playground.directory.path(of: "file/x")) }
  }

  // MARK: Finding

  private func find(
    _ name: String = "", home: String? = nil, isNamed: Bool = false, user: UInt32 = geteuid()
  ) throws -> String {
    try Workspace.find(
      from: playground.directory.path(of: name), home: home, isNamed: isNamed, user: user)
  }

  @Test("The nearest workspace above is found")
  func findsAbove() throws {
    playground.directory.write("", to: "a/b/x")
    #expect(try find("a/b") == playground.directory.path)
    try make(at: playground.directory.path(of: "a"))
    #expect(try find("a/b") == playground.directory.path(of: "a"))
    #expect(try find(".todosync/items/todoitem") == playground.directory.path)
  }

  @Test("W3: the user's home is looked at, and nothing above it")
  func stopsAtHome() throws {
    playground.directory.write("", to: "home/b/x")
    let home = playground.directory.path(of: "home")
    #expect(throws: WorkspaceError.notFound(from: home + "/b")) { try find("home/b", home: home) }
    try make(at: home)
    #expect(try find("home/b", home: home) == home)
  }

  @Test("W3: where another file system begins, the search ends", .enabled(if: geteuid() == 0))
  func stopsAtFileSystems() throws {
    mkdir(playground.directory.path(of: "disk"), 0o700)
    let disk = playground.directory.path(of: "disk")
    try #require(mount("none", disk, "tmpfs", 0, nil) == 0)
    defer { umount(disk) }
    #expect(throws: WorkspaceError.notFound(from: disk)) { try find("disk") }
  }

  @Test("Without a workspace above, there is none")
  func findsNone() {
    let directory = TemporaryDirectory()
    #expect(throws: WorkspaceError.notFound(from: directory.path)) {
      try Workspace.find(from: directory.path, home: directory.path)
    }
  }

  @Test("W3: a workspace of another user is refused", .enabled(if: geteuid() == 0))
  func refusesForeignWorkspaces() throws {
    chown(playground.directory.path(of: ".todosync"), 65_534, 65_534)
    #expect(throws: WorkspaceError.self) { try find() }
    #expect(throws: WorkspaceError.self) { try find(isNamed: true) }
    chown(playground.directory.path(of: ".todosync"), 0, 0)
    chown(playground.directory.path, 65_534, 65_534)
    #expect(throws: WorkspaceError.self) { try find() }
    #expect(try find(isNamed: true) == playground.directory.path)
    chown(playground.directory.path, 0, 0)
  }

  @Test("W3: a workspace of this user is refused to another")
  func refusesByUser() {
    #expect(throws: WorkspaceError.self) { try find(user: geteuid() + 1) }
  }

  @Test(
    "W3: in a directory that others can write to, a workspace counts only when it is named",
    arguments: [0o777, 0o1777, 0o1700, 0o702] as [mode_t])
  func refusesOpenDirectories(mode: mode_t) throws {
    chmod(playground.directory.path, mode)
    mkdir(playground.directory.path(of: "a"), 0o700)
    #expect(throws: WorkspaceError.self) { try find() }
    #expect(try find(isNamed: true) == playground.directory.path)
    // Only the directory that was named counts so, not what lies above it.
    #expect(throws: WorkspaceError.self) { try find("a", isNamed: true) }
  }

  @Test("W3, W4: a link in the workspace's place is refused")
  func refusesLinks() throws {
    let other = TemporaryDirectory()
    #expect(
      symlink(playground.directory.path(of: ".todosync"), other.path(of: ".todosync")) == 0)
    #expect(throws: WorkspaceError.self) { try Workspace.find(from: other.path, home: nil) }
    #expect(throws: WorkspaceError.self) {
      try Workspace(at: other.path, for: .reading, clock: { 0 })
    }
  }

  // MARK: Opening

  @Test("What has a newer format is refused, to readers and writers")
  func refusesNewerFormats() throws {
    playground.directory.write("{\"format\": 2}", to: ".todosync/state.json")
    let error = WorkspaceError.newerFormat(place: "state.json", found: 2)
    #expect(throws: error) { try self.playground.open() }
    #expect(throws: error) {
      try Workspace(at: playground.directory.path, for: .reading, clock: { 0 })
    }
  }

  @Test(
    "A state that is no state is damage",
    arguments: ["", "{", "[]", "{}", "{\"format\": \"1\"}", "{\"format\": 0}"])
  func refusesDamagedStates(text: String) {
    playground.directory.write(text, to: ".todosync/state.json")
    #expect(
      throws: WorkspaceError.damaged(
        place: "state.json", line: nil, fact: "it is no object with a format")
    ) { try self.playground.open() }
  }

  @Test("A directory without a workspace can't be opened")
  func opensNothing() {
    let directory = TemporaryDirectory()
    #expect(throws: WorkspaceError.notFound(from: directory.path)) {
      try Workspace(at: directory.path, for: .reading, clock: { 0 })
    }
  }

  @Test("W6: a workspace that others can read is told")
  func warnsOfOpenModes() throws {
    chmod(playground.directory.path(of: ".todosync"), 0o755)
    #expect(
      try playground.open().notices == [
        ".todosync is open to other users: chmod 700 .todosync"
      ])
  }

  // MARK: Files

  @Test("The state is read back as it was written")
  func keepsTheState() throws {
    let workspace = try playground.open()
    var state = WorkspaceState()
    #expect(try workspace.state() == state)
    state.origin = "https://todo.example.net"
    state.dataset = "9f31"
    state.user = "e\u{301}"
    state.dialect = "datasync"
    var facts = TableFacts()
    (facts.pageSize, facts.makesIDs, facts.isMissing) = (5, true, true)
    state.tables[playground.table] = facts
    state.tables[try TableName("other")] = TableFacts()
    state.pulled = Timestamp("2026-03-01T10:15:02.123Z")
    try workspace.write(state)
    state.tables[try TableName("other")] = nil
    #expect(try workspace.state() == state)
    #expect(
      playground.directory.text(".todosync/state.json") == """
        {
          "format": 1,
          "origin": "https://todo.example.net",
          "dataset": "9f31",
          "user": "e\u{301}",
          "dialect": "datasync",
          "pulled": "2026-03-01T10:15:02.123Z",
          "tables": {
            "\(playground.table)": {
              "page": 5,
              "makesIds": true,
              "missing": true
            }
          }
        }

        """)
  }

  @Test("The settings are read and replaced")
  func keepsSettings() throws {
    let workspace = try Workspace(at: playground.directory.path, for: .reading, clock: { 0 })
    var settings = try workspace.settings()
    #expect(settings.place == ".todosync/config.json")
    try settings.set(try #require(SettingKey("push.jobs")), to: 4)
    try workspace.write(settings)
    #expect(playground.directory.text(".todosync/config.json") == "{\n  \"push.jobs\": 4\n}\n")
  }

  @Test("Tables are the directories of items; what can't be one is named")
  func listsTables() throws {
    playground.directory.write("", to: ".todosync/items/other/x")
    playground.directory.write("", to: ".todosync/items/to do/x")
    playground.directory.write("", to: ".todosync/items/.git/x")
    let directories = try playground.open().directories()
    #expect(directories.tables == [try TableName("other"), playground.table])
    #expect(directories.others == ["to do"])
  }

  @Test("A command writes one line of history with what it displaced")
  func writesHistory() throws {
    let digest = playground.save("{\"text\": \"x\"}")
    let key = try playground.key()
    var workspace = try playground.open()
    _ = try workspace.write(Item(text: #"{"text": "y"}"#), to: key, expecting: digest)
    try workspace.finish("pull")
    try workspace.finish("push -j 4")
    let entries = try workspace.history()
    #expect(entries.map(\.command) == ["pull", "push -j 4"])
    #expect(
      entries.first?.displaced == [
        History.Displaced(
          key: key, old: digest, new: Digest(of: Array("{\"text\": \"y\"}".utf8)),
          place: "trash/items/todoitem/a.20260301T101502Z.1.json")
      ])
    #expect(entries.last?.displaced == [])
    #expect(entries.first?.time.text == "2026-03-01T10:15:02.000Z")
  }

  @Test("A line of history has at most 64 KiB, and says how many files found no room")
  func limitsHistoryLines() throws {
    var workspace = try playground.open()
    let key = try playground.key()
    let place = Text("trash/items/todoitem/a.20260301T101502Z.1.json")
    workspace.displaced = (0..<5_000).map { _ in
      History.Displaced(key: key, old: Digest(of: []), new: nil, place: place)
    }
    try workspace.finish(Text("rm " + String(repeating: "x", count: 100_000)), status: 0)
    try workspace.finish("two", status: 0)
    let text = try #require(playground.directory.read(".todosync/history.jsonl"))
    let lines = text.split(separator: 0x0A)
    #expect(lines.map(\.count).max() ?? 0 <= 64 << 10)
    #expect(try workspace.history().map(\.command.string.utf8.count) == [4_096, 3])
    let first = try #require(try JSON(parsing: Array(lines[1])).object)
    let (kept, more) = (first["displaced"]?.elements?.count ?? 0, first["more"]?.integer ?? 0)
    #expect(kept > 100 && kept + more == 5_000)
  }

  @Test("The next line of history is found from the end, whatever lies before the last 64 KiB")
  func readsTheEndOfHistory() throws {
    var workspace = try playground.open()
    let long = Text(String(repeating: "x", count: 4_000))
    for _ in 0..<20 { try workspace.finish(long) }
    var text = try #require(playground.directory.read(".todosync/history.jsonl"))
    // Who reads this line stops at it.
    text[1_000] ^= 1
    playground.directory.write(text, to: ".todosync/history.jsonl")
    #expect(try workspace.history().isEmpty)
    try workspace.finish("last")
    let longer = try #require(playground.directory.read(".todosync/history.jsonl"))
    #expect(longer.starts(with: text))
    let line = String(decoding: longer.dropFirst(text.count), as: UTF8.self)
    #expect(line.hasPrefix(#"{"n":21,"#) && line.contains("last"))
  }

  @Test("A history of more than 4 MiB goes to the trash, and a new one begins")
  func beginsHistoryAnew() throws {
    var workspace = try playground.open()
    let long = Text(String(repeating: "x", count: 4_096))
    for _ in 0..<1_030 { try workspace.finish(long) }
    #expect(try workspace.history().count < 100)
    let kept = playground.directory.names(in: ".todosync/trash").filter { $0.hasPrefix("history") }
    #expect(kept.count == 1)
  }

  @Test("A command that ends with nothing open leaves a small journal")
  func rotatesAtTheEnd() throws {
    let key = try playground.key()
    var workspace = try playground.open()
    for _ in 0..<1_000 {
      try workspace.append(
        [.noted(key, Note(kind: .delete, commanded: true)), .closed(.operation(key))],
        durably: false)
    }
    #expect(playground.directory.read(".todosync/journal.jsonl")?.count ?? 0 > 64 << 10)
    try workspace.finish("on")
    #expect(playground.directory.read(".todosync/journal.jsonl")?.count ?? 0 > 64 << 10)
    try workspace.finish("push", status: 0)
    #expect(playground.directory.read(".todosync/journal.jsonl")?.count ?? .max < 1_000)
  }

  @Test("A damaged history is put aside, and a new one begun")
  func replacesDamagedHistories() throws {
    do {
      var workspace = try playground.open()
      try workspace.finish("one")
    }
    var text = try #require(playground.directory.read(".todosync/history.jsonl"))
    text[20] ^= 1
    playground.directory.write(text, to: ".todosync/history.jsonl")
    var workspace = try playground.open()
    try workspace.finish("two")
    #expect(try workspace.history().map(\.command) == ["two"])
    #expect(
      playground.directory.read(".todosync/trash/history.20260301T101502Z.1.jsonl") == text)
  }

  @Test("What was found and displaced is told and kept although the history can't be written")
  func keepsWhatItCannotWrite() throws {
    do {
      var workspace = try playground.open()
      try workspace.finish("one")
    }
    let history = try #require(playground.directory.read(".todosync/history.jsonl"))
    var newer = history
    let version = try #require(newer.firstRange(of: Array("\"v\":1".utf8)))
    newer[version.upperBound - 1] = UInt8(ascii: "2")
    playground.directory.write(newer, to: ".todosync/history.jsonl")
    let (digest, key) = (playground.save("{\"text\": \"x\"}"), try playground.key())
    var workspace = try playground.open()
    _ = try workspace.write(Item(text: #"{"text": "y"}"#), to: key, expecting: digest)
    _ = try workspace.document(from: [0x31], of: key)
    try workspace.removeConflict(of: key)
    var told: [String] = []
    #expect(throws: WorkspaceError.self) { try workspace.finish("two") { told.append($0) } }
    #expect(told.count == 1)
    playground.directory.write(history, to: ".todosync/history.jsonl")
    try workspace.finish("two") { told.append($0) }
    #expect(told.count == 1)
    #expect(try workspace.history().map(\.displaced.count) == [0, 3])
  }

  @Test("A row that can't be an item is kept once, as received")
  func keepsRefusedRows() throws {
    let workspace = try playground.open()
    let row = RefusedRow(text: Array("{\"id\": 7}".utf8), id: nil, reason: "the id is no string")
    let place = try workspace.quarantine(row, of: playground.table)
    #expect(playground.directory.text(".todosync/\(place)") == "{\"id\": 7}")
    #expect(try workspace.quarantine(row, of: playground.table) == place)
    #expect(playground.directory.names(in: ".todosync/quarantine/todoitem").count == 1)
  }

  @Test("A repository over the workspace takes the items and settings only")
  func hidesItsOwnFiles() throws {
    playground.save("{}")
    do {
      var workspace = try playground.open()
      try workspace.finish("new")
    }
    let text = try #require(playground.directory.text(".todosync/.gitignore"))
    let lines = text.split(separator: "\n").filter { !$0.hasPrefix("#") }
    #expect(lines == ["/*", "!/.gitignore", "!/config.json", "!/items/"])
  }

  @Test("Paths are those of the files")
  func namesPaths() throws {
    let workspace = try playground.open()
    let key = try playground.key("../x")
    #expect(
      try workspace.path(of: key)
        == playground.directory.path(of: ".todosync/items/todoitem/%2E.%2Fx.json"))
    var other = workspace
    _ = try other.write(Item(text: "{}"), to: key, expecting: nil)
    #expect(
      playground.directory.names(in: ".todosync/items/todoitem") == ["%2E.%2Fx.json"])
  }
}
