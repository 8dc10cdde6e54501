import ArgumentParser
import SyncEngine
import SyncModel
import Workspace

struct StatusCommand: TsyncCommand {
  static let configuration = CommandConfiguration(
    commandName: "status", abstract: "List pending, conflicting, rejected and invalid items.")

  @OptionGroup var options: GlobalOptions

  @Flag(name: .shortAndLong, help: "Print only the lines of the items.")
  var short = false

  @Flag(name: .long, help: "Print stable output for programs.")
  var porcelain = false

  @Flag(name: .customShort("z"), help: "Print as --porcelain does, with a NUL for each line end.")
  var endsWithNUL = false

  @Flag(name: .customLong("exit-code"), help: "End with 1 if there is anything to report.")
  var exitCode = false

  @Option(
    name: .customLong("max-age"),
    help: ArgumentHelp("Warn if the last pull is older.", valueName: "age"))
  var maxAge: String?

  @Argument(help: ArgumentHelp("The items to print.", valueName: "ref"))
  var refs: [String] = []

  mutating func run(in context: Context) throws {
    let limit = try maxAge.map { text -> Int64 in
      guard let age = Times.age(text) else {
        throw Problem.usage("\(text) is not an age: a number, then s, m, h or d")
      }
      return age
    }
    try context.open(for: .reading) { session in
      let survey = try session.survey()
      let state = try session.workspace.state()
      let chosen =
        try refs.isEmpty
        ? nil : session.lookup(Inventory(of: survey, on: session.workspace)).all(refs)
      let report = try StatusReport(survey, state, session, chosen: chosen)
      if options.json {
        report.printJSON()
      } else if porcelain || endsWithNUL {
        report.printPorcelain(end: endsWithNUL ? 0 : 0x0A)
      } else if short {
        report.printShort()
      } else {
        context.printer.page()
        report.print()
      }
      for name in try session.unknownDirectories() {
        context.printer.warn(
          "\(place: "items/\(name)") is not a table of this workspace; to list its tables: \(typed: "config", "tables")"
        )
      }
      for table in session.tables where state.tables[table]?.isMissing == true {
        var problem = Problem.noTable(table, of: session.configuration.tables)
        problem.status = .done
        context.printer.warn(problem)
      }
      let keys = chosen.map { Set($0.compactMap(\.key)) }
      session.warnOfWaitingDeletes(survey, keys, .done)
      try session.showWaiting(keys, to: context.printer)
      let isOld = limit.map { showAge(of: state.pulled, over: $0, context) } ?? false
      if exitCode, !report.isEmpty || isOld { context.printer.end(with: .conflicts) }
    }
  }

  /// Warns if the last pull is older than the limit, and returns whether it is.
  private func showAge(of pulled: Timestamp?, over limit: Int64, _ context: Context) -> Bool {
    guard let pulled else {
      context.printer.warn("nothing has been pulled yet; to pull: \(typed: "pull")")
      return true
    }
    let time = pulled.ticks / Timestamp.perSecond
    let age = context.now - time
    guard age > limit else { return false }
    // An age over the limit is never printed as "just now".
    let ago = age < 60 ? "\(age) s ago" : Times.ago(time, now: context.now)
    context.printer.warn("the last pull was \(ago); to pull: \(typed: "pull")")
    return true
  }
}
