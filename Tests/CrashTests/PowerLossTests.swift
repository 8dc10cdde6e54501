import TestSupport
import Testing

/// All states in which a power loss may leave the disk, rebuilt from what the tracer has recorded.
@Suite(.enabled(if: TracedProgram.refusal == nil, "\(TracedProgram.refusal ?? "")"))
struct PowerLossTests {
  @Test("case 87: after a power loss at any moment, the next command goes on")
  func replays() async throws {
    let seed = Campaign.seed
    Campaign.tell("power loss, seed \(seed)")
    let sum = try await Campaign.onThreads { number, of in
      let world = try CrashWorld()
      var sum = PowerLoss.Report()
      for (index, scenario) in Scenario.chosen(of: Scenario.powerLosses).enumerated()
      where index % of == number {
        var random = SplitMix64(seed: seed)
        let loss = try PowerLoss(scenario, in: world)
        let report = try loss.replay(
          limit: Campaign.isWhole ? 20_000 : 20, momentLimit: Campaign.isWhole ? 2_000 : 60,
          &random)
        Campaign.tell(
          "\(scenario): \(report.checked) of \(report.states) states of \(report.moments) moments "
            + "(\(report.wholeMoments) whole), \(report.failures.count) bad")
        sum.add(report)
      }
      return sum
    }
    Campaign.tell("\(sum.checked) states, \(sum.failures.count) bad")
    for failure in sum.failures.prefix(10) { Issue.record("\(failure)") }
    #expect(sum.failures.count == 0)
  }
}
