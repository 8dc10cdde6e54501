import ArgumentParser
import SyncEngine
import SyncModel
import Workspace

struct DoctorCommand: TsyncCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor", abstract: "Check the workspace, and repair it.")

  @OptionGroup var options: GlobalOptions

  @Flag(name: .long, help: "Repair what can be repaired.")
  var fix = false

  @Flag(name: .long, help: "Print the changes that pull --full would make, too.")
  var deep = false

  func run(in context: Context) throws {
    let path = try context.findWorkspace()
    context.printer.begin("findings")
    let mended = fix ? try mend(path, in: context) : []
    let examination = try Workspace.examine(at: path, patience: 5, clock: context.invocation.clock)
    report(mended, examination, to: context.printer)
    warnOfVariables(in: context)
    guard deep else { return }
    var context = context
    context.options.verbose = true
    try context.open(for: .exchanging(isDryRun: true)) { session in
      do {
        try session.findMissing(claims: false)
      } catch let problem as Problem where problem == Server.unknownDialect {
        // There is nothing that could be lost; the pull says so.
      }
      try session.pull(isFull: true)
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

  /// Repairs the workspace; returns the findings that were repaired.
  private func mend(_ path: String, in context: Context) throws -> [Finding] {
    let clock = context.invocation.clock
    let mended = try Workspace.mendFiles(at: path, command: Text(context.command), clock: clock)
    let left = try Workspace.examine(at: path, clock: clock)
    // Unreadable settings are reported below, like other damage that only a person can repair.
    guard !left.faults.contains(where: { $0.place == Workspace.settingsPlace }) else {
      return mended
    }
    try context.open(for: .writing) { session in
      // A pull of tables that left the settings may have been interrupted, too.
      let others = left.tables.filter { !session.configuration.tables.contains($0) }
      _ = try Recovery.run(others, on: &session.workspace, settings: session.settings)
      try session.workspace.mend(left.tables)
    }
    return mended
  }

  /// Prints a line for each finding, first those that were repaired, and below it the repair; sets the exit
  /// status.
  private func report(_ mended: [Finding], _ examination: Examination, to printer: Printer) {
    let findings = mended + examination.findings
    for finding in findings {
      printer.append(finding.json(printer), to: "findings")
      finding.lines(printer).forEach(printer.result)
      printer.end(with: finding.terms.status)
    }
    printer.set("items", examination.items)
    printer.set("tables", examination.tables.count)
    let counts = ["mended", "damaged", "unsafe"].map { word in
      (findings.count { $0.terms.counted == word }, word)
    }
    let parts = counts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
    let extent =
      "\(counted(examination.items, "item")), "
      + counted(examination.tables.count, "table")
    let isFixable = examination.faults.contains { $0.remedy != nil }
    // Without their rows, items look new.
    let isForgotten = mended.contains { if case .salvage? = $0.remedy { true } else { false } }
    let next: Hint? = isForgotten ? "\(typed: "pull")" : nil
    let found = parts.isEmpty ? "all is well" : parts.joined(separator: ", ")
    printer.summary(
      Line("\(found): \(extent)"), next: isFixable ? "\(typed: "doctor", "--fix")" : next)
  }
}

extension Finding {
  /// The word before the finding, with its look; the word behind the number of such findings; and
  /// the exit status.
  fileprivate var terms: (word: String, look: Line.Style, counted: String, status: ExitStatus) {
    if deed != nil { return ("mended", .green, "mended", .done) }
    return switch gravity {
    case .note: ("note", .dim, "noted", .done)
    case .unsafe: ("unsafe", .red, "unsafe", .unsafe)
    case .damage: ("damage", .red, "damaged", .damaged)
    }
  }

  fileprivate func lines(_ printer: Printer) -> [Line] {
    var line = Line(terms.word, terms.look)
    line.pad(to: 8)
    let position = [self.line, column].compactMap { $0.map { ":\($0)" } }.joined()
    line.append(printer.text(of: "\(place: place)\(position): ") + message(printer))
    let below = deed ?? remedy.map { "--fix \($0.words)" }
    return [line] + (below.map { [Line("        \($0)")] } ?? [])
  }

  private func message(_ printer: Printer) -> String {
    let hint = hint.map { " · \(printer.text(of: $0))" } ?? ""
    guard case .mendSide? = way else { return fact + hint }
    return "\(fact); fix or remove it before tsync resolve\(hint)"
  }

  fileprivate func json(_ printer: Printer) -> JSON {
    var object = JSONObject()
    object.add([
      "gravity": gravity.rawValue, "path": place, "line": line, "column": column,
      "message": message(printer), "remedy": remedy?.words, "mended": deed != nil,
    ])
    object.add(ifAny: ["deed": deed])
    return .object(object)
  }
}
