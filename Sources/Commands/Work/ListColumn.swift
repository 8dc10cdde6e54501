import SyncModel

enum ListColumn: Equatable {
  case id, title, table
  case field(Text)

  init(_ name: Text) throws {
    switch name {
    case "id": self = .id
    case "title": self = .title
    case "table": self = .table
    case "": throw Failure.usage("the column name is empty")
    default: self = .field(name)
    }
  }

  /// Parses names separated by commas.
  static func list(_ text: String) throws -> [ListColumn] {
    try text.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
      .map { try ListColumn(Text(String(Substring($0)))) }
  }

  func value(of entry: Listing.Entry) -> JSON? {
    switch self {
    case .id: .string(entry.key.id.text)
    case .title: entry.title.map(JSON.string)
    case .table: .string(entry.key.table.text)
    case .field(let name): entry.item[name]
    }
  }
}

struct SortKey: Equatable {
  let column: ListColumn
  let isDescending: Bool

  /// By title, then by table and id.
  static let usual = [
    SortKey(column: .title, isDescending: false), SortKey(column: .table, isDescending: false),
    SortKey(column: .id, isDescending: false),
  ]

  /// Parses columns separated by commas; a `-` before one reverses its order.
  static func list(_ text: String) throws -> [SortKey] {
    try text.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false).map {
      let isDescending = $0.first == UInt8(ascii: "-")
      let name = Text(String(Substring(isDescending ? $0.dropFirst() : $0)))
      return SortKey(column: try ListColumn(name), isDescending: isDescending)
    }
  }

  /// Sorts items by columns; equal items keep their order.
  static func sorted(_ entries: [Listing.Entry], by keys: [SortKey]) -> [Listing.Entry] {
    // Reads each value only once.
    let ranked = entries.enumerated().map { index, entry in
      (index: index, entry: entry, values: keys.map { $0.column.value(of: entry) })
    }
    return ranked.sorted { left, right in
      for (index, key) in keys.enumerated() {
        switch (left.values[index], right.values[index]) {
        case (nil, nil): continue
        case (nil, _?): return false  // what is absent comes last, either way round
        case (_?, nil): return true
        case (let one?, let other?):
          if precedes(one, other) { return !key.isDescending }
          if precedes(other, one) { return key.isDescending }
        }
      }
      return left.index < right.index
    }.map(\.entry)
  }

  /// Orders numbers by value, then texts by their bytes, then other values by their JSON.
  static func precedes(_ one: JSON, _ other: JSON) -> Bool {
    switch (one, other) {
    case (.number(let one), .number(let other)): return one < other
    case (.string(let one), .string(let other)): return one < other
    default:
      let ranks = (rank(one), rank(other))
      guard ranks.0 == ranks.1 else { return ranks.0 < ranks.1 }
      return one.encoded().lexicographicallyPrecedes(other.encoded())
    }
  }

  private static func rank(_ value: JSON) -> Int {
    switch value {
    case .number: 0
    case .string: 1
    default: 2
    }
  }
}
