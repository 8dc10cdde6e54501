package import SyncModel

/// What a command was told of an item, which neither its file nor its row says.
package enum Mark: Equatable, Sendable {
  /// Its file was removed, so that no guard asks about the delete; the time is in nanoseconds since 1970, and
  /// the disk fills a missing one in.
  ///
  /// The item may have become another one: its row waits until the server has that.
  case removed(after: ItemID? = nil, time: Int64 = 0)
  /// Its deleted row is meant to come back.
  case undelete
}

/// The marks of a table's items.
package struct Marks: Equatable, Sendable {
  /// All of them.
  package private(set) var all: [ItemID: Mark] = [:]
  /// The items that have become others, by those.
  private var formers: [ItemID: Set<ItemID>] = [:]

  /// Makes no marks.
  package init() {}

  /// The mark of an item.
  package subscript(id: ItemID) -> Mark? {
    get { all[id] }
    set {
      if let after = all[id]?.after {
        formers[after]?.remove(id)
        if formers[after] == [] { formers[after] = nil }
      }
      all[id] = newValue
      if let after = newValue?.after { formers[after, default: []].insert(id) }
    }
  }

  /// Whether there is none.
  package var isEmpty: Bool { all.isEmpty }

  /// Whether a command has removed an item's file.
  package func isRemoved(_ id: ItemID) -> Bool {
    if case .removed? = all[id] { true } else { false }
  }

  /// Returns the items that have become this one, in their order.
  package func formers(of id: ItemID) -> [ItemID] { formers[id]?.sorted() ?? [] }

  /// Ends the mark of an item with the row that answers its write, where that is what was meant.
  package mutating func end(_ id: ItemID, withDeleted isDeleted: Bool) {
    guard !all.isEmpty, isRemoved(id) == isDeleted else { return }
    self[id] = nil
  }

  /// Gives an item's mark, and what waits for it, to the id that the server has given its row.
  package mutating func rename(_ former: ItemID, to id: ItemID) {
    guard !all.isEmpty else { return }
    if let mark = all[former] { (self[former], self[id]) = (nil, mark) }
    for other in formers(of: former) {
      if case .removed(_, let time)? = all[other] { self[other] = .removed(after: id, time: time) }
    }
  }

  /// Returns a fact as it is written at a time, in nanoseconds since 1970: a removal keeps its first one.
  package func dated(_ fact: Fact, at time: Int64) -> Fact {
    guard case .marked(let id, .removed(let after, 0)?) = fact else { return fact }
    if case .removed(_, let first)? = all[id] {
      return .marked(id, .removed(after: after, time: first))
    }
    return .marked(id, .removed(after: after, time: time))
  }
}

extension Mark {
  /// What the item has become; `nil` where nothing.
  package var after: ItemID? {
    guard case .removed(let after, _) = self else { return nil }
    return after
  }
}

extension RowDisk {
  /// Whether a command has removed an item's file.
  ///
  /// - Throws: What reading the marks throws.
  package func isRemoved(_ key: ItemKey) throws -> Bool {
    try state(of: key.table).marks.isRemoved(key.id)
  }

  /// Returns the items that have become this one, and whose rows are there until the server has it.
  ///
  /// - Throws: What reading the marks throws.
  package func formers(of key: ItemKey) throws -> [ItemKey] {
    try state(of: key.table).marks.formers(of: key.id).map { ItemKey(key.table, $0) }
  }
}

extension ItemDisk where Self: RowDisk {
  /// Whether other items have become this one, and the server doesn't have it as it is here.
  func isAwaited(_ key: ItemKey) throws -> Bool {
    try !formers(of: key).isEmpty && client(key).item != base(of: key).item
  }

  /// Returns the item that the delete of a row waits for: what its own has become, until the server has that as
  /// it is here; `nil` where it waits for none.
  ///
  /// What was removed is not waited for.
  ///
  /// - Throws: What reading the files and rows throws.
  package func awaited(by key: ItemKey) throws -> ItemKey? {
    guard let id = try state(of: key.table).marks[key.id]?.after else { return nil }
    let other = ItemKey(key.table, id)
    let isOpen = try attempt(of: other).map { $0.kind != .delete } ?? false
    if try isOpen || arrival(of: other)?.was != nil { return other }
    switch try client(other) {
    case .absent: return try isDeleted(other) ? nil : other
    case .invalid: return other
    case .item(let item, _): return try base(of: other).item == item ? nil : other
    }
  }
}
