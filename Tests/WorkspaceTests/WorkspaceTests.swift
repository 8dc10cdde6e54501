import Glibc
import SyncEngine
import SyncModel
import SystemPackage
import TestSupport
import Testing
import Workspace
import WorkspaceSupport

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
        ".gitignore", "config.json", "conflicts", "items", "journal", "lock",
        "quarantine", "state.json", "trash",
      ])
    #expect(playground.directory.names(in: ".todosync/items") == ["todoitem"])
    for name in ["", "journal", "items", "items/todoitem", "trash"] {
      #expect(mode(".todosync/\(name)") == 0o700, "\(name)")
    }
    for name in ["config.json", "state.json", ".gitignore"] {
      #expect(mode(".todosync/\(name)") == 0o600, "\(name)")
    }
    #expect(playground.directory.text(".todosync/state.json") == "{\n  \"format\": 2\n}\n")
  }

  @Test("The directories above are made too")
  func makesDirectories() throws {
    try make(at: playground.directory.path(of: "x/y/z"))
    #expect(playground.directory.text("x/y/z/.todosync/config.json") == "{}")
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

  @Test(
    "A state that is no state is damage",
    arguments: ["", "{", "[]", "{}", "{\"format\": \"1\"}", "{\"format\": 0}"])
  func refusesDamagedStates(text: String) {
    playground.directory.write(text, to: ".todosync/state.json")
    #expect(
      throws: WorkspaceError.damaged(
        place: "state.json", line: nil, fact: "it is not an object with a format")
    ) { try self.playground.open() }
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
          "format": 2,
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

  @Test("Tables are the directories of items; what can't be one is named")
  func listsTables() throws {
    playground.directory.write("", to: ".todosync/items/other/x")
    playground.directory.write("", to: ".todosync/items/to do/x")
    playground.directory.write("", to: ".todosync/items/.git/x")
    let directories = try playground.open().directories()
    #expect(directories.tables == [try TableName("other"), playground.table])
    #expect(directories.others == ["to do"])
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
}
