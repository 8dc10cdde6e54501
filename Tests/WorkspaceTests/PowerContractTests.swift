import Glibc
import Simulation
import SyncEngine
import SyncModel
import TestSupport
import Testing
import Workspace
import WorkspaceSupport

/// What SyncEngine/Disk.swift promises of a power loss, of a workspace on a file system that can lose
/// its power, and of its twin in memory.
///
/// Each is tried with many ways in which the power may fail. What was not confirmed is there whole or not
/// at all, and both are met.
@Suite struct PowerContractTests {
  /// A disk that can lose its power.
  enum Kind: CaseIterable { case memory, workspace }

  private let table: TableName
  private let key: ItemKey

  init() throws {
    table = try TableName("todoitem")
    key = ItemKey(table, try ItemID("a"))
  }

  // MARK: - Items

  /// What lies there, and what is written over it.
  private static let writes: [(String?, String?)] = [("old", "new"), ("old", nil), (nil, "new")]

  @Test("a written item is there, what it displaced is in the trash", arguments: Kind.allCases)
  func written(kind: Kind) throws {
    for (index, (old, new)) in (Self.writes + Self.writes).enumerated() {
      try losing(kind) { disk in
        // An editor may leave its text in memory.
        if let old, index < Self.writes.count {
          try disk.userSaves(text(old), as: key)
        } else {
          try save(old, &disk)
        }
        try write(new, over: old, &disk)
      } then: { disk throws in
        #expect(try found(disk) == new)
        #expect(try disk.kept() == (old.map { [text($0)] } ?? []))
      }
    }
  }

  @Test(
    "an item whose writing is cut off is old or new, and none is lost", arguments: Kind.allCases)
  func cutOff(kind: Kind) throws {
    for (old, new) in Self.writes {
      var met: Set<String?> = []
      // The calls of one write: those of a workspace are more.
      for cut in 1...(kind == .memory ? 2 : 16) {
        try losing(kind) { disk in
          // Where the trash has a directory for it, nothing is made durable by making that.
          try disk.keep(item("other"), of: key)
          try save(old, &disk)
        } cutting: { disk in
          try write(new, over: old, &disk)
          try write("other", over: nil, &disk, ItemKey(table, ItemID("b")))
        } after: {
          cut
        } then: { disk throws in
          let found = try found(disk)
          met.insert(found)
          if let old, found != old { #expect(try disk.kept().contains(text(old))) }
        }
      }
      #expect(met == [old, new])
    }
  }

  @Test("what a user has saved is there once it is synchronised", arguments: Kind.allCases)
  func synchronised(kind: Kind) throws {
    for count in [1, 70] {
      let ids = try (0..<count).map { try ItemID(Text("i\($0)")) }
      try losing(kind) { disk in
        try save("first", &disk)
        for id in ids {
          let saved = JSON.object(item("saved").object(id: id)).encoded()
          try disk.userSaves(saved, as: ItemKey(table, id))
        }
        try disk.userSaves(nil, as: key)
        try disk.synchronize([key.id] + ids, in: table)
      } then: { disk throws in
        #expect(try disk.client(key) == .absent)
        for id in ids { #expect(try disk.client(ItemKey(table, id)).item == item("saved")) }
      }
    }
  }

  @Test("what is kept is in the trash", arguments: Kind.allCases)
  func kept(kind: Kind) throws {
    try losing(kind) { disk in
      try disk.keep(item("lost"), of: key)
    } then: { disk throws in
      #expect(try disk.kept().map(item) == [item("lost")])
    }
  }

  @Test("the sides of a conflict are there, or in the trash", arguments: Kind.allCases)
  func conflict(kind: Kind) throws {
    let sides = Conflict(
      base: item("base"), client: item("mine"), server: item("theirs"))
    try losing(kind) { disk in
      try disk.writeConflict(sides, of: key)
    } then: { disk throws in
      #expect(try disk.conflictClient(of: key).item == item("mine"))
    }
    try losing(kind) { disk in
      try disk.writeConflict(sides, of: key)
      try disk.removeConflict(of: key)
    } then: { disk throws in
      #expect(try disk.conflictClient(of: key) == .absent)
      let kept = try disk.kept().map(item)
      #expect(kept.contains(item("mine")) && kept.contains(item("theirs")))
    }
  }

  // MARK: - Rows

  @Test("appended rows are there, and the bases ahead of them", arguments: Kind.allCases)
  func appended(kind: Kind) throws {
    try losing(kind) { disk in
      try disk.append(
        [.base(row("a", 1)), .arrived(Arrival(row("a", 2))), .arrived(Arrival(row("b", 1)))],
        to: table, durably: true)
    } then: { disk throws in
      #expect(try disk.base(of: key) == .row(row("a", 1)))
      #expect(try disk.arrivals(in: table).map(\.row) == [row("a", 2), row("b", 1)])
    }
  }

  @Test("a commit is there, with its token and what it holds back", arguments: Kind.allCases)
  func commit(kind: Kind) throws {
    try losing(kind) { disk in
      try disk.bring([row("a", 1), row("b", 1)], to: table)
      try disk.take(in: table, but: [ItemID("b")], token: DeltaToken("t"))
    } then: { disk throws in
      #expect(try disk.base(of: key) == .row(row("a", 1)))
      #expect(try disk.arrivals(in: table).map(\.row) == [row("b", 1)])
      #expect(try disk.token(of: table) == DeltaToken("t"))
    }
  }

  @Test("no token is there without the rows ahead of it", arguments: Kind.allCases)
  func tokenBehindRows(kind: Kind) throws {
    var met: Set<String> = []
    try losing(kind) { disk in
      try disk.append(
        [.arrived(Arrival(row("a", 1))), .token(Feed(table), DeltaToken("t"), of: 60)], to: table,
        durably: false)
    } then: { disk throws in
      let (token, rows) = (try disk.token(of: table), try disk.arrivals(in: table).map(\.row))
      let whole = try [row("a", 1)]
      #expect(token == nil || rows == whole)
      #expect(try disk.state(of: table).measure == (token == nil ? nil : 60))
      met.insert("\(token == nil)")
    }
    #expect(met == ["true", "false"])
  }

  @Test("a durable base is there; of others the first so many", arguments: Kind.allCases)
  func bases(kind: Kind) throws {
    var met: Set<Int> = []
    try losing(kind) { disk in
      try disk.setBase([row("a", 1)], in: table, durably: true)
      try disk.setBase([row("a", 2)], in: table, durably: false)
      try disk.setBase([row("a", 3)], in: table, durably: false)
    } then: { disk throws in
      let found = try (1...3).first { try disk.base(of: key) == .row(row("a", $0)) }
      met.insert(try #require(found))
    }
    #expect(met == [1, 2, 3])
    try losing(kind) { disk in
      try disk.setBase([row("a", 1)], in: table, durably: false)
      try disk.append([], to: table, durably: true)
      try disk.setBase([row("b", 1)], in: table, durably: false)
      try disk.setBase([row("c", 1)], in: table, durably: true)
    } then: { disk throws in
      #expect(try Set(disk.liveIDs(in: table)) == [ItemID("a"), ItemID("b"), ItemID("c")])
    }
  }

  @Test(
    "a lost answer leaves its attempt open; one that is there has ended it",
    arguments: Kind.allCases)
  func answered(kind: Kind) throws {
    let attempt = Attempt(key: key, kind: .update, version: Version("1"), item: nil, digest: nil)
    var met: Set<Bool> = []
    try losing(kind) { disk in
      try disk.setBase([row("a", 1)], in: table, durably: true)
      try disk.append([.sent(attempt)], to: table, durably: true)
      try disk.append([.base(row("a", 2), ends: key.id)], to: table, durably: false)
    } then: { disk throws in
      let isAnswered = try disk.base(of: key) == .row(row("a", 2))
      #expect(try disk.attempts(in: table) == (isAnswered ? [] : [attempt]))
      met.insert(isAnswered)
    }
    #expect(met == [true, false])
  }

  @Test("a forgotten table is empty", arguments: Kind.allCases)
  func forgotten(kind: Kind) throws {
    try losing(kind) { disk in
      try disk.setBase([row("a", 1)], in: table, durably: true)
      try disk.take(in: table, token: DeltaToken("t"))
      try disk.forget(table)
    } then: { disk throws in
      #expect(try disk.base(of: key) == .neverSeen)
      #expect(try disk.token(of: table) == nil)
    }
  }

  @Test("after a kill, who takes the lock first makes everything safe, the doctor too")
  func afterAKill() throws {
    let files = SimulatedFiles()
    try files.mounted {
      try Workspace.make(
        at: "/sim", settings: SettingsFile(place: "config.json", text: nil),
        state: WorkspaceState(), tables: [table])
      var synchronised = 0
      func counting(failing: Bool = false) {
        synchronised = 0
        files.beforeStep = {
          guard files.call == "synchronizeAll" else { return }
          synchronised += 1
          if failing { throw Refused(number: EIO) }
        }
      }
      func kill() throws {
        var workspace = try open(files)
        files.beforeStep = { throw Killed() }
        #expect(throws: (any Error).self) {
          try workspace.write(item("x"), to: key, expecting: nil)
        }
        workspace = try Workspace(at: "/sim", for: .reading, boot: files.boot, clock: { 0 })
        files.beforeStep = nil
        files.endProcess()
      }
      counting()
      _ = try open(files)
      #expect(synchronised == 0, "nobody was killed")
      try kill()
      counting(failing: true)
      #expect(throws: WorkspaceError.self) { try open(files) }
      counting()
      _ = try Workspace.mendFiles(at: "/sim", command: "doctor", clock: { files.now })
      #expect(synchronised > 0, "that it failed once doesn't make it safe")
      counting()
      _ = try open(files)
      #expect(synchronised == 0)
    }
  }

  // MARK: - Words

  /// Lets a body act on fresh disks, each of which then loses its power in another way, and shows
  /// what another process finds.
  ///
  /// What `cutting` does is cut off ahead of the so-many-eth step.
  private func losing(
    _ kind: Kind, _ act: (inout any TestedDisk) throws -> Void,
    cutting: (inout any TestedDisk) throws -> Void = { _ in }, after steps: () -> Int = { .max },
    then look: (any TestedDisk) throws -> Void
  ) throws {
    for seed in 0..<UInt64(60) {
      var random = SplitMix64(seed: seed)
      switch kind {
      case .memory:
        var disk: any TestedDisk = MemoryDisk()
        try act(&disk)
        var memory = try #require(disk as? MemoryDisk)
        var left = steps()
        memory.beforeStep = { _ in
          left -= 1
          if left == 0 { throw Killed() }
        }
        disk = memory
        do { try cutting(&disk) } catch is Killed {}
        memory = try #require(disk as? MemoryDisk)
        memory.beforeStep = nil
        memory.losePower(&random)
        try look(memory)
      case .workspace:
        let files = SimulatedFiles()
        try files.mounted {
          try Workspace.make(
            at: "/sim", settings: SettingsFile(place: "config.json", text: nil),
            state: WorkspaceState(), tables: [table])
          var disk: any TestedDisk = try open(files)
          try act(&disk)
          var left = steps()
          files.beforeStep = {
            left -= 1
            if left == 0 { throw Killed() }
          }
          do { try cutting(&disk) } catch { #expect(left <= 0, "\(error)") }
          files.beforeStep = nil
          files.endProcess()
          files.losePower(&random)
          disk = try open(files)
          try look(disk)
        }
      }
    }
  }

  private func open(_ files: SimulatedFiles) throws -> Workspace {
    try Workspace(
      at: "/sim", for: .writing(command: "test", patience: 0), boot: files.boot,
      clock: { files.now })
  }

  private func item(_ text: String) -> Item {
    Item(JSONObject([.init(name: "text", value: .string(Text(text)))]))
  }

  private func item(_ text: [UInt8]) throws -> Item {
    try Item(text: String(decoding: text, as: UTF8.self))
  }

  private func text(_ text: String) -> [UInt8] {
    JSON.object(item(text).object(id: key.id)).encoded()
  }

  private func row(_ id: Text, _ version: Int) throws -> Row {
    Row(
      id: try ItemID(id), item: item("\(version)"), version: Version(Text("\(version)")),
      updatedAt: Timestamp("2026-03-01T10:15:02Z"))
  }

  /// Returns what the item says; `nil` where there is none.
  private func found(_ disk: any TestedDisk) throws -> String? {
    switch try disk.client(key) {
    case .absent: return nil
    case .item(let item, _): return item["text"]?.text?.string
    case .invalid(let invalid):
      Issue.record("\(invalid)")
      return nil
    }
  }

  /// Lets the user's item lie there, safe.
  private func save(_ old: String?, _ disk: inout any TestedDisk) throws {
    guard let old else { return }
    try disk.userSaves(text(old), as: key)
    try disk.synchronize([key.id], in: table)
  }

  private func write(
    _ new: String?, over old: String?, _ disk: inout any TestedDisk, _ other: ItemKey? = nil
  ) throws {
    let expected = old.map { Digest(of: text($0)) }
    let outcome = try disk.write(new.map(item), to: other ?? key, expecting: expected)
    #expect(outcome != .changedMeanwhile)
  }
}
