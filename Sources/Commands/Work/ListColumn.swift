import SyncModel

/// A column of a list, or of its order.
struct ListColumn {
  let name: Text
  var isDescending = false
  /// Whether it is the field of the whole name, whatever the name is.
  var isWhole = false

  /// Parses names separated by commas; in an order, a `-` before one reverses it.
  static func list(_ text: String, isOrder: Bool = false) throws -> [ListColumn] {
    try text.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false).map {
      let isDescending = isOrder && $0.first == UInt8(ascii: "-")
      let name = Text(String(Substring(isDescending ? $0.dropFirst() : $0)))
      if name.isEmpty { throw Problem.usage("a column name is empty: '\(text)'") }
      return ListColumn(name: name, isDescending: isDescending)
    }
  }

  /// Whether the values come from the items' fields.
  var isField: Bool { !["id", "title", "table"].contains(name) }

  func value(of entry: Listing.Entry) -> JSON? {
    if isWhole { return entry.item[name] }
    return switch name {
    case "id": .string(entry.key.id.text)
    case "title": entry.title.map(JSON.string)
    case "table": .string(entry.key.table.text)
    default: entry.item.value(named: name)
    }
  }

  /// Sorts items by columns, and equal ones by table and id.
  static func sorted(_ entries: [Listing.Entry], by columns: [ListColumn]) -> [Listing.Entry] {
    // Reads each value only once.
    let ranked = entries.map { entry in (entry, columns.map { $0.value(of: entry) }) }
    return ranked.sorted { left, right in
      for (column, values) in zip(columns, zip(left.1, right.1)) {
        switch values {
        case (nil, nil): continue
        case (nil, _?): return false  // what is absent comes last, either way round
        case (_?, nil): return true
        case (let one?, let other?):
          if precedes(one, other) { return !column.isDescending }
          if precedes(other, one) { return column.isDescending }
        }
      }
      return left.0.key < right.0.key
    }.map(\.0)
  }

  /// Orders numbers by value, then texts by their bytes, then other values by their JSON.
  private static func precedes(_ one: JSON, _ other: JSON) -> Bool {
    switch (one, other) {
    case (.number(let one), .number(let other)): one < other
    case (.string(let one), .string(let other)): one < other
    case (.number, _): true
    case (_, .number): false
    case (.string, _): true
    case (_, .string): false
    default: one.encoded().lexicographicallyPrecedes(other.encoded())
    }
  }
}
