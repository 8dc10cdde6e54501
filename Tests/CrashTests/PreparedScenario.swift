import CommandSupport
import Glibc
import TestSupport

/// A scenario that is ready to be run any number of times, and what comes of it undisturbed.
final class PreparedScenario {
  /// What one run came to.
  struct Run {
    /// The calls that the faults have met, those of them that have met one.
    var met: [TracedCall] = []
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
  /// What the undisturbed run leads to.
  private let meaning: Meaning

  /// Prepares it, and runs it undisturbed, once and again.
  init(_ scenario: Scenario, in world: CrashWorld) throws {
    self.scenario = scenario
    self.world = world
    mark = try world.prepare(scenario)
    let mine = world.mine(scenario)
    tree = FileTree(at: mine.workspace)
    audit = ByteAudit(of: tree)
    // From here on as in every later run, in which all files are new.
    try Self.restart(scenario, in: world, at: mark, with: tree)
    let ending = try mine.program(world.words(scenario), beside: scenario.isBeside).run()
    calls = ending.calls
    meaning = try world.meaning(of: mine)
    try scenario.check(ending.status, ending.output)
    let again = world.goOn(scenario).last?.status
    guard let again, scenario.mayEnd(again: again) else {
      throw TestFailure("\(scenario), done again, ends with \(again ?? -1)")
    }
  }

  private func restart() throws {
    try Self.restart(scenario, in: world, at: mark, with: tree)
  }

  private static func restart(
    _ scenario: Scenario, in world: CrashWorld, at mark: Int, with tree: FileTree
  ) throws {
    try world.server.rewind(to: mark)
    let mine = world.mine(scenario)
    Files.remove(mine.workspace)
    if !tree.directories.isEmpty { tree.write(to: mine.workspace) }
  }

  /// The command, or the one that goes on where it has begun already.
  private func program() -> TracedProgram {
    let mine = world.mine(scenario)
    if let words = scenario.goesOnBy, mine.hasWorkspace { return mine.program(words) }
    return mine.program(world.words(scenario), beside: scenario.isBeside)
  }

  /// Runs it with faults, and counts the calls that it then makes in going on undisturbed.
  func callsOfRecovery(after faults: [Fault]) throws -> Int {
    try restart()
    for fault in faults { _ = try program().run(fault) }
    return try program().run().calls.count
  }

  /// Runs it with faults, one after the other, and then until it has recovered.
  func run(_ faults: [Fault]) throws -> Run {
    try restart()
    world.disk?.settle()
    var run = Run()
    for fault in faults {
      let ending = try program().run(fault)
      run.story.append("\(fault): status \(ending.status)\n\(ending.output)")
      guard let call = ending.met else { continue }
      run.met.append(call)
      run.story.append("  met: \(call.kind) \(call.path) \(call.target)")
      try checkEnd(fault, at: call, ending, &run)
    }
    if let disk = world.disk {
      try disk.cut()
      if run.met.count < faults.count { try checkDurable(&run) }
    }
    try checkState(&run, isInterrupted: true)
    try goOn(&run)
    try checkState(&run, isInterrupted: false)
    return run
  }

  /// What is told must be true.
  private func checkEnd(
    _ fault: Fault, at call: TracedCall, _ ending: TracedProgram.Ending, _ run: inout Run
  ) throws {
    if fault.mode.ends {
      if ending.status != 137 { run.faults.append("it was killed and ends with \(ending.status)") }
    } else if ending.status == scenario.status {
      let found = try world.meaning(of: world.mine(scenario))
      guard found != meaning else { return }
      run.faults.append(
        "it says that all was done, but\n" + Meaning.difference(meaning, found))
    } else if !call.statusesAfterError.contains(ending.status) {
      run.faults.append("it ends with \(ending.status)")
    }
  }

  /// What a command has said is done must be so after a power cut.
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
    let runs = world.goOn(scenario)
    for again in runs { run.story.append("again: status \(again.status)\n\(again.text)") }
    let found = try world.meaning(of: world.mine(scenario))
    if found != meaning {
      run.faults.append("other than undisturbed:\n" + Meaning.difference(meaning, found))
    }
    guard let status = runs.last?.status, !scenario.mayEnd(again: status) else { return }
    run.faults.append("going on ends with \(status)")
  }
}

extension TracedCall {
  /// How a command may end to which this call has failed: a file can't be written, the server can't
  /// be reached, the lock can't be had.
  fileprivate var statusesAfterError: Set<Int32> {
    switch kind {
    case .lock: [7, 8]
    case .connect, .send, .receive: [5]
    default: isSocket ? [5] : [8]
    }
  }
}
