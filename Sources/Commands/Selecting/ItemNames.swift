import SyncEngine
import SyncModel
import Workspace

/// The names of items for people: shortened ids, and titles (tsync(1), Output).
struct ItemNames {
  static let untitled = "(no text)"

  /// The fewest characters of a shortened id.
  static let shortest = 4

  private let lengths: [TableName: [ItemID: Int]]
  private let showsTable: Bool
  private let titleField: Text?

  /// Finds the names of some items.
  ///
  /// `others` are all items that a shortened id must not match; `titleField` is the setting.
  init(
    for keys: some Sequence<ItemKey>, among others: some Sequence<ItemKey>, showsTable: Bool,
    titleField: Text?
  ) {
    var prefixes = Self.prefixes(of: keys)
    for other in others {
      other.id.text.bytes.withUnsafeBytes { prefixes[other.table]?.compare($0) }
    }
    lengths = prefixes.mapValues(\.lengths)
    self.showsTable = showsTable
    self.titleField = titleField
  }

  /// Finds the names of some items among all rows of their tables.
  init(
    for keys: [ItemKey], showsTable: Bool, on disk: some RowDisk, titleField: Text?
  ) throws {
    var prefixes = Self.prefixes(of: keys)
    for table in Set(keys.lazy.filter { Self.isShortened($0.id) }.map(\.table)) {
      guard var some = prefixes.removeValue(forKey: table) else { continue }
      try disk.table(table).forEachID(.live) { some.compare($0) }
      prefixes[table] = some
    }
    lengths = prefixes.mapValues(\.lengths)
    (self.showsTable, self.titleField) = (showsTable, titleField)
  }

  private static func prefixes(of keys: some Sequence<ItemKey>) -> [TableName: SharedPrefixes] {
    Dictionary(grouping: keys, by: \.table).mapValues { SharedPrefixes(of: $0.map(\.id)) }
  }

  /// Returns the shortened id, with its unique part highlighted.
  func line(for key: ItemKey) -> Line {
    let bytes = key.id.text.string.utf8
    // Other ids may have characters of several bytes, and are not cut.
    let unique = Self.isShortened(key.id) ? lengths[key.table]?[key.id] ?? bytes.count : bytes.count
    let rest = bytes.prefix(max(unique, Self.shortest)).dropFirst(unique)
    var line = Line(showsTable ? "\(key.table)/" : "")
    line.append(String(decoding: bytes.prefix(unique), as: UTF8.self), .cyan)
    line.append(String(decoding: rest, as: UTF8.self))
    return line
  }

  /// Returns a title, or ``untitled``, cut for a line.
  static func shown(_ title: String?) -> String {
    Terminal.cut(Terminal.safe(title ?? untitled), to: longestTitle)
  }

  /// The widest title in a line, in columns.
  private static let longestTitle = 60

  func title(of item: Item?) -> String? { Self.title(of: item, field: titleField) }

  /// Returns the text of a field; by default of `text`, or of `title` if only that is there.
  static func title(of item: Item?, field: Text?) -> String? {
    let value = if let field { item?[field] } else { item?["text"] ?? item?["title"] }
    guard let value else { return nil }
    let text = value.text?.string ?? String(decoding: value.encoded(), as: UTF8.self)
    return text.utf8.isEmpty ? nil : text
  }

  /// Whether an id has only hexadecimal digits and hyphens, as tsync and servers make them.
  static func isShortened(_ id: ItemID) -> Bool {
    id.text.string.utf8.allSatisfy { $0.hexadecimalDigit != nil || $0 == UInt8(ascii: "-") }
  }
}

/// How many bytes some ids share with others of their table.
///
/// In sorted order an id shares its longest prefix with a neighbour: others aren't compared.
private struct SharedPrefixes {
  private let ids: [ItemID]
  private let bytes: [[UInt8]]
  private var shared: [Int]

  init(of ids: [ItemID]) {
    self.ids = Set(ids).sorted()
    bytes = self.ids.map(\.text.bytes)
    shared = bytes.map { _ in 0 }
    for id in bytes { id.withUnsafeBytes { compare($0) } }
  }

  /// Compares the ids with one of the table.
  mutating func compare(_ other: UnsafeRawBufferPointer) {
    let place = bytes.indices.partitioningIndex { !bytes[$0].lexicographicallyPrecedes(other) }
    compare(place - 1, other)
    let isOne = place < bytes.count && bytes[place].elementsEqual(other)
    compare(isOne ? place + 1 : place, other)
  }

  private mutating func compare(_ place: Int, _ other: UnsafeRawBufferPointer) {
    guard bytes.indices.contains(place) else { return }
    let common = zip(bytes[place], other).prefix { $0 == $1 }.count
    shared[place] = max(shared[place], common)
  }

  /// The length of the shortest unique prefix of each id, in bytes.
  var lengths: [ItemID: Int] {
    Dictionary(uniqueKeysWithValues: zip(ids, shared.map { $0 + 1 }))
  }
}
