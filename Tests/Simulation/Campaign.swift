import TestSupport

/// Many seeds, on the twin in memory or on the real workspace over a simulated file system.
package struct Campaign: Sendable {
  /// On what the clients' workspaces lie.
  package enum Disk: String, CaseIterable, Sendable {
    /// The twin of a workspace, whose calls are whole or not at all.
    case memory
    /// The real workspace, on a file system in memory.
    case files
    /// The same, where names can't be swapped in one call.
    case nfs
  }

  /// What one history came to.
  package struct Result: Sendable {
    /// What went wrong; empty when nothing did.
    package var failures: [String]
    /// What happened, where that was asked for.
    package var trace: [String]
    /// How often rare states were reached.
    package var counts: [String: Int]
    /// A fingerprint of all that happened.
    package var fingerprint: UInt64
  }

  /// What many histories came to.
  package struct Report: Sendable {
    /// How many seeds were tried.
    package var seeds = 0
    /// The seeds that failed, with what went wrong first.
    package var failures: [(seed: UInt64, words: String)] = []
    /// In how many seeds each rare state was reached.
    package var seen: [String: Int] = [:]

    /// Makes the report of nothing.
    package init() {}

    /// Adds another one.
    package mutating func add(_ other: Report) {
      seeds += other.seeds
      failures += other.failures
      seen.merge(other.seen) { $0 + $1 }
    }
  }

  /// Returns the rare states that were not reached in one of a thousand seeds: a campaign that never
  /// reaches them has shown nothing about them.
  package func missing(in report: Report) -> [String] {
    let usual = [
      "agreed", "already there delete", "already there insert", "already there update",
      "call refused",
      "changed meanwhile", "cloned by git", "conflict AA", "conflict AD", "conflict DM",
      "conflict MD", "conflict MM",
      "conflict over", "garbled", "guard", "held", "indigestible",
      "killed",
      "killed while recovering", "late request", "merged", "open attempt", "items leaving",
      "open answer", "power lost", "pushed undelete", "rejected", "removed",
      "renamed", "restored what can't be read", "rolled back", "rows waiting", "side edited",
      "tie across pages",
      "two client sides", "unknown", "checked G", "checked S", "checked W", "checked X",
      "checked the end of a conflict", "checked what is told", "doctor",
    ]
    let all =
      disk == .memory
      ? usual
      : usual + [
        "edit lost", "first items together", "journal missing", "saved after a reading",
        "second process", "torn tail",
      ]
    return all.filter { 1_000 * (report.seen[$0] ?? 0) <= report.seeds }
  }

  /// On what the workspaces lie.
  package var disk: Disk
  /// How many actions a history has.
  package var actions: Int
  /// What its histories look at most.
  package var focus: Plan.Focus

  /// Makes a campaign.
  package init(on disk: Disk = .memory, actions: Int = 100, focus: Plan.Focus = Plan.Focus()) {
    self.disk = disk
    self.actions = actions
    self.focus = focus
  }

  /// The plan of a seed.
  package func plan(_ seed: UInt64) -> Plan { Plan(seed: seed, actions: actions, focus: focus) }

  /// Carries out one plan.
  ///
  /// - Throws: What making the machines throws.
  package func run(_ plan: Plan, keepingTrace: Bool = false) throws -> Result {
    switch disk {
    case .memory: try Self.run(plan, MemoryMachine.self, keepingTrace)
    case .files: try Self.run(plan, FileMachine.self, keepingTrace)
    case .nfs: try Self.run(plan, PlainMachine.self, keepingTrace)
    }
  }

  private static func run<Host: Machine>(
    _ plan: Plan, _ host: Host.Type, _ keepingTrace: Bool
  ) throws -> Result {
    let simulation = try Simulation<Host>(plan, keepingTrace: keepingTrace)
    simulation.run()
    return Result(
      failures: simulation.failures, trace: simulation.trace, counts: simulation.counts,
      fingerprint: simulation.fingerprint)
  }

  /// Carries out the plans of seeds; every one of them twice, and both must tell the same.
  ///
  /// - Throws: What making the machines throws.
  package func run(_ seeds: some Sequence<UInt64>) throws -> Report {
    var report = Report()
    for seed in seeds {
      let plan = plan(seed)
      let result = try run(plan)
      report.seeds += 1
      for name in result.counts.keys { report.seen[name, default: 0] += 1 }
      if let first = result.failures.first {
        report.failures.append((seed, first))
      } else if try run(plan).fingerprint != result.fingerprint {
        report.failures.append((seed, "T: a second run told another story"))
      }
    }
    return report
  }

  /// Makes a failing plan smaller, so that it still breaks the same property.
  ///
  /// - Throws: What making the machines throws.
  package func shrunk(_ plan: Plan) throws -> Plan {
    guard let letter = try run(plan).failures.first?.utf8.first else { return plan }
    return plan.shrunk { smaller in
      (try? run(smaller).failures.first?.utf8.first == letter) ?? false
    }
  }
}
