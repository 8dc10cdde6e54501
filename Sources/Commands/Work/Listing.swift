import SyncEngine
import SyncModel
import Workspace

struct Listing {
  struct Entry {
    let key: ItemKey
    let item: Item
    let title: String?
    let isDone: Bool
  }

  var entries: [Entry]

  /// Finds the items that fit; done items only with `all`, or a filter on the done field.
  ///
  /// - Throws: ``Problem`` if a filter is wrong, or no item has the field of a required column.
  init(
    _ inventory: Inventory, _ session: Session, filters words: [String], all: Bool,
    requiring columns: [ListColumn], order: [ListColumn]
  ) throws {
    let configuration = session.configuration
    let doneField = configuration.doneField
    let items = try inventory.items(on: session.workspace)
    let filters = try ItemFilters(words, of: items, session, findsText: true) {
      session.context.printer.warn($0.fact)
    }
    for column in columns
    where column.isField && !items.isEmpty
      && items.allSatisfy({ $0.item.value(named: column.name) == nil })
    {
      throw Problem.noField(column.name, items.lazy.map(\.item))
    }
    // A filter on the done field shows done items, too.
    let showsDone = all || filters.name(doneField)
    let found = items.compactMap { key, item -> Entry? in
      let isDone = item[doneField] == .bool(true)
      guard showsDone || !isDone, filters.fit(key, item) else { return nil }
      let title = ItemNames.title(of: item, field: configuration.titleField)
      return Entry(key: key, item: item, title: title, isDone: isDone)
    }
    entries = ListColumn.sorted(found, by: order)
  }

  func print(_ names: ItemNames, to printer: Printer) {
    var table = Table(widths: [0, Table.title.lowerBound])
    for entry in entries {
      let row = [names.line(for: entry.key), Table.title(entry.title)]
      table.append(entry.isDone ? row + [Line("done", .dim)] : row)
    }
    table.lines.forEach(printer.result)
  }

  func print(_ columns: [ListColumn], to printer: Printer) {
    var table = Table()
    for entry in entries { table.append(columns.map { Line(ValueText.of($0.value(of: entry))) }) }
    table.lines.forEach(printer.result)
  }

  /// Prints the items as CSV; without columns, the id and each field.
  func printCSV(_ columns: [ListColumn]?, to printer: Printer) {
    let columns = columns ?? allColumns
    printer.result(bytes: CSV.line(columns.map { JSON.string($0.name) }))
    for entry in entries { printer.result(bytes: CSV.line(columns.map { $0.value(of: entry) })) }
  }

  /// The id, and each field that has a value, in the order of their first appearance.
  private var allColumns: [ListColumn] {
    var seen: Set<Text> = []
    let fields = entries.flatMap(\.item.fields.members).filter {
      !$0.value.isNull && seen.insert($0.name).inserted
    }
    return [ListColumn(name: "id")] + fields.map { ListColumn(name: $0.name, isWhole: true) }
  }

  /// Adds the items to the JSON document, as they are in their files.
  func printJSON(_ session: Session, to printer: Printer) throws {
    for entry in entries {
      let item = try session.workspace.client(entry.key).item ?? entry.item
      var object = JSONObject(entry.key, title: entry.title)
      object.add(["item": item.object(id: entry.key.id)])
      printer.append(object, to: "items")
    }
  }
}
