import SyncEngine
import SyncModel
import Workspace

/// Which items a command is about: those that are named, or those that fit filters.
enum ItemSelection: Equatable {
  /// The items that are named.
  case references([String])
  /// The items that fit all filters; of them only those that were confirmed, where some were.
  case filters([String], confirmed: Set<ItemKey>? = nil)

  /// Takes words of which some may be filters; the two can't be mixed.
  ///
  /// - Throws: ``Failure``.
  init(_ words: [String]) throws {
    let isFilter = words.map { Filter.isFilter(Text($0)) }
    guard let first = isFilter.first else { throw Failure.usage("no items given") }
    guard isFilter.allSatisfy({ $0 == first }) else {
      throw Failure.usage("references and filters can't be mixed")
    }
    self = first ? .filters(words) : .references(words)
  }

  /// Takes references, or filters that stand apart.
  ///
  /// - Throws: ``Failure``, where there is neither or both.
  init(_ references: [String], filters: [String]) throws {
    guard references.isEmpty || filters.isEmpty else {
      throw Failure.usage("references and filters can't be mixed")
    }
    guard !references.isEmpty || !filters.isEmpty else { throw Failure.usage("no items given") }
    self = filters.isEmpty ? .references(references) : .filters(filters)
  }

  /// Returns the items, in the order in which they are named, or by table and id.
  ///
  /// Files that aren't valid fit no filter; they are told, and the exit status says so.
  ///
  /// - Throws: ``Failure``, where a reference or a filter is wrong.
  func keys(_ inventory: Inventory, _ open: OpenWorkspace, in context: Context) throws -> [ItemKey]
  {
    switch self {
    case .references(let words):
      return try open.references(inventory, in: context).items(words)
    case .filters:
      context.output.tellInvalid(inventory)
      return try fitting(inventory, open).map(\.key)
    }
  }

  /// Returns the items, or those that were removed, that the filters choose; none where there are none.
  ///
  /// - Throws: ``Failure``, where a filter is wrong.
  func fitting(
    _ inventory: Inventory, _ open: OpenWorkspace, areRemoved: Bool = false
  ) throws -> [(key: ItemKey, item: Item)] {
    guard case .filters(let words, let confirmed) = self else { return [] }
    let here = try inventory.items(on: open.workspace)
    let removed = areRemoved ? try inventory.removed(open.workspace) : []
    let filters = try ItemFilters(
      words, of: here + removed, doneField: open.configuration.doneField)
    return (areRemoved ? removed : here).filter { key, item in
      filters.fit(key, item) && confirmed?.contains(key) ?? true
    }
  }

  /// Whether several items may be meant by few words.
  var isByFilter: Bool { if case .filters = self { true } else { false } }
}

extension Output {
  /// Names the files that aren't valid; the exit status says so, too.
  func tellInvalid(_ inventory: Inventory) {
    inventory.invalids.forEach(tell)
  }

  /// Names a file that isn't valid, with what mends it; the exit status says so, too.
  func tell(_ invalid: InvalidItem) {
    warn(invalid.sentence)
    if let hint = invalid.hint { summary(Line("tsync: mend it: \(text(of: hint))")) }
    end(with: .rejected)
  }
}
