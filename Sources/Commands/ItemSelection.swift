import SyncEngine
import SyncModel
import Workspace

/// Which items a command is about: those that are named, or those that fit filters.
enum ItemSelection: Equatable {
  /// The items that are named.
  case references([String])
  /// The items that fit all filters.
  case filters([Filter])

  /// Takes words of which some may be filters; the two can't be mixed.
  ///
  /// - Throws: ``Failure``.
  init(_ words: [String], command: String) throws {
    let isFilter = words.map { Filter.isFilter(Text($0)) }
    guard let first = isFilter.first else { throw Failure.usage("which items?") }
    guard isFilter.allSatisfy({ $0 == first }) else {
      throw Failure.usage("references and filters can't be mixed")
    }
    self = try first ? .filters(words.map { try Filter(Text($0)) }) : .references(words)
  }

  /// Takes references, or filters that stand apart.
  ///
  /// - Throws: ``Failure``, where there is neither or both.
  init(_ references: [String], filters: [String], command: String) throws {
    guard references.isEmpty || filters.isEmpty else {
      throw Failure.usage("references and filters can't be mixed")
    }
    guard !references.isEmpty || !filters.isEmpty else { throw Failure.usage("which items?") }
    self =
      try filters.isEmpty
      ? .references(references) : .filters(filters.map { try Filter(Text($0)) })
  }

  /// Returns the items, in the order in which they are named, or by table and id.
  ///
  /// Files that aren't valid fit no filter; they are told, and the exit status says so.
  ///
  /// - Throws: ``Failure``, where a reference is wrong.
  func keys(_ inventory: Inventory, _ open: OpenWorkspace, in context: Context) throws -> [ItemKey]
  {
    switch self {
    case .references(let words):
      return try open.references(inventory, in: context).items(words)
    case .filters(let filters):
      let found = try inventory.keys.filter { key in
        guard let item = try inventory.item(key, on: open.workspace) else { return false }
        return filters.allSatisfy { $0.fits(key.id, item) }
      }
      context.output.tellInvalid(inventory)
      return found
    }
  }
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
