import ArgumentParser
import SyncEngine
import SyncModel
import Workspace

struct ShowCommand: TsyncCommand {
  enum Side: EnumerableFlag {
    case base, server, client

    static func name(for value: Side) -> NameSpecification { .long }
  }

  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Show an item.")

  @OptionGroup var options: GlobalOptions

  @Flag(exclusivity: .exclusive, help: "Print one side of the item, as JSON.")
  var side: Side?

  @Argument(help: ArgumentHelp("The items.", valueName: "ref"))
  var refs: [String]

  mutating func run(in context: Context) throws {
    context.printer.page()
    context.printer.begin("items")
    try context.open(for: .reading) { session in
      let inventory = try session.inventory()
      let keys = try session.lookup(inventory).items(refs)
      let changes = inventory.survey.byKey.mapValues { "\($0.group)" }
      let sheets = try keys.map { key in
        if side == nil || options.json, let invalid = inventory.invalid(key) {
          throw Problem(invalid: invalid, .usage)
        }
        return try ItemDetails(
          key, state: changes[key] ?? (inventory.contains(key) ? "clean" : nil), session)
      }
      if let side, !options.json {
        for sheet in sheets { context.printer.result(safe: try sheet.text(of: side)) }
        return
      }
      for invalid in sheets.compactMap(\.invalidSide) { context.printer.warn(invalid.sentence) }
      try session.showWaiting(Set(keys), to: context.printer)
      for (index, sheet) in sheets.enumerated() {
        if index > 0 { context.printer.result("") }
        sheet.lines(context.printer).forEach(context.printer.result)
        context.printer.append(sheet.json, to: "items")
      }
    }
  }
}
