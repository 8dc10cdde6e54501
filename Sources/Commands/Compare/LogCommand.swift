import ArgumentParser
import SyncEngine
import SyncModel
import Workspace

struct LogCommand: TsyncCommand {
  static let configuration = CommandConfiguration(
    commandName: "log", abstract: "Show what commands changed and sent.")

  @OptionGroup var options: GlobalOptions

  @Flag(name: .customShort("p"), help: "Print the changed fields of each item.")
  var patch = false

  @Option(
    name: .long, help: ArgumentHelp("Show only commands since then.", valueName: "age|date"))
  var since: String?

  @Option(
    name: .long,
    help: ArgumentHelp("Show at most so many commands; 0 shows all.", valueName: "number"))
  var limit = 30

  @Argument(help: ArgumentHelp("Show only the changes of this item.", valueName: "ref"))
  var reference: String?

  mutating func run(in context: Context) throws {
    guard limit >= 0 else { throw Problem.usage("--limit needs a number") }
    let time = try since.map { try context.time(since: $0) }
    context.printer.page()
    context.printer.begin("commands")
    try context.open(for: .reading) { session in
      let key = try reference.map { try session.named($0) }
      var entries: [LogEntry] = []
      let marks = key.map {
        ["\"id\":\(String(decoding: JSON.string($0.id.text).encoded(), as: UTF8.self))"]
      }
      try session.workspace.commands(with: marks ?? []) { command in
        if let time, command.time.ticks / Timestamp.perSecond < time { return false }
        let entry = LogEntry(command, of: key)
        if key == nil || !entry.changes.isEmpty { entries.append(entry) }
        return limit == 0 || entries.count < limit
      }
      var table = Table(widths: [0, 6, 19])
      let names = try session.names(of: patch ? entries.flatMap(\.changes).map(\.key) : [])
      var author = Author(session, of: key)
      for entry in entries {
        table.append(try entry.row(of: key, &author, now: context.now))
        context.printer.append(try entry.json(session), to: "commands")
      }
      for (line, entry) in zip(table.lines, entries) {
        context.printer.result(line)
        guard patch else { continue }
        for change in entry.changes {
          let shown = try session.item(of: change)
          ItemDifference(change, shown: shown).lines(names).forEach(context.printer.result)
        }
      }
    }
  }
}

extension Context {
  /// Parses the value of `--since`; returns seconds since 1970.
  func time(since text: String) throws -> Int64 {
    guard let time = Times.past(text, now: now) else {
      throw Problem.usage("\(text) is not an age, such as 5m, 2h or 1d, or a date")
    }
    return time
  }
}

extension Session {
  /// Returns the item that a word names, be it here or removed.
  fileprivate func named(_ word: String) throws -> ItemKey {
    let inventory = try inventory()
    var lookup = lookup(inventory)
    lookup.removed = { try removed(inventory) }
    return try lookup.items([word])[0]
  }

  /// Returns the item of a change as it is now, or as far as the change tells it; for its title.
  func item(of change: History.Change) throws -> Item? {
    if let item = try workspace.client(change.key).item { return item }
    return try workspace.base(of: change.key).row?.item ?? change.item(after: false)
  }
}
