import Simulation
import SyncEngine
import SyncModel
import TestSupport
import Testing
import Workspace

/// What a user saves between any two calls with which tsync replaces or removes the file, with a kill
/// between any two calls after that.
@Suite struct SaveSweepTests {
  private static let item = ".todosync/items/todoitem/a.json"
  private let table: TableName
  private let key: ItemKey

  init() throws {
    table = try TableName("todoitem")
    key = ItemKey(table, try ItemID("a"))
  }

  @Test(
    "no save is lost, whether names can be swapped or not",
    arguments: [(true, true), (true, false), (false, true), (false, false)])
  func sweep(swapsNames: Bool, inPlace: Bool) throws {
    for new in [Item(JSONObject([.init(name: "text", value: "new")])), nil] {
      var save = 1
      while true {
        let calls = try run(new, swapsNames: swapsNames, inPlace: inPlace, save: save, kill: .max)
        guard save <= calls else { break }
        for kill in save...calls {
          _ = try run(new, swapsNames: swapsNames, inPlace: inPlace, save: save, kill: kill)
        }
        save += 1
      }
      #expect(save > 3, "there was nothing to sweep over")
    }
  }

  /// Lets a user save ahead of a call, and kills the process ahead of a later one; returns how many calls
  /// there were.
  private func run(
    _ new: Item?, swapsNames: Bool, inPlace: Bool, save: Int, kill: Int
  ) throws -> Int {
    let files = SimulatedFiles()
    files.swapsNames = swapsNames
    let (old, mine) = (Array(#"{"text": "old"}"#.utf8), Array(#"{"text": "mine"}"#.utf8))
    return try files.mounted {
      try Workspace.make(
        at: "/sim", settings: SettingsFile(place: "config.json", text: nil),
        state: WorkspaceState(), tables: [table])
      files.save(old, Self.item, inPlace: false)
      var calls = 0
      var trace: [String] = []
      do {
        var workspace = try open(files)
        files.beforeStep = {
          calls += 1
          trace.append(files.call)
          if calls == save { files.save(mine, Self.item, inPlace: inPlace) }
          if calls == kill { throw Killed() }
        }
        _ = try? workspace.write(new, to: key, expecting: Digest(of: old))
        files.beforeStep = nil
      }
      files.endProcess()
      _ = try open(files)
      let left = files.texts(below: ".todosync")
      let isSaved = calls < save || left.contains { $0.bytes == mine }
      #expect(isSaved, "saved ahead of call \(save), killed ahead of \(kill) of \(trace)")
      return calls
    }
  }

  private func open(_ files: SimulatedFiles) throws -> Workspace {
    try Workspace(
      at: "/sim", for: .writing(command: "test", patience: 0), boot: files.boot,
      clock: { files.now })
  }
}
