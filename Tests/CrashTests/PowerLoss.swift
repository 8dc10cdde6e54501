import CommandSupport
import TestSupport

/// A command as it was recorded, and what power losses at any of its moments come to.
final class PowerLoss {
  /// One of the syncs that the order of writes depends on: which call, and of what.
  struct Sync: Hashable, Sendable, CustomStringConvertible {
    let kind: TracedCall.Kind
    /// The file, without what differs from run to run; empty where it is all.
    let place: String

    var description: String { place.isEmpty ? "\(kind)" : "\(kind) \(place)" }
  }

  /// What a replay has come to.
  struct Report: Addable, Sendable {
    /// States that were checked, and that there were.
    var checked = 0
    var states = 0
    /// Moments of whose states all were looked at.
    var wholeMoments = 0
    var moments = 0
    /// A text for each state from which tsync didn't recover.
    var failures: [String] = []

    mutating func add(_ other: Report) {
      checked += other.checked
      states += other.states
      wholeMoments += other.wholeMoments
      moments += other.moments
      failures += other.failures
    }
  }

  /// A state after a power loss: the disk's and the server's.
  private struct State: Hashable {
    let tree: FileTree
    let mark: Int
    /// Whether the command had ended before.
    let isAtEnd: Bool
  }

  let scenario: Scenario
  private let world: CrashWorld
  private let tree: FileTree
  private let audit: ByteAudit
  private let calls: [TracedCall]
  /// The server's mark after each call; the first is the one before all.
  private var marks: [Int] = []
  private let meaning: Meaning

  /// Prepares a scenario, and records its run.
  init(_ scenario: Scenario, in world: CrashWorld) throws {
    self.scenario = scenario
    self.world = world
    let start = try world.prepare(scenario)
    let mine = world.mine(scenario)
    tree = FileTree(at: mine.workspace)
    audit = ByteAudit(of: tree)
    var marks = [start]
    var failure: (any Error)?
    var changes = try world.server.changes()
    let program = mine.program(world.words(scenario), beside: scenario.isBeside)
    let ending = try program.run { _ in
      do {
        let now = try world.server.changes()
        marks.append(now == changes ? marks[marks.count - 1] : try world.server.mark())
        changes = now
      } catch { failure = error }
    }
    if let failure { throw failure }
    marks.append(try world.server.mark())
    try scenario.check(ending.status, ending.output)
    (calls, self.marks) = (ending.calls, marks)
    meaning = try world.meaning(of: mine)
  }

  /// The syncs that the command makes.
  var syncs: [Sync] {
    var seen: Set<Sync> = []
    return calls.compactMap(sync).filter { seen.insert($0).inserted }
  }

  private func sync(_ call: TracedCall) -> Sync? {
    guard [.sync, .datasync, .syncfs].contains(call.kind) else { return nil }
    guard call.kind != .syncfs, call.path.hasPrefix(world.mine().workspace) else {
      return Sync(kind: call.kind, place: "")
    }
    let inside = call.path.dropFirst(world.mine().workspace.count + 1)
    let parts = inside.split(separator: "/").map { part in
      part.contains(".tmp-") ? ".tmp-*" : String(part)
    }
    return Sync(kind: call.kind, place: parts.joined(separator: "/"))
  }

  /// Finds the states after a power loss at any moment, and checks them.
  ///
  /// - Parameters:
  ///   - limit: How many are checked; where there are more, they are drawn.
  ///   - momentLimit: How many are looked at for one moment.
  ///   - dropped: The syncs that do nothing: the bug that must be found.
  ///   - failures: After so many bad ones the rest is not checked.
  ///   - random: Draws them.
  /// - Returns: What was found.
  /// - Throws: What the server's store says, or that a call is not known.
  func replay(
    limit: Int, momentLimit: Int, without dropped: Set<Sync> = [], failures: Int = .max,
    _ random: inout SplitMix64
  ) throws -> Report {
    var report = Report()
    let states = try states(momentLimit, dropped, &report, &random)
    report.states = states.count
    for state in states.shuffled(using: &random).prefix(limit) {
      report.checked += 1
      if let failure = try check(state) { report.failures.append(failure) }
      if report.failures.count >= failures { break }
    }
    return report
  }

  private func states(
    _ limit: Int, _ dropped: Set<Sync>, _ report: inout Report, _ random: inout SplitMix64
  ) throws -> [State] {
    var model = DiskModel(tree, at: world.mine().workspace)
    var found: Set<State> = []
    var ordered: [State] = []
    for moment in 0...calls.count {
      if moment > 0, sync(calls[moment - 1]).map({ !dropped.contains($0) }) ?? true,
        !model.apply(calls[moment - 1])
      {
        throw TestFailure("the replay doesn't know \(calls[moment - 1])")
      }
      let (trees, isWhole) = model.states(limit: limit, &random)
      report.moments += 1
      if isWhole { report.wholeMoments += 1 }
      // What was sent may have been done before the loss or after it.
      let isAtEnd = moment == calls.count
      for mark in isAtEnd ? [marks[moment + 1]] : Array(marks[moment...moment + 1]) {
        for tree in trees {
          let state = State(tree: tree, mark: mark, isAtEnd: isAtEnd)
          if found.insert(state).inserted { ordered.append(state) }
        }
      }
    }
    return ordered
  }

  /// Checks that a state is sound, and that the command leads from it to where it led undisturbed.
  ///
  /// - Returns: What is wrong; `nil` where nothing is.
  private func check(_ state: State) throws -> String? {
    let mine = world.mine(scenario)
    try world.server.rewind(to: state.mark)
    state.tree.write(to: mine.workspace)
    var faults: [String] = []
    // What a command has said is done must be so, whatever comes after.
    if state.isAtEnd {
      let found = try world.meaning(of: mine)
      if found != meaning {
        faults.append("not durable:\n" + Meaning.difference(meaning, found))
      }
    }
    if let fault = world.check(mine, isInterrupted: true) { faults.append(fault) }
    let again = world.goOn(scenario).last ?? Outcome(status: -1, output: "", error: "")
    if !scenario.mayEnd(again: again.status) {
      faults.append("going on ends with \(again.status)")
    }
    let found = try world.meaning(of: mine)
    if found != meaning {
      faults.append("other than undisturbed:\n" + Meaning.difference(meaning, found))
    }
    let lost = try audit.lost(
      from: FileTree(at: mine.workspace), contents: world.server.contents())
    if !lost.isEmpty { faults.append("lost: \(lost.joined(separator: " "))") }
    if let fault = world.check(mine) { faults.append(fault) }
    guard !faults.isEmpty else { return nil }
    return "\(scenario), power loss\n\(faults.joined(separator: "\n"))\n"
      + "again: status \(again.status)\n\(again.text)\n\(describe(state))"
  }

  /// Tells in which a state differs from the beginning.
  private func describe(_ state: State) -> String {
    let paths = Set(tree.files.keys).union(state.tree.files.keys).sorted()
    return paths.compactMap { path in
      let (old, new) = (tree.files[path]?.bytes, state.tree.files[path]?.bytes)
      guard old != new else { return nil }
      guard let new else { return "  gone: \(path)" }
      let text = String(decoding: new.suffix(300).map { $0 == 0 ? 0x30 : $0 }, as: UTF8.self)
      return "  \(old == nil ? "new" : "changed"): \(path) (\(new.count) bytes) \(text)"
    }.joined(separator: "\n")
  }
}
