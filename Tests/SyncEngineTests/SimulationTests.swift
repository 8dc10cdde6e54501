import Foundation
import Testing

@Suite("Histories drawn from seeds")
struct SimulationTests {
  /// The seeds to try: as many as `TSYNC_SEEDS` says, from `TSYNC_FIRST_SEED` on.
  private static func seeds(from first: UInt64, _ count: UInt64) -> Range<UInt64> {
    let environment = ProcessInfo.processInfo.environment
    let start = first + (environment["TSYNC_FIRST_SEED"].flatMap { UInt64($0) } ?? 0)
    return start..<start + (environment["TSYNC_SEEDS"].flatMap { UInt64($0) } ?? count)
  }

  @Test("several clients, lost messages, crashes and users who save at any moment")
  func converges() throws {
    for seed in Self.seeds(from: 0, 600) {
      let simulation = try Simulation(seed: seed)
      simulation.run()
      guard simulation.failures.isEmpty else {
        Issue.record("seed \(seed): \(simulation.failures.joined(separator: "; "))")
        print(simulation.trace.suffix(400).joined(separator: "\n"))
        return
      }
    }
  }

  @Test("a single client never meets itself in a conflict")
  func noSelfConflict() throws {
    for seed in Self.seeds(from: 10_000_000, 300) {
      let simulation = try Simulation(seed: seed, clients: 1)
      simulation.run()
      guard simulation.failures.isEmpty else {
        Issue.record("seed \(seed): \(simulation.failures.joined(separator: "; "))")
        print(simulation.trace.suffix(400).joined(separator: "\n"))
        return
      }
    }
  }

  @Test("a seed tells the same story twice")
  func deterministic() throws {
    for seed in UInt64(0)..<20 {
      let first = try Simulation(seed: seed)
      let second = try Simulation(seed: seed)
      first.run()
      second.run()
      #expect(first.trace == second.trace)
    }
  }
}
