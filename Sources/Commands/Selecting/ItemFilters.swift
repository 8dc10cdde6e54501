import SyncEngine
import SyncModel
import Workspace

/// Filters, parsed by the fields of the items.
struct ItemFilters {
  typealias Items = [(key: ItemKey, item: Item)]
  /// What an item has in a field.
  typealias Value = (key: ItemKey, value: JSON)

  /// The filters between each `or`.
  private let groups: [[Filter]]

  /// Parses filters; `missing` gets the failure for a field that no item has.
  ///
  /// With `findsText`, a word that is no filter stands for a part of any text of an item.
  ///
  /// - Throws: ``Problem`` if a word is no filter, or a value doesn't fit the field's type.
  init(
    _ words: [String], of items: Items, _ session: Session, findsText: Bool = false,
    missing: (Problem) throws -> Void = { throw $0 }
  ) throws {
    groups = try Filter.groups(words.map { Text($0) }).map { words in
      try words.map { word in
        if findsText, !Filter.isFilter(word) { return Filter(anywhere: word) }
        let filter = try Filter(word) { name in items.contains { $0.item.value(named: name) != nil }
        }
        guard filter.field != Item.idField else { return filter }
        let values = items.compactMap { key, item in
          item.value(named: filter.field).map { (key, $0) }
        }
        try Self.check(filter, values)
        if values.isEmpty, !items.isEmpty, filter.field != session.configuration.doneField {
          var problem = Problem.noField(filter.field, items.lazy.map(\.item))
          guard filter.field.bytes.contains(UInt8(ascii: ".")) else {
            try missing(problem)
            return filter
          }
          // What is meant may be an operator.
          let known = Filter.Comparison.allCases.dropFirst().map(\.rawValue)
          problem.hints = ["the operators are \(known.joined(separator: " "))"]
          throw problem
        }
        return try Self.dated(filter, values, session.dates)
      }
    }
  }

  func fit(_ key: ItemKey, _ item: Item) -> Bool {
    groups.contains { $0.allSatisfy { $0.fits(key.id, item) } }
  }

  /// Whether a filter names the field.
  func name(_ field: Text) -> Bool { groups.contains { $0.contains { $0.field == field } } }

  /// Checks that the filter's values fit the field's type in one of the items.
  private static func check(_ filter: Filter, _ samples: [Value]) throws {
    var problem: Problem?
    for (key, sample) in samples {
      if filter.comparison == .has, sample.elements != nil { return }
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

  /// Returns a filter that compares dates by their days, if the field has dates.
  private static func dated(
    _ filter: Filter, _ samples: [Value], _ words: DateWords
  ) throws -> Filter {
    let values = filter.values.filter { !$0.isEmpty }
    guard filter.comparison != .has, !values.isEmpty else { return filter }
    if let field = DateField(samples) {
      for value in values where words.span(value) == nil {
        throw field.problem(filter.field, value, words)
      }
      return filter.reading(dates: words.span)
    }
    // Bytes have an order, too; by it, a word such as "today" comes after each date.
    let texts = samples.lazy.compactMap { key, value in value.text.map { (key, $0) } }
      .filter { !$0.1.isEmpty }
    let isOrder = ![.equal, .notEqual, .isIn].contains(filter.comparison)
    let isMixed = texts.contains { DateSpan.isDate($0.1) }
    let isMeant = values.contains { value in
      words.span(value) != nil && (isOrder || isMixed && !DateSpan.isDate(value))
    }
    if isMeant, isMixed || values.contains(where: { words.relative($0) != nil }),
      let (key, text) = texts.first(where: { !DateSpan.isDate($0.1) })
    {
      throw Problem.usage("\(filter.field) is not a date in each item: \(key) has '\(text)'")
    }
    return filter
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
