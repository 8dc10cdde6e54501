import ArgumentParser
import SyncEngine
import SyncModel
import Workspace

struct DoctorCommand: TsyncCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor", abstract: "Check the workspace, and repair it.")

  @OptionGroup var options: GlobalOptions

  @Flag(name: .long, help: "Fix the problems that can be fixed.")
  var fix = false

  @Flag(name: .long, help: "Print the changes that pull --full would make, too.")
  var deep = false

  func run(in context: Context) throws {
    let path = try context.findWorkspace()
    context.output.begin("findings")
    let fixed = fix ? try mend(path, in: context) : []
    let examination = try Workspace.examine(
      at: path, patience: 5, clock: context.invocation.clock)
    let report = DoctorReport(examination, fixed: fixed)
    report.print(to: context.output)
    context.output.end(with: report.status)
    Self.environmentNotes(context.invocation.environment).forEach(context.output.warn)
    if deep { try rehearsePull(in: context) }
  }

  private func rehearsePull(in context: Context) throws {
    var context = context
    context.options.verbose = true
    try context.open(for: .exchanging(isDryRun: true)) { session in
      try session.pull(isFull: true, isRehearsal: true)
    }
  }

  /// Returns warnings of variables that expose the exchange to others (safety.md W10).
  ///
  /// They don't repeat the values: a proxy's address may hold a password.
  static func environmentNotes(_ environment: Environment) -> [String] {
    var facts: [String] = []
    if environment.nonEmpty("SSLKEYLOGFILE") != nil {
      facts.append(
        "SSLKEYLOGFILE is set: a reader of that file can decrypt all requests and answers")
    }
    for name in ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"] as [Text]
    where environment.nonEmpty(name) != nil {
      facts.append("\(name) is set: tsync reaches https servers through a proxy")
    }
    return facts
  }

  /// Repairs the workspace; returns the findings with their repairs.
  private func mend(_ path: String, in context: Context) throws -> [DoctorReport.Entry] {
    let clock = context.invocation.clock
    let before = try Workspace.examine(at: path, clock: clock)
    guard !before.faults.isEmpty else { return [] }
    var fixed: [Mended]
    do {
      fixed = try Workspace.mendFiles(at: path, command: Text(context.command), clock: clock)
    } catch {
      throw before.newer(error) ?? error
    }
    // Unreadable settings are reported below, like other damage that only a person can repair.
    guard !before.faults.contains(where: { $0.place == Workspace.settingsPlace }) else {
      return fixed.map { DoctorReport.Entry($0.finding, fix: $0.deed) }
    }
    try context.open(for: .writing) { session in
      // A pull of tables that left the settings may have been interrupted, too.
      let others = before.tables.filter { !session.configuration.tables.contains($0) }
      _ = try Recovery.run(others, on: &session.workspace, settings: session.settings)
      fixed += try session.workspace.mend()
    }
    let finished = before.faults.filter { $0.remedy == .finish }
      .map { DoctorReport.Entry($0, fix: "finished") }
    return fixed.map { DoctorReport.Entry($0.finding, fix: $0.deed) } + finished
  }
}

extension Examination {
  /// Returns the failure if a newer tsync's file forbids the repair; `nil` for other errors.
  fileprivate func newer(_ error: any Error) -> Failure? {
    guard case .untrusted(let place, let fact) = error as? WorkspaceError else { return nil }
    let isNewer = findings.contains {
      Text($0.place) == Text(place) && $0.gravity == .unsafe && $0.invariant != .modes
    }
    guard isNewer else { return nil }
    return Failure(
      .unsafe, "\(place) \(fact)",
      hints: ["nothing was changed; install a newer tsync, or clone again"])
  }
}
