import ArgumentParser
import SyncEngine
import SyncModel
import Workspace

struct JournalCommand: TsyncCommand {
  static let configuration = CommandConfiguration(
    commandName: "journal", abstract: "Show pending changes, sent changes and answers.")

  @OptionGroup var options: GlobalOptions

  mutating func run(in context: Context) throws {
    context.output.page()
    context.output.begin("operations")
    try context.open(for: .reading) { session in
      let past = try JournalEntry.past(
        session.workspace.journalRecords().filter { record in
          record.key.map { session.tables.contains($0.table) } ?? false
        })
      let survey = try Survey(of: session.tables, on: session.workspace)
      let entries = try past + JournalEntry.waiting(survey, in: session)
      let names = try ItemNames(
        for: entries.map(\.key), in: session.tables, on: session.workspace,
        titleField: session.configuration.titleField)
      var table = Table(widths: [8, 8, 0, Table.title.lowerBound])
      for entry in entries {
        table.append(entry.row(names))
        context.output.append(entry.json(names), to: "operations")
      }
      table.lines.forEach(context.output.result)
      for entry in survey.entries {
        guard case .invalid(let invalid) = entry.standing else { continue }
        context.output.warn(invalid.sentence)
        context.output.end(with: .rejected)
      }
    }
  }
}
