import Foundation
import Simulation
import TestSupport
import Testing

/// The program that carries histories out, as a person calls it.
struct Simulator {
  /// Its exit status.
  let status: Int32
  /// What it printed.
  let text: String

  /// Runs it, and lets other tests go on meanwhile.
  init(_ arguments: [String]) async throws {
    let ended = try await OwnThread.run {
      try ChildProcess([Programs.path(of: "simulate")] + arguments).outcome()
    }
    (status, text) = (ended.status, ended.text)
  }
}

/// The plans of histories that once went wrong.
private enum Plans {
  static let directory = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("Plans")

  static var names: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted() }
  }
}

@Suite("Histories drawn from seeds") struct SimulationTests {
  /// How many seeds to try: as many as `TSYNC_SEEDS` says, from `TSYNC_FIRST_SEED` on; by default
  /// others than those of Tests/campaign.
  private static func seeds(_ usual: Int, share: Int) -> [String] {
    let environment = ProcessInfo.processInfo.environment
    let count = environment["TSYNC_SEEDS"].flatMap { Int($0) }.map { $0 / share } ?? usual
    return ["--first", environment["TSYNC_FIRST_SEED"] ?? "50000000", "--seeds", "\(count)"]
  }

  @Test("several clients, lost messages, crashes and users who save at any moment")
  func memory() async throws {
    let run = try await Simulator(
      ["--disk", "memory", "--actions", "40"] + Self.seeds(10_000, share: 1))
    print(run.text)
    #expect(run.status == 0)
  }

  @Test(
    "the same with real workspaces, killed and without power between any two system calls",
    arguments: [("files", 200, 10), ("nfs", 50, 10)] as [(String, Int, Int)])
  func files(disk: String, count: Int, share: Int) async throws {
    let run = try await Simulator(
      ["--disk", disk, "--actions", "40"] + Self.seeds(count, share: share))
    print(run.text)
    #expect(run.status == 0)
  }

  @Test(
    "a history that once went wrong reaches what it must, and goes well", arguments: try Plans.names
  )
  func replay(_ name: String) async throws {
    let file = Plans.directory.appendingPathComponent(name)
    let inMemory = try await Simulator(["--disk", "memory", "--replay", file.path])
    #expect(inMemory.status == 0, "\(inMemory.text.suffix(4_000))")
    let onFiles = try await Simulator(["--disk", "files", "--replay", file.path])
    #expect(onFiles.status == 0, "\(onFiles.text.suffix(4_000))")
    func names(_ text: String, after head: String) -> Set<String> {
      let line = text.split(separator: "\n").first { $0.hasPrefix(head) }?.dropFirst(head.count)
      return Set((line ?? "").split(separator: ",").map { $0.filter { $0 != " " } })
    }
    let wanted = names(try String(contentsOf: file, encoding: .utf8), after: "# reaches:")
    let missing = wanted.subtracting(names(onFiles.text, after: "reached:"))
    #expect(!wanted.isEmpty, "\(name) doesn't say what it must reach")
    #expect(missing.isEmpty, "\(name) no longer reaches \(missing.sorted())")
  }

  @Test("a plan is read as it was written", arguments: 0..<50 as Range<UInt64>)
  func plans(_ seed: UInt64) throws {
    let plan = Plan(seed: seed)
    #expect(try Plan(text: plan.text) == plan)
  }

  @Test("a focus says what holds, what people do and what goes wrong")
  func focus() throws {
    let text = "items=1 clients=2 policy=manual calls=3 save=0 agree=200 kill@1000 powerLoss@0"
    let focus = try Plan.Focus(text: text)
    for seed in 0..<20 as Range<UInt64> {
      let plan = Plan(seed: seed, focus: focus)
      #expect(plan.world.items == 1 && plan.world.clients == 2)
      #expect(plan.text.contains("policy=manual"))
      #expect(plan.actions.allSatisfy { $0.verb != .save })
      #expect(plan.actions.count { $0.verb == .agree } > plan.actions.count / 2)
      for action in plan.actions {
        let kills = action.faults.filter { $0.kind == .kill }
        #expect([.push, .pull, .resolve].contains(action.verb) ? kills.count == 1 : true)
        #expect(kills.allSatisfy { $0.at < 3 })
        #expect(!action.faults.contains { $0.kind == .powerLoss })
      }
    }
  }

  @Test("a seed stands for the same history for ever")
  func seed() throws {
    #expect(try Plan.Focus(text: "").isEmpty)
    let plan = Plan(seed: 7, actions: 4)
    #expect(
      plan.text == """
        world clients=2 policy=server page=3 tick=2000 rewrite=0 late=3 guards=1 whole=1 items=6 queries=0 \
        counts=0 hard=0 lists=1
        0 save 880e43ed5da9a60f
        1 push a4d21225283af2e8 saveAfterReading@19 failure@0
        1 save e92c6f2f4924951e
        1 pull 641c6d76d555caa7 failureAfterActing@0 elsewhere@2

        """)
  }

  @Test(
    "a word of a focus that says nothing is refused",
    arguments: [
      "item", "items=x", "kill@", "kill=3", "pushes=3", "push@3", "items=1=2", "items=0", "calls=0",
      "save=-1",
    ])
  func notAFocus(_ word: String) {
    #expect(throws: Plan.NotAPlan.self) { try Plan.Focus(text: word) }
  }

  @Test("a plan is made smaller as far as it still fails")
  func shrinks() {
    let plan = Plan(seed: 3)
    // What fails is a push that follows a save, somewhere.
    func fails(_ plan: Plan) -> Bool {
      guard let save = plan.actions.firstIndex(where: { $0.verb == .save }) else { return false }
      return plan.actions[save...].contains { $0.verb == .push }
    }
    let smaller = plan.shrunk(while: fails)
    #expect(fails(plan))
    #expect(smaller.actions.map(\.verb) == [.save, .push])
    #expect(smaller.actions.allSatisfy { $0.faults.isEmpty })
    #expect(smaller.world.clients <= 2)
  }
}
