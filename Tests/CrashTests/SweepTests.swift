import Glibc
import TestSupport
import Testing

/// A fault at every system call that changes something (safety.md §4.3).
@Suite(.enabled(if: TracedProgram.refusal == nil, "\(TracedProgram.refusal ?? "")"))
struct SweepTests {
  @Test("cases 82, 83, 84, 86: after a fault at any system call, the next command goes on")
  func sweeps() async throws {
    let seed = Campaign.seed
    let table = try await Campaign.onThreads { number, of in
      try Sweep(seed: seed, worker: number, of: of).run()
    }
    Campaign.tell("crash sweep, seed \(seed)\(Campaign.isWhole ? ", whole" : ", a sample"):")
    table.print()
    for failure in table.failures.prefix(20) { Issue.record("\(failure)") }
    #expect(table.failures.count == 0)
  }
}
