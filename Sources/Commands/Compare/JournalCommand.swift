import ArgumentParser
import SyncEngine
import SyncModel
import Workspace

struct JournalCommand: TsyncCommand {
  static let configuration = CommandConfiguration(
    commandName: "journal", abstract: "Show what waits for the server or for you.")

  @OptionGroup var options: GlobalOptions

  mutating func run(in context: Context) throws {
    context.printer.page()
    context.printer.begin("operations")
    try context.open(for: .reading) { session in
      let survey = try Survey(of: session.tables, on: session.workspace)
      let entries = try JournalEntry.all(survey, in: session)
      let names = try session.names(of: entries.map(\.key))
      var table = Table(widths: [8, 8, 0, Table.title.lowerBound])
      for entry in entries {
        table.append(entry.row(names))
        context.printer.append(entry.json(names), to: "operations")
      }
      table.lines.forEach(context.printer.result)
      context.printer.showInvalid(survey)
    }
  }
}
