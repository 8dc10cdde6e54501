import TestSupport
import Testing

/// Real power cuts, each right before one of a command's system calls.
///
/// They need root and loop devices, and some minutes: `TSYNC_CAMPAIGN=1`.
@Suite(
  .serialized,
  .enabled(if: Campaign.isWhole, "real power cuts take minutes: TSYNC_CAMPAIGN=1"),
  .enabled(if: TracedProgram.refusal == nil, "\(TracedProgram.refusal ?? "")"))
struct PowerCutTests {
  @Test(
    "case 87: after a real power cut before any system call, the next command goes on",
    arguments: CutDisk.Kind.allCases)
  func cuts(_ kind: CutDisk.Kind) async throws {
    if let refusal = CutDisk.refusal(of: kind) { try Test.cancel("\(refusal)") }
    let table = try await OwnThread.run { try Self.sweep(CutDisk(kind)) }
    Campaign.tell("power cuts on \(kind):")
    table.print([Fault.Mode.kill.description])
    for failure in table.failures.prefix(10) { Issue.record("\(failure)") }
    #expect(table.failures.count == 0)
    #expect(table.count.unmet * 100 <= table.count.runs)
    #expect(table.count.recovered > 0)
  }

  private static func sweep(_ disk: CutDisk) throws -> SweepTable {
    let world = try CrashWorld(on: disk)
    var table = SweepTable()
    for scenario in Scenario.chosen(of: Scenario.powerLosses) {
      let prepared = try PreparedScenario(scenario, in: world)
      let end = prepared.calls.count + 1
      // The last one is after the end, when all that was told must be safe.
      for call in 1...end {
        let run = try prepared.run([Fault(mode: .kill, call: call)])
        table.ran(
          scenario, Fault.Mode.kill.description, isMet: run.met.count == 1 || call == end,
          isLost: !run.faults.isEmpty)
        if !run.faults.isEmpty {
          table.failures.append(
            "\(scenario), cut before call \(call)\n\(run.faults.joined(separator: "\n"))\n"
              + run.story.joined(separator: "\n"))
        }
      }
      Campaign.tell("\(scenario): \(table.count(scenario))")
    }
    return table
  }
}
