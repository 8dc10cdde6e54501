import Glibc
import Simulation
import SyncEngine
import SyncModel
import TestSupport
import Testing
import Workspace

/// A first pull, which puts a table's items in their place by one rename, on a file system that can lose its
/// power.
@Suite("A table's first items") struct FirstItemsTests {
  /// What goes wrong at a call.
  enum Cut: CaseIterable { case kill, powerLoss, refusal }

  private let table: TableName
  private let server = ModelServer()
  private static let items = ".todosync/items"

  init() throws {
    table = try TableName("todoitem")
    for id in ["a", "b", "c", "d", "e", "f"] { try store(id, "\(id)1") }
    try store("e", nil)
  }

  @Test(
    "cut off at any call, it is there as a whole or not at all, and the next pull brings the rest",
    arguments: Cut.allCases, [true, false])
  func cuts(_ cut: Cut, hasDirectory: Bool) throws {
    let whole = try disk(hasDirectory)
    try pull(whole)
    let expected = texts(whole)
    #expect(expected.map(\.path) == ["a", "b", "c", "d", "f"].map(path))
    var (number, isOver, met) = (0, false, Set<Bool>())
    while !isOver {
      number += 1
      for seed in 0..<UInt64(cut == .powerLoss ? 24 : 2) {
        let files = try disk(hasDirectory)
        var random = SplitMix64(seed: seed)
        isOver = try !pull(files, cutAt: number, by: cut, tears: seed % 2 == 1)
        cut == .powerLoss ? files.losePower(&random) : files.endProcess()
        let found = texts(files)
        // After a failure a pull brings what its pages had laid down.
        if cut != .refusal { #expect(found.isEmpty || found == expected, "call \(number)") }
        #expect(found.allSatisfy { file in expected.contains { $0 == file } }, "call \(number)")
        met.insert(found.isEmpty)
        try files.mounted {
          let reader = try open(files, for: .reading)
          let bases = try Set(reader.liveIDs(in: table).map { path($0.text.string) })
          let open = try Set(reader.arrivals(in: table).map { path($0.id.text.string) })
          let items = Set(found.map(\.path))
          #expect(bases.isSubset(of: items), "call \(number)")
          #expect(items.isSubset(of: bases.union(open)), "call \(number)")
          if isOver { #expect(bases == Set(expected.map(\.path))) }
        }
        try pull(files)
        #expect(texts(files) == expected, "call \(number)")
        #expect(try isClean(files), "call \(number)")
        #expect(!files.texts(below: ".todosync/trash").contains { $0.path.contains("/.tmp-") })
      }
    }
    #expect(met == [true, false])
    #expect(number > 20)
  }

  @Test("however many they are, they take their places by one rename")
  func oneRename() throws {
    func renames() throws -> Int {
      let files = try disk()
      var count = 0
      files.beforeStep = { if files.call == "rename" { count += 1 } }
      try pull(files)
      return count
    }
    let few = try renames()
    for number in 0..<20 { try store("x\(number)", "x") }
    #expect(try renames() == few)
  }

  @Test("a row that comes twice is the later one, a tombstone that follows a row leaves no file")
  func twice() throws {
    let files = try disk()
    var hasChanged = false
    try pull(files) {
      guard !hasChanged else { return }
      hasChanged = true
      try? store("a", "a2")
      try? store("b", nil)
    }
    let found = texts(files)
    #expect(found.map(\.path) == ["a", "c", "d", "f"].map(path))
    #expect(String(decoding: found[0].bytes, as: UTF8.self).contains("a2"))
    #expect(try isClean(files))
  }

  @Test("a file that somebody puts there meanwhile stays, and becomes what it becomes today")
  func meanwhile() throws {
    for text in [#"{"id": "b", "text": "mine"}"#, #"{"id": "b", "text": "b1"}"#, "{"] {
      for name in ["b.json", "new.json", "note.txt"] {
        let (early, late) = (try disk(), try disk())
        let place = "\(Self.items)/todoitem/\(name)"
        early.save(Array(text.utf8), place, inPlace: false)
        let today = try pull(early)
        var isFirst = true
        let report = try pull(late) {
          if isFirst { late.save(Array(text.utf8), place, inPlace: false) }
          isFirst = false
        }
        #expect(report == today)
        #expect(texts(late).map(\.path) == texts(early).map(\.path))
        #expect(texts(late).map(\.bytes) == texts(early).map(\.bytes))
        #expect(texts(late).contains { $0.path == place && $0.bytes == Array(text.utf8) })
        #expect(try isClean(late) == isClean(early))
      }
    }
  }

  @Test("where a base is known, nothing is taken for new: a file that was removed is a change")
  func overBase() throws {
    let files = try disk()
    try pull(files)
    for file in texts(files) { files.save(nil, file.path, inPlace: false) }
    try store("a", "a2")
    let report = try pull(files)
    #expect(report.events.filter { $0.kind == .conflict }.map(\.key.id.text.string) == ["a"])
    #expect(texts(files).isEmpty)
  }

  // MARK: - Words

  private func path(_ id: String) -> String { "\(Self.items)/todoitem/\(id).json" }

  private func store(_ id: String, _ text: String?) throws {
    let key = ItemKey(table, try ItemID(Text(id)))
    let item = text.map { Item(JSONObject([.init(name: "text", value: .string(Text($0)))])) }
    _ = server.store(item, key, by: 2, over: server.rows[key])
  }

  private func disk(_ hasDirectory: Bool = true) throws -> SimulatedFiles {
    let files = SimulatedFiles()
    try files.mounted {
      try Workspace.make(
        at: "/sim", settings: SettingsFile(place: "config.json", text: nil),
        state: WorkspaceState(), tables: hasDirectory ? [table] : [])
    }
    return files
  }

  private func open(
    _ files: SimulatedFiles, for access: Workspace.Access
  ) throws -> Workspace {
    try Workspace(at: "/sim", for: access, boot: files.boot, clock: { files.now })
  }

  /// The items' files, in the order of their names.
  private func texts(_ files: SimulatedFiles) -> [(path: String, bytes: [UInt8])] {
    files.texts(below: Self.items)
  }

  private func isClean(_ files: SimulatedFiles) throws -> Bool {
    try files.mounted {
      let reader = try open(files, for: .reading)
      return try reader.candidates(in: table).isEmpty && reader.arrivals(in: table).isEmpty
    }
  }

  /// Pulls, and lets something happen after each page.
  @discardableResult
  private func pull(
    _ files: SimulatedFiles, _ meanwhile: @escaping () -> Void = {}
  ) throws -> PullReport {
    defer { files.endProcess() }
    return try files.mounted {
      var disk = try open(files, for: .writing(command: "pull", patience: 0))
      var line = ModelBackend(to: server, client: 1)
      line.pageSize = 2
      var report = PullReport(Feed(table))
      let settings = Settings(now: 7)
      _ = try Recovery.run([table], on: &disk, settings: settings)
      let pull = Pull(settings: settings, progress: { _, _, _ in meanwhile() })
      try pull.run(Feed(table), on: &disk, from: &line, report: &report)
      try disk.finish("pull", status: 0)
      return report
    }
  }

  /// Pulls until a call; answers whether there was one of that number.
  private func pull(
    _ files: SimulatedFiles, cutAt number: Int, by cut: Cut, tears: Bool
  ) throws -> Bool {
    var count = 0
    files.tearsNext = tears
    files.beforeStep = {
      count += 1
      guard count == number else { return }
      if cut == .refusal { throw Refused(number: tears ? ENOSPC : EIO) }
      throw Killed()
    }
    defer { files.beforeStep = nil }
    _ = try? pull(files)
    return count >= number
  }
}

private func == (
  left: [(path: String, bytes: [UInt8])], right: [(path: String, bytes: [UInt8])]
) -> Bool {
  left.map(\.path) == right.map(\.path) && left.map(\.bytes) == right.map(\.bytes)
}
