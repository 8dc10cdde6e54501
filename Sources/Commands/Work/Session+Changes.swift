import SyncEngine
import SyncModel
import Workspace

/// A command's change of one item.
struct ItemChange: Equatable {
  let key: ItemKey
  /// `nil` if it is a new item.
  let old: Item?
  let new: Item

  /// The changed fields; none of a new item.
  var fields: [Text] { old == nil ? [] : Change(from: old, to: new).names }
}

extension Session {
  /// Returns an item to change; throws ``Problem`` if its file is missing or invalid.
  func item(_ key: ItemKey) throws -> (item: Item, digest: Digest) {
    switch try workspace.client(key) {
    case .item(let item, let digest): return (item, digest)
    case .invalid(let invalid): throw Problem(invalid: invalid, .usage)
    case .absent:
      if let problem = try moved(Target(key)) { throw problem }
      let isKnown = try workspace.base(of: key).row != nil
      throw Problem.usage(
        "\(key) has no file here",
        hints: isKnown ? ["to bring it back: \(typed: "restore", "\(key)")"] : [])
    }
  }

  /// Returns the text and the item of a valid file.
  func file(_ key: ItemKey) throws -> (text: [UInt8], item: Item) {
    let (item, digest) = try item(key)
    guard let text = try workspace.text(of: key), Digest(of: text) == digest else {
      throw Problem.changedMeanwhile(key)
    }
    return (text, item)
  }

  /// Changes items; what another program changes meanwhile stays, and is named.
  ///
  /// - Returns: The changes, in the order of the keys; of a rehearsal, what they would be.
  /// - Throws: ``Problem`` before anything is done, and the errors of the transformation.
  mutating func change(
    _ keys: [ItemKey], isRehearsal: Bool = false, _ transform: (ItemKey, Item) throws -> Item
  ) throws -> [ItemChange] {
    let planned = try keys.map { key in
      let (old, digest) = try item(key)
      let new = try Self.checked(try transform(key, old), key)
      return (change: ItemChange(key: key, old: old, new: new), digest: digest)
    }
    let changing = planned.filter { $0.change.old != $0.change.new }
    if isRehearsal { return changing.map(\.change) }
    return try write(changing) { $0.context.printer.warn(.changedMeanwhile($1)) }
  }

  /// Writes changed or new items over the files with these fingerprints.
  ///
  /// One that can't be written is named; `ifChanged` is called for one that another program has changed.
  ///
  /// - Returns: The changes that were made; they are noted in the journal.
  mutating func write(
    _ planned: [(change: ItemChange, digest: Digest?)],
    ifChanged: (Session, ItemKey) throws -> Void
  ) throws -> [ItemChange] {
    try context.checkSignal()
    let outcomes = try workspace.write(
      planned.map { FileChange($0.change.key, to: $0.change.new, expecting: $0.digest) })
    var changes: [ItemChange] = []
    var changed: [ItemKey] = []
    for (outcome, planned) in zip(outcomes, planned) {
      switch outcome {
      case .replaced: changes.append(planned.change)
      case .changedMeanwhile: changed.append(planned.change.key)
      case .unwritable(let error): context.printer.warn(Problem(error))
      }
    }
    try note(changes.map { ($0.key, $0.new) })
    for key in changed { try ifChanged(self, key) }
    return changes
  }

  /// Changes things one after another; an item that can't be written is named, and the others follow.
  ///
  /// - Returns: The changes that `body` returned; they are noted in the journal.
  @discardableResult
  mutating func perform<Element>(
    _ elements: [Element], _ body: (Element, inout Session) throws -> ItemChange?
  ) throws -> [ItemChange] {
    var changes: [ItemChange] = []
    do {
      for element in elements {
        try context.checkSignal()
        do {
          if let change = try body(element, &self) { changes.append(change) }
        } catch let error as UnwritableItem {
          context.printer.warn(Problem(error))
        }
      }
    } catch {
      try? note(changes.map { ($0.key, $0.new) })
      throw error
    }
    try note(changes.map { ($0.key, $0.new) })
    return changes
  }

  /// Notes which deleted rows are meant to come back by changes, and takes deletes back.
  mutating func note(_ items: [(key: ItemKey, item: Item?)]) throws {
    for (table, items) in Dictionary(grouping: items, by: \.key.table) {
      let facts = try items.filter { $0.item != nil }
        .flatMap { try workspace.presence(of: $0.key, as: $0.item) }
      if !facts.isEmpty { try workspace.append(facts, to: table, durably: false) }
    }
  }

  /// The table for new items: the first of `-t`, or of the workspace; there always is one.
  var table: TableName { tables[0] }

  /// Refuses new items that are there already, or would not be valid.
  func checkNew(_ changes: [ItemChange], _ inventory: Inventory) throws {
    var seen: Set<ItemKey> = []
    for change in changes {
      let key = change.key
      // A new item may replace one that was removed here, before the server deletes that.
      if inventory.isHere(key) { throw Problem.usage("\(key) already exists") }
      try checkName(of: key)
      if let problem = try moved(Target(key)) { throw problem }
      guard seen.insert(key).inserted else {
        throw Problem.usage("two items have the id \(key)")
      }
      _ = try Self.checked(change.new, key)
    }
  }

  /// Refuses a new id that is too long for the disk.
  func checkName(of key: ItemKey) throws {
    guard !workspace.fits(key) else { return }
    throw Problem.usage("the id is too long for a file name here: \(key)")
  }

  /// Returns an item as its file will hold it; throws ``Problem`` if that would be invalid.
  static func checked(_ item: Item, _ key: ItemKey) throws -> Item {
    let text = ItemFile.text(of: item, id: key.id)
    guard text.count <= ItemFile.itemLimit else {
      throw Problem.usage("\(key) would be larger than 1 MiB")
    }
    do { return try ItemFile.item(in: text, as: key, place: "") } catch {
      throw Problem.usage("\(key): \(error.message)")
    }
  }
}
