import Glibc
import TestSupport

/// All faults at all calls of all commands, or a sample of them.
struct Sweep {
  /// Of the calls of a recovery, every so manyeth is tried.
  static let step = 14
  /// How many runs with a third kill a worker has for each of its commands.
  static let triples = Campaign.isWhole ? 12 : 1

  private let world: CrashWorld
  private let worker: Int
  private let workers: Int
  private var random: SplitMix64
  private var table = SweepTable()

  /// Takes a worker's share.
  init(seed: UInt64, worker: Int, of workers: Int) throws {
    (self.worker, self.workers) = (worker, workers)
    random = SplitMix64(seed: seed &+ UInt64(worker))
    world = try CrashWorld()
  }

  /// One fault in each run.
  consuming func once() throws -> SweepTable {
    var sweep = self
    try sweep.ofEach { sweep, prepared in
      for mode in Fault.Mode.allCases {
        for call in sweep.chosen(of: prepared.calls.filter(mode.applies)) {
          try sweep.run([Fault(mode: mode, at: call)], of: prepared, as: mode.description)
        }
      }
    }
    return sweep.table
  }

  /// A kill, another one while what it has left is recovered from, and after some of those a third.
  consuming func again() throws -> SweepTable {
    var sweep = self
    try sweep.ofEach { sweep, prepared in
      for call in sweep.chosen(of: prepared.calls) {
        let first = Fault(mode: .kill, at: call)
        let count = try prepared.callsOfRecovery(after: [first])
        sweep.table.found(count, in: prepared.scenario)
        for second in sweep.seconds(after: call.number, of: count) {
          let faults = [first, Fault(mode: .kill, call: second)]
          try sweep.run(faults, of: prepared, as: SweepTable.twice)
        }
      }
      for _ in 0..<Self.triples {
        try sweep.thrice(prepared)
      }
    }
    return sweep.table
  }

  /// Three kills, each while what the one before has left is recovered from.
  private mutating func thrice(_ prepared: PreparedScenario) throws {
    var faults = [Fault(mode: .kill, call: 1 + random.below(prepared.calls.count))]
    for _ in 0..<2 {
      let count = try prepared.callsOfRecovery(after: faults)
      guard count > 0 else { return }
      faults.append(Fault(mode: .kill, call: 1 + random.below(count)))
    }
    try run(faults, of: prepared, as: SweepTable.thrice)
  }

  /// Works on one command after the other; in a sample, each worker on others.
  private mutating func ofEach(
    _ work: (inout Sweep, PreparedScenario) throws -> Void
  ) throws {
    for (index, scenario) in Scenario.chosen(of: Scenario.all).enumerated()
    where Campaign.isWhole || index % workers == worker {
      let prepared = try PreparedScenario(scenario, in: world)
      try work(&self, prepared)
      if Campaign.isWhole {
        Campaign.tell("\(scenario), worker \(worker): \(table.count(scenario))")
      }
    }
  }

  /// This worker's part of all, or one that is drawn.
  private mutating func chosen(of calls: [TracedCall]) -> [TracedCall] {
    guard Campaign.isWhole else { return Array(calls.shuffled(using: &random).prefix(1)) }
    return calls.filter { $0.number % workers == worker }
  }

  /// The calls of a recovery at which there is a second kill; after another first one, others.
  private mutating func seconds(after first: Int, of count: Int) -> [Int] {
    guard Campaign.isWhole else { return count > 0 ? [1 + random.below(count)] : [] }
    return Array(stride(from: 1 + first % Self.step, through: count, by: Self.step))
  }

  /// Runs it, and again where a fault meets no call, as answers may come in fewer pieces than before.
  private mutating func run(
    _ faults: [Fault], of prepared: PreparedScenario, as column: String
  ) throws {
    var run = PreparedScenario.Run()
    var isMet = false
    for _ in 0..<3 where !isMet && run.faults.isEmpty {
      run = try prepared.run(faults)
      isMet = run.met.count == faults.count
    }
    table.ran(prepared.scenario, column, isMet: isMet, isLost: !run.faults.isEmpty)
    let description = faults.map(\.description).joined(separator: ", then ")
    if !isMet { Campaign.tell("\(prepared.scenario): not met: \(description)") }
    guard !run.faults.isEmpty else { return }
    table.failures.append(
      """
      \(prepared.scenario): \(description)
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
