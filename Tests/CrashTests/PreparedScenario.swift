import Glibc
import TestSupport

@testable import Commands

/// A scenario that is ready to be run any number of times, and what comes of it undisturbed.
final class PreparedScenario {
  /// What one run came to.
  struct Run {
    /// The exit status of the command that the fault has hit.
    var status: Int32 = 0
    /// Whether the fault's call was made.
    var isReached = false
    /// What was done after it, for a message.
    var story: [String] = []
    /// What is wrong; empty where everything was recovered.
    var faults: [String] = []
  }

  let scenario: Scenario
  /// The calls of the undisturbed run.
  let calls: [TracedCall]
  private let world: CrashWorld
  private let tree: FileTree
  private let mark: Int
  private let audit: ByteAudit
  /// How the undisturbed run ends, and what it leads to.
  private let status: Int32
  private let meaning: Meaning

  /// Prepares it, and runs it once undisturbed.
  init(_ scenario: Scenario, in world: CrashWorld) throws {
    self.scenario = scenario
    self.world = world
    mark = try world.prepare(scenario)
    tree = FileTree(at: world.mine(scenario).workspace)
    audit = ByteAudit(of: tree)
    let ending = try Self.begin(scenario, world).run()
    (calls, status) = (ending.calls, ending.status)
    meaning = try world.meaning(of: world.mine(scenario))
    guard status <= 1 else {
      throw Failure(.damaged, "\(scenario) ends with \(status): \(ending.output)")
    }
  }

  private static func begin(_ scenario: Scenario, _ world: CrashWorld) -> TracedProgram {
    world.mine(scenario).program(world.words(scenario), beside: scenario.isBeside)
  }

  private func restart() throws {
    try world.server.rewind(to: mark)
    let mine = world.mine(scenario)
    FileTree.remove(mine.workspace)
    if !tree.directories.isEmpty { tree.write(to: mine.workspace) }
  }

  /// Runs it with faults, one after the other, and then until it has recovered.
  func run(_ faults: [Fault]) throws -> Run {
    try restart()
    world.disk?.settle()
    var run = Run()
    for fault in faults {
      let ending = try Self.begin(scenario, world).run(fault)
      run.status = ending.status
      run.isReached = ending.isReached
      run.story.append("\(fault): status \(ending.status)\n\(ending.output)")
      if ending.isReached { try checkEnd(fault, ending, &run) }
    }
    if let disk = world.disk {
      try disk.cut()
      if !run.isReached { try checkDurable(&run) }
    }
    try checkState(&run, isInterrupted: true)
    try goOn(&run)
    try checkState(&run, isInterrupted: false)
    return run
  }

  /// What is told must be true.
  private func checkEnd(
    _ fault: Fault, _ ending: TracedProgram.Ending, _ run: inout Run
  ) throws {
    if fault.mode.ends {
      if ending.status != 137 { run.faults.append("it was killed and ends with \(ending.status)") }
    } else if ending.status == status {
      let found = try world.meaning(of: world.mine(scenario))
      guard found != meaning else { return }
      run.faults.append(
        "it says that all was done, but\n" + Meaning.difference(meaning, found))
    } else if ![1, 3, 5, 7, 8].contains(ending.status) {
      run.faults.append("it ends with \(ending.status)")
    }
  }

  /// What a command has said is done must be so after a power cut (safety.md P5).
  private func checkDurable(_ run: inout Run) throws {
    let found = try world.meaning(of: world.mine(scenario))
    if found != meaning {
      run.faults.append("not durable:\n" + Meaning.difference(meaning, found))
    }
  }

  /// The workspace must be sound, and everything must be there, whenever the command has ended.
  private func checkState(_ run: inout Run, isInterrupted: Bool) throws {
    let mine = world.mine(scenario)
    let time = isInterrupted ? "after the fault" : "after going on"
    let lost = try audit.lost(
      from: FileTree(at: mine.workspace), contents: world.server.contents())
    if !lost.isEmpty { run.faults.append("lost \(time): \(lost.joined(separator: " "))") }
    // A workspace that was being made is there as a whole, or not at all.
    if isInterrupted, access("\(mine.workspace)/.todosync", F_OK) != 0 { return }
    if isInterrupted, scenario.isDamaged { return }
    if let fault = world.check(mine, isInterrupted: isInterrupted) {
      run.faults.append("\(time): \(fault)")
    }
  }

  /// Runs the same command again, which must lead to where the undisturbed one has led.
  private func goOn(_ run: inout Run) throws {
    let mine = world.mine(scenario)
    var again = mine.run(world.words(scenario), beside: scenario.isBeside)
    run.story.append("again: status \(again.status)\n\(again.text)")
    if again.status != status, let words = scenario.goesOnBy {
      again = mine.run(words)
      run.story.append("\(words.joined(separator: " ")): status \(again.status)\n\(again.text)")
    }
    let found = try world.meaning(of: mine)
    if found != meaning {
      run.faults.append("other than undisturbed:\n" + Meaning.difference(meaning, found))
    } else if again.status != status, again.status != 2, again.status != 0 {
      run.faults.append("going on ends with \(again.status)")
    }
  }
}
