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
    context.printer.begin("findings")
    let fixed = fix ? try mend(path, in: context) : []
    let examination = try Workspace.examine(at: path, patience: 5, clock: context.invocation.clock)
    DoctorReport(examination, fixed: fixed).print(to: context.printer)
    warnOfVariables(in: context)
    guard deep else { return }
    var context = context
    context.options.verbose = true
    try context.open(for: .exchanging(isDryRun: true)) { session in
      do {
        try session.findMissing(claims: false, isRehearsal: true)
      } catch let problem as Problem where problem == Server.unknownDialect {
        // There is nothing that could be lost; the pull says so.
      }
      try session.pull(isFull: true, isRehearsal: true)
    }
  }

  /// Warns of variables that expose the exchange to others.
  ///
  /// The values are not printed: a proxy's address may hold a password.
  private func warnOfVariables(in context: Context) {
    let proxy = "tsync reaches https servers through a proxy"
    let effects: KeyValuePairs<Text, String> = [
      "SSLKEYLOGFILE": "a reader of that file can decrypt all requests and answers",
      "https_proxy": proxy, "HTTPS_PROXY": proxy, "all_proxy": proxy, "ALL_PROXY": proxy,
    ]
    for (name, effect) in effects where context.invocation.environment.nonEmpty(name) != nil {
      context.printer.warn("\(name) is set: \(effect)")
    }
  }

  /// Repairs the workspace; returns the repairs.
  private func mend(_ path: String, in context: Context) throws -> [DoctorReport.Entry] {
    let clock = context.invocation.clock
    let before = try Workspace.examine(at: path, clock: clock)
    guard !before.faults.isEmpty else { return [] }
    var mended: [Mended]
    do {
      mended = try Workspace.mendFiles(at: path, command: Text(context.command), clock: clock)
    } catch {
      guard case .untrusted(let place, let fact) = error, before.isNewer(place) else { throw error }
      throw Problem(
        .unsafe, "\(place: place) \(fact)",
        hints: ["nothing was changed; install a newer tsync, or clone again"])
    }
    var finished: [Finding] = []
    // Unreadable settings are reported below, like other damage that only a person can repair.
    if !before.faults.contains(where: { $0.place == Workspace.settingsPlace }) {
      try context.open(for: .writing) { session in
        // A pull of tables that left the settings may have been interrupted, too.
        let others = before.tables.filter { !session.configuration.tables.contains($0) }
        _ = try Recovery.run(others, on: &session.workspace, settings: session.settings)
        mended += try session.workspace.mend()
      }
      finished = before.faults.filter { $0.remedy == .finish }
    }
    return mended.map { DoctorReport.Entry(finding: $0.finding, fix: $0.deed) }
      + finished.map { DoctorReport.Entry(finding: $0, fix: "finished") }
  }
}

extension Examination {
  /// Whether a file is a newer tsync's, which forbids the repair.
  fileprivate func isNewer(_ place: String) -> Bool {
    findings.contains {
      Text($0.place) == Text(place) && $0.gravity == .unsafe && $0.invariant != .modes
    }
  }
}
