import SyncEngine
import SyncModel
import Workspace

/// The items that a list shows, in its order.
struct Listing {
  /// One item.
  struct Entry {
    let key: ItemKey
    let item: Item
    let title: String?
    let isDone: Bool
  }

  /// The items.
  let entries: [Entry]

  /// Finds the items that fit; those that are done are among them only where all are asked for.
  ///
  /// - Throws: ``Failure``, where there are items and none, shown or not, has the field of a column
  ///   or of the order.
  init(
    _ inventory: Inventory, _ open: OpenWorkspace, filters: [Filter], all: Bool,
    order: [SortKey], limit: Int?, columns: [Column]
  ) throws {
    var unmet = (columns + order.map(\.column)).compactMap { column -> Text? in
      if case .field(let name) = column { name } else { nil }
    }
    var isEmpty = true
    let (doneField, titleField) = (open.configuration.doneField, open.configuration.titleField)
    let found = try inventory.keys.compactMap { key -> Entry? in
      guard let item = try inventory.item(key, on: open.workspace) else { return nil }
      isEmpty = false
      unmet.removeAll { item[$0] != nil }
      let isDone = item[doneField] == .bool(true)
      guard all || !isDone, filters.allSatisfy({ $0.fits(key.id, item) }) else { return nil }
      return Entry(
        key: key, item: item, title: ItemNames.title(of: item, field: titleField), isDone: isDone)
    }
    if let name = unmet.first, !isEmpty {
      throw Failure.usage("no item has a field '\(name)'")
    }
    let sorted = SortKey.sorted(found, by: order)
    entries = limit.map { Array(sorted.prefix($0)) } ?? sorted
  }

  /// Prints id and title of each, and whether it is done.
  func print(_ names: ItemNames, to output: Output) {
    var table = Table(widths: [0, Table.title.lowerBound])
    for entry in entries {
      let row = [names.line(for: entry.key), Table.title(entry.title)]
      table.append(entry.isDone ? row + [Line("done", .dim)] : row)
    }
    table.lines.forEach(output.result)
  }

  /// Prints columns of each.
  func print(_ columns: [Column], to output: Output) {
    var table = Table()
    for entry in entries { table.append(columns.map { Line(ValueText.of($0.value(of: entry))) }) }
    table.lines.forEach(output.result)
  }

  /// Adds the items to the JSON document, as they are in their files.
  func printJSON(_ open: OpenWorkspace, to output: Output) throws {
    for entry in entries {
      let item = try open.workspace.client(entry.key).item ?? entry.item
      output.append(
        [
          "table": .string(entry.key.table.text), "id": .string(entry.key.id.text),
          "title": entry.title.map(JSON.string) ?? .null,
          "item": .object(item.object(id: entry.key.id)),
        ], to: "items")
    }
  }
}
