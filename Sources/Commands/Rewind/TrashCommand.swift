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

  @Argument(
    help: ArgumentHelp("Filters or words, for what the items were last.", valueName: "filter"))
  var filters: [String] = []

  mutating func run(in context: Context) throws {
    let time = try since.map { try context.time(since: $0) }
    context.printer.page()
    context.printer.begin("items")
    try context.open(for: .reading) { session in
      let inventory = try session.inventory()
      var entries = try RemovedItems(inventory, since: time, on: session.workspace).entries
      if !filters.isEmpty {
        let fit = try ItemFilters(
          filters, of: entries.map { ($0.key, $0.item) }, session, findsText: true)
        entries = entries.filter { fit.fit($0.key, $0.item) }
      }
      let names = session.names(of: entries.map(\.key), inventory)
      var table = Table(widths: [0, Table.title.lowerBound])
      for entry in entries {
        let title = names.title(of: entry.item)
        var object = JSONObject(entry.key, title: title)
        var (when, by) = ("-", "not in the history")
        if let command = entry.command {
          when = Times.clock(command.time.ticks / Timestamp.perSecond, now: context.now)
          let words = entry.isServers ? "deleted on the server" : command.words.string
          by = "\(Terminal.cut(Terminal.safe(words), to: 40)) (\(command.number))"
          object.add([
            "time": command.time.text, "command": command.words, "number": command.number,
          ])
        }
        table.append([names.line(for: entry.key), Table.title(title), Line(when), Line(by)])
        context.printer.append(object, to: "items")
      }
      table.lines.forEach(context.printer.result)
    }
  }
}
