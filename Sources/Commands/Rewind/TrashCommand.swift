import ArgumentParser
import SyncEngine
import SyncModel
import Workspace

struct TrashCommand: TsyncCommand {
  static let configuration = CommandConfiguration(
    commandName: "trash", abstract: "List removed and deleted items.")

  @OptionGroup var options: GlobalOptions

  @Option(
    name: .long, help: ArgumentHelp("List only items removed since then.", valueName: "age|date"))
  var since: String?

  @Argument(help: ArgumentHelp("Filters, for what the items were last.", valueName: "filter"))
  var filters: [String] = []

  mutating func run(in context: Context) throws {
    let time = try since.map { try context.time(since: $0) } ?? 0
    context.printer.page()
    context.printer.begin("items")
    try context.open(for: .reading) { session in
      let inventory = try session.inventory()
      var entries = try RemovedItems(inventory, since: time, on: session.workspace).entries
      if !filters.isEmpty {
        let fit = try ItemFilters(
          filters, of: entries.map { ($0.key, $0.item) }, doneField: session.configuration.doneField
        )
        entries = entries.filter { fit.fit($0.key, $0.item) }
      }
      let names = session.names(of: entries.map(\.key), inventory)
      var table = Table(widths: [0, Table.title.lowerBound])
      for entry in entries {
        let command = entry.command
        let time = command.time.ticks / Timestamp.perSecond
        let title = names.title(of: entry.item)
        let words = command.isPull ? "deleted on the server" : command.words.string
        table.append([
          names.line(for: entry.key), Table.title(title), Line(Times.clock(time, now: context.now)),
          Line("\(Terminal.cut(Terminal.safe(words), to: 40)) (\(command.number))"),
        ])
        var object = JSONObject(entry.key, title: title)
        object.add([
          "time": command.time.text, "command": command.words, "number": command.number,
        ])
        context.printer.append(object, to: "items")
      }
      table.lines.forEach(context.printer.result)
    }
  }
}
