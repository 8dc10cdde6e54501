import ArgumentParser
import SyncModel
import Workspace

struct ListCommand: TsyncCommand {
  static let configuration = CommandConfiguration(commandName: "list", abstract: "List items.")

  @OptionGroup var options: GlobalOptions

  @Flag(name: .shortAndLong, help: "List items that are done, too.")
  var all = false

  @Option(
    name: [.customShort("o"), .customLong("columns")],
    help: ArgumentHelp("Print these columns, separated by commas.", valueName: "columns"))
  var columns: String?

  @Option(
    name: [.customShort("S"), .customLong("sort")], parsing: .unconditional,
    help: ArgumentHelp("Sort by these columns; a - before a column reverses its order."))
  var sort: String?

  @Option(name: .long, help: ArgumentHelp("Print at most N items.", valueName: "n"))
  var limit: Int?

  @Flag(name: .long, help: "Print the items as CSV.")
  var csv = false

  @Flag(name: .long, help: "Print the number of items.")
  var count = false

  @Argument(help: ArgumentHelp("Filters.", valueName: "filter"))
  var filters: [String] = []

  mutating func run(in context: Context) throws {
    if let limit, limit < 0 { throw Problem.usage("--limit must be 0 or more") }
    if csv, options.json { throw Problem.usage("--csv and --json can't be combined") }
    if count, csv || columns != nil || limit != nil {
      throw Problem.usage("--count can't be combined with -o, --csv or --limit")
    }
    let columns = try columns.map { try ListColumn.list($0) }
    let sort = try sort.map { try ListColumn.list($0, isOrder: true) }
    if !csv { context.printer.page() }
    if !count { context.printer.begin("items") }
    try context.open(for: .reading) { session in
      let inventory = try session.inventory()
      let settings = session.configuration
      let order =
        try sort ?? ListColumn.list(settings.text("list.sort")?.string ?? "title", isOrder: true)
      var listing = try Listing(
        inventory, session, filters: filters, all: all,
        requiring: (columns ?? []) + (sort ?? []), order: order)
      if let limit { listing.entries = Array(listing.entries.prefix(limit)) }
      if count {
        context.printer.result(Line("\(listing.entries.count)"))
        context.printer.set("count", listing.entries.count)
      } else if options.json {
        try listing.printJSON(session, to: context.printer)
      } else {
        let columns =
          try columns ?? settings.text("list.columns").map { try ListColumn.list($0.string) }
        if csv {
          listing.printCSV(columns, to: context.printer)
        } else if let columns {
          listing.print(columns, to: context.printer)
        } else {
          let names = session.names(of: listing.entries.map(\.key), inventory)
          listing.print(names, to: context.printer)
        }
      }
      context.printer.showInvalid(inventory)
      try session.showWaiting(Set(listing.entries.map(\.key)), to: context.printer)
    }
  }
}
