import Glibc
import TestSupport

/// All faults at all calls of all commands, or a sample of them.
struct Sweep {
  /// How many runs of each command and mode a sample has, for all workers together.
  static let sample = 1
  /// Of a pair's second fault, every so manyeth call is tried.
  static let step = 7

  private let seed: UInt64
  private let worker: Int
  private let workers: Int

  /// Takes a worker's share.
  init(seed: UInt64, worker: Int, of workers: Int) {
    (self.seed, self.worker, self.workers) = (seed, worker, workers)
  }

  /// Runs it.
  func run(_ scenarios: [Scenario] = Scenario.chosen(of: Scenario.all)) throws -> SweepTable {
    let world = try CrashWorld()
    var random = SplitMix64(seed: seed)
    var table = SweepTable()
    for (index, scenario) in scenarios.enumerated() {
      // In a sample, each worker takes other commands.
      if !Campaign.isWhole, index % workers != worker { continue }
      let prepared = try PreparedScenario(scenario, in: world)
      if worker == 0 || !Campaign.isWhole { table.found(prepared.calls.count, in: scenario) }
      for mode in Fault.Mode.allCases {
        for faults in choose(single(mode, prepared), &random) {
          try run(faults, of: prepared, as: mode.description, &table)
        }
      }
      for faults in choose(pairs(prepared), &random) {
        try run(faults, of: prepared, as: SweepTable.pairs, &table)
      }
    }
    return table
  }

  private func single(_ mode: Fault.Mode, _ prepared: PreparedScenario) -> [[Fault]] {
    prepared.calls.filter(mode.applies).map { [Fault(mode: mode, call: $0.number)] }
  }

  private func pairs(_ prepared: PreparedScenario) -> [[Fault]] {
    prepared.calls.flatMap { first in
      stride(from: 1, through: prepared.calls.count + Self.step, by: Self.step).map {
        [Fault(mode: .kill, call: first.number), Fault(mode: .kill, call: $0)]
      }
    }
  }

  private func choose(_ all: [[Fault]], _ random: inout SplitMix64) -> [[Fault]] {
    guard !Campaign.isWhole else {
      return all.enumerated().filter { $0.offset % workers == worker }.map(\.element)
    }
    return Array(all.shuffled(using: &random).prefix(Self.sample))
  }

  private func run(
    _ faults: [Fault], of prepared: PreparedScenario, as column: String, _ table: inout SweepTable
  ) throws {
    let run = try prepared.run(faults)
    table.ran(prepared.scenario, column, isReached: run.isReached, isLost: !run.faults.isEmpty)
    guard !run.faults.isEmpty else { return }
    let calls = faults.compactMap { fault in prepared.calls.first { $0.number == fault.call } }
    table.failures.append(
      """
      \(prepared.scenario): \(faults.map(\.description).joined(separator: ", then ")): \
      \(calls.map { "\($0.kind) \($0.path) \($0.target)" }.joined(separator: ", "))
      \(run.faults.joined(separator: "\n"))
      \(run.story.joined(separator: "\n"))
      """)
  }
}

extension Scenario {
  /// All of some, or those that `TSYNC_ONLY` names.
  static func chosen(of scenarios: [Scenario]) -> [Scenario] {
    guard let only = getenv("TSYNC_ONLY") else { return scenarios }
    let names = String(cString: only).split(separator: ",").map { String($0) }
    return scenarios.filter { names.contains($0.name) }
  }
}
