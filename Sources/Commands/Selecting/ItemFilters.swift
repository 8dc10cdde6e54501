import SyncEngine
import SyncModel

/// Filters, parsed by the fields of the items.
struct ItemFilters {
  private let filters: [Filter]

  /// Parses filters; `missing` gets the failure for a field that no item has.
  ///
  /// - Throws: ``Problem`` if a word is no filter, or a value doesn't fit the field's type.
  init(
    _ words: [String], of items: [(key: ItemKey, item: Item)], doneField: Text,
    missing: (Problem) throws -> Void = { throw $0 }
  ) throws {
    filters = try words.map { word in
      try Filter(Text(word)) { name in items.contains { $0.item[name] != nil } }
    }
    for filter in filters where filter.field != Item.idField {
      try Self.check(filter, items)
      let isKnown = filter.field == doneField || items.contains { $0.item[filter.field] != nil }
      if !isKnown, !items.isEmpty { try missing(.noField(filter.field, items.lazy.map(\.item))) }
    }
  }

  func fit(_ key: ItemKey, _ item: Item) -> Bool { filters.allSatisfy { $0.fits(key.id, item) } }

  /// Whether a filter names the field.
  func name(_ field: Text) -> Bool { filters.contains { $0.field == field } }

  /// Checks that the values fit the field's type in one of the items.
  private static func check(_ filter: Filter, _ items: [(key: ItemKey, item: Item)]) throws {
    var problem: Problem?
    for (key, item) in items {
      guard let sample = item[filter.field], !sample.isNull else { continue }
      do throws(Problem) {
        for value in filter.values {
          _ = try Assignment.value(value, like: sample, field: filter.field, of: key)
        }
        return
      } catch {
        problem = problem ?? error
      }
    }
    if let problem { throw problem }
  }
}

extension Problem {
  /// Says that no item has the field, and suggests a similar one.
  static func noField(_ field: Text, _ items: some Sequence<Item>) -> Problem {
    let names = Set(items.flatMap { $0.fields.members.map(\.name) }).sorted().map(\.string)
    let near = HabitWords.nearest(field.string, of: names)
    return .usage(
      "no item has a field '\(field)'" + (near.map { "; did you mean '\($0)'?" } ?? ""))
  }
}
