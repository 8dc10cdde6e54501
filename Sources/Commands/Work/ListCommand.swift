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

  @Option(name: .long, help: ArgumentHelp("Print at most N lines.", valueName: "n"))
  var limit: Int?

  @Argument(help: ArgumentHelp("Filters.", valueName: "filter"))
  var filters: [String] = []

  mutating func run(in context: Context) throws {
    if let limit, limit < 0 { throw Problem.usage("--limit must be 0 or more") }
    let columns = try columns.map { try ListColumn.list($0) }
    let order = try ListColumn.list(sort ?? "title", isOrder: true)
    context.printer.page()
    context.printer.begin("items")
    try context.open(for: .reading) { session in
      let inventory = try session.inventory()
      var listing = try Listing(
        inventory, session, filters: filters, all: all, columns: columns ?? [], order: order)
      if let limit { listing.entries = Array(listing.entries.prefix(limit)) }
      if options.json {
        try listing.printJSON(session, to: context.printer)
      } else if let columns {
        listing.print(columns, to: context.printer)
      } else {
        listing.print(session.names(of: listing.entries.map(\.key), inventory), to: context.printer)
      }
      context.printer.showInvalid(inventory)
      try session.showWaiting(Set(listing.entries.map(\.key)), to: context.printer)
    }
  }
}
