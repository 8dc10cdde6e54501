import TestSupport
import Testing

/// The replay of power losses is worth something only if it finds what it looks for: a sync that the
/// order of writes depends on, and that isn't made.
///
/// Where two syncs cover for each other both are left out: a rename is one step for both its
/// directories.
@Suite(.enabled(if: TracedProgram.refusal == nil, "\(TracedProgram.refusal ?? "")"))
struct PlantedBugTests {
  /// A scenario, and what is left out in it.
  struct Bug: Sendable, CustomTestStringConvertible {
    let scenario: String
    let syncs: Set<PowerLoss.Sync>

    init(_ scenario: String, _ syncs: (TracedCall.Kind, String)...) {
      self.scenario = scenario
      self.syncs = Set(syncs.map { PowerLoss.Sync(kind: $0.0, place: $0.1) })
    }

    var testDescription: String {
      "\(scenario): \(syncs.map(\.description).sorted().joined(separator: ", "))"
    }
  }

  private static let items = (TracedCall.Kind.sync, ".todosync/items/todoitem")
  private static let trash = (TracedCall.Kind.sync, ".todosync/trash")
  private static let sides = (TracedCall.Kind.sync, ".todosync/conflicts/todoitem")
  private static let sidesInTrash = (TracedCall.Kind.sync, ".todosync/trash/conflicts/todoitem")

  /// Each sync that goes missing, and what a power loss then breaks.
  static let bugs = [
    // The rows of a page before an item is changed by them, and the commit before the end.
    Bug("pull (3)", (.datasync, ".todosync/journal/todoitem.jsonl")),
    // An item's new text before it takes the old one's place.
    Bug("pull (3)", (.sync, ".todosync/trash/.tmp-*")),
    Bug("push, merged (2)", (.sync, ".todosync/trash/.tmp-*")),
    // The sides of a conflict before its record.
    Bug("pull (3)", (.sync, ".todosync/conflicts/todoitem")),
    // The items before the commit that makes the rows their base.
    Bug("pull (3)", items, trash),
    // The attempt before it is sent.
    Bug("push (3)", (.datasync, ".todosync/journal/todoitem.jsonl")),
    // The state's text before it takes the old one's place.
    Bug("push (3)", (.sync, ".todosync/.tmp-*")),
    // The resolution before the item is changed by it.
    Bug("resolve --server (1)", (.datasync, ".todosync/journal/todoitem.jsonl")),
    // The sides in the trash before the conflict is closed.
    Bug("resolve --client (1)", sides, sidesInTrash),
    Bug("resolve --server (1)", sides, sidesInTrash),
    Bug("resolve --both (1)", sides, sidesInTrash),
    // The trash's directory before an item is moved into it.
    Bug("rm (1)", (.sync, ".todosync/trash/items")),
    Bug("rm (1)", items, trash),
    // An item's new name, and the trash's, before the row is its base.
    Bug("merge (2)", items, trash),
    // The new log's name before the purge is closed.
    Bug("purge (2)", (.sync, ".todosync/journal")),
    // The new log before it takes the old one's place.
    Bug("purge (2)", (.sync, ".todosync/journal/todoitem.jsonl.new")),
  ]

  @Test("a sync that is left out is found", arguments: bugs)
  func finds(_ bug: Bug) async throws {
    let scenario = try #require(Scenario.powerLosses.first { $0.name == bug.scenario })
    let report = try await OwnThread.run {
      var random = SplitMix64(seed: 1)
      let loss = try PowerLoss(scenario, in: CrashWorld())
      #expect(bug.syncs.isSubset(of: loss.syncs))
      return try loss.replay(
        limit: 1_000, momentLimit: 60, without: bug.syncs, failures: 1, &random)
    }
    Campaign.tell("\(bug.testDescription): found in state \(report.checked) of \(report.states)")
    #expect(report.failures.count == 1)
  }
}
