import TestSupport
import Testing

/// A fault at every system call that changes something.
@Suite(
  .serialized, .enabled(if: TracedProgram.refusal == nil, "\(TracedProgram.refusal ?? "")"),
  .disabled(if: Sanitizer.isThread, "a fault may meet a call of the sanitizer's own"))
struct SweepTests {
  @Test("cases 82, 83, 84, 86: after a fault at any system call, the next command goes on")
  func sweeps() async throws {
    let seed = Campaign.seed
    let table = try await Campaign.onThreads { number, of in
      try Sweep(seed: seed, worker: number, of: of).once()
    }
    Campaign.tell("crash sweep, seed \(seed)\(Campaign.isWhole ? ", whole" : ", a sample"):")
    table.print(Fault.Mode.allCases.map(\.description))
    expect(table)
  }

  @Test("case 88: a kill during the recovery, and one during the recovery from that, do no harm")
  func recovers() async throws {
    let seed = Campaign.seed
    let table = try await Campaign.onThreads { number, of in
      try Sweep(seed: seed, worker: number, of: of).again()
    }
    Campaign.tell("kills during recovery, seed \(seed):")
    table.print([SweepTable.twice, SweepTable.thrice])
    Campaign.tell(table.shareOfPairs)
    expect(table)
  }

  /// Everything recovers, and few faults have found no call: one more renaming is made where a name in
  /// the trash is taken that has the same second in it.
  private func expect(_ table: SweepTable) {
    for failure in table.failures.prefix(20) { Issue.record("\(failure)") }
    #expect(table.failures.count == 0)
    #expect(table.count.unmet <= 2 + table.count.runs / 100)
    #expect(table.count.recovered > 0)
  }
}
