import SyncEngine
import SyncModel
import Workspace

/// The names of items for people: shortened ids, and titles (tsync(1), Output).
struct ItemNames {
  static let untitled = "(no text)"

  /// The fewest characters of a shortened id.
  static let shortest = 4

  private let lengths: [ItemKey: Int]
  private let showsTable: Bool
  private let titleField: Text?

  /// Finds the names of some items.
  ///
  /// `others` are all items that a shortened id must not match; `titleField` is the setting.
  init(
    for keys: some Sequence<ItemKey>, among others: some Sequence<ItemKey>, showsTable: Bool,
    titleField: Text?
  ) {
    lengths = Self.lengths(of: keys, among: others)
    self.showsTable = showsTable
    self.titleField = titleField
  }

  /// Finds the names of some items among all rows of their tables.
  init(
    for keys: [ItemKey], in tables: [TableName], on disk: some RowDisk, titleField: Text?
  ) throws {
    var others: [ItemKey] = []
    for table in Set(keys.lazy.filter { Self.isShortened($0.id) }.map(\.table)) {
      others += try disk.liveIDs(in: table).map { ItemKey(table, $0) }
    }
    self.init(for: keys, among: others, showsTable: tables.count > 1, titleField: titleField)
  }

  /// Returns the shortened id, with its unique part highlighted.
  func line(for key: ItemKey) -> Line {
    let bytes = key.id.text.string.utf8
    // Other ids may have characters of several bytes, and are not cut.
    let unique = Self.isShortened(key.id) ? lengths[key] ?? bytes.count : bytes.count
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

  /// Returns the length of the shortest unique prefix of each id in its table, in bytes.
  ///
  /// In sorted order, an id shares its longest prefix with a neighbour: others aren't compared.
  private static func lengths(
    of keys: some Sequence<ItemKey>, among others: some Sequence<ItemKey>
  ) -> [ItemKey: Int] {
    let sorted = Set(keys).sorted()
    var shared = [Int](repeating: 0, count: sorted.count)
    func compare(_ index: Int, _ key: ItemKey) {
      guard sorted.indices.contains(index), sorted[index].table == key.table else { return }
      let common = zip(sorted[index].id.text.string.utf8, key.id.text.string.utf8)
        .prefix { $0 == $1 }.count
      shared[index] = max(shared[index], common)
    }
    for index in sorted.indices.dropFirst() {
      compare(index, sorted[index - 1])
      compare(index - 1, sorted[index])
    }
    for other in others {
      let place = sorted.sortedIndex(of: other)
      if place < sorted.count, sorted[place] == other { continue }
      compare(place - 1, other)
      compare(place, other)
    }
    return Dictionary(uniqueKeysWithValues: zip(sorted, shared.map { $0 + 1 }))
  }
}
