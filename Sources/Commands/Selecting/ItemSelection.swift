import SyncEngine
import SyncModel
import Workspace

/// The items of a command: given by references, or chosen by filters.
enum ItemSelection: Equatable {
  case references([String])
  /// The items that fit all filters; only those removed since a time, in seconds since 1970. Of confirmed ones,
  /// only those that are as they were then.
  case filters([String], since: Int64? = nil, confirmed: [ItemKey: Item]? = nil)

  /// Tells references and filters apart by their words.
  init(_ words: [String]) throws {
    let hasFilter = words.contains { Filter.isFilter(Text($0)) }
    let areFilters = words.map { word in
      Filter.isFilter(Text(word)) || hasFilter && Text(word) == Filter.alternative
    }
    try self.init(
      zip(words, areFilters).filter { !$1 }.map(\.0),
      filters: zip(words, areFilters).filter { $1 }.map(\.0))
  }

  /// Takes references or filters; throws ``Problem`` for neither and for both.
  init(_ references: [String], filters: [String]) throws {
    guard references.isEmpty || filters.isEmpty else {
      throw Problem.usage("references and filters can't be mixed")
    }
    guard references.count + filters.count > 0 else { throw Problem.usage("no items given") }
    self = filters.isEmpty ? .references(references) : .filters(filters)
  }

  /// Returns the items in the order of the references, or by table and id.
  ///
  /// Filters skip invalid files, with a warning and an exit status.
  func keys(_ inventory: Inventory, _ session: Session) throws -> [ItemKey] {
    try targets(inventory, session).map { try $0.item() }
  }

  /// Returns the items, and the files that can't be items.
  func targets(_ inventory: Inventory, _ session: Session) throws -> [Target] {
    if case .references(let words) = self { return try session.lookup(inventory).all(words) }
    session.context.printer.showInvalid(inventory)
    return try fitting(inventory, session).map { Target($0.key) }
  }

  /// Returns the existing or the removed items that fit the filters, or both for `nil`; none of references.
  ///
  /// Prints a warning for each confirmed item that has changed.
  func fitting(
    _ inventory: Inventory, _ session: Session, areRemoved: Bool? = false
  ) throws -> [(key: ItemKey, item: Item)] {
    guard case .filters(let words, let time, let confirmed) = self else { return [] }
    var here = try inventory.items(on: session.workspace)
    if areRemoved == nil {
      // What was removed here and changed on the server is in conflict.
      for key in try session.conflicts(of: nil) where inventory.isAbsent(key) {
        if let item = try? session.conflict(key).shown { here.append((key, item)) }
      }
    }
    let removed = areRemoved == false ? [] : try session.removed(inventory, since: time)
    if let key = (here + removed).map(\.key).first(where: { words.contains($0.id.text.string) }) {
      throw Problem.usage(
        "'\(key.id)' is an item's id and a filter",
        hints: ["to name the item: \(shell: "\(key)")"])
    }
    let filters = try ItemFilters(
      words, of: here + removed, session)
    let candidates = areRemoved == nil ? here + removed : areRemoved == true ? removed : here
    guard let confirmed else { return candidates.filter { filters.fit($0.key, $0.item) } }
    let same = candidates.filter { confirmed[$0.key] == $0.item }
    for key in Set(confirmed.keys).subtracting(same.map(\.key)).sorted() {
      session.context.printer.warn(.changedMeanwhile(key))
    }
    return same
  }

  var isByFilter: Bool { if case .filters = self { true } else { false } }
}

extension Session {
  /// Returns the items that can come back.
  func removed(
    _ inventory: Inventory, since time: Int64? = nil
  ) throws -> [(key: ItemKey, item: Item)] {
    try RemovedItems(inventory, since: time, on: workspace).entries.sorted { $0.key < $1.key }
      .map { ($0.key, $0.item) }
  }
}

extension Printer {
  func showInvalid(_ inventory: Inventory) { inventory.invalids.forEach(warn) }
}
