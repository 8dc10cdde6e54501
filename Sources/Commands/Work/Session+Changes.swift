import SyncEngine
import SyncModel
import Workspace

/// A command's change of one item.
struct ItemChange: Equatable {
  let key: ItemKey
  let old, new: Item

  var fields: [Text] { Change(from: old, to: new).names }
}

extension Session {
  /// How often a change is tried while another program saves the item.
  private static let attempts = 8

  /// Returns an item to change; throws ``Failure`` if its file is missing or invalid.
  func item(_ key: ItemKey) throws -> (item: Item, digest: Digest) {
    switch try workspace.client(key) {
    case .item(let item, let digest): return (item, digest)
    case .invalid(let invalid): throw Failure(invalid: invalid, .usage)
    case .absent:
      var claims = Claims()
      if let failure = try moved(Target(key), &claims) { throw failure }
      let isKnown = try workspace.base(of: key).row != nil
      throw Failure.usage(
        "\(key) has no file here",
        hints: isKnown ? ["to bring it back: \(typed: "restore", "\(key)")"] : [])
    }
  }

  /// Changes items: checks all changes before the first write, and makes them durable together.
  ///
  /// - Returns: The changes, in the order of the keys.
  /// - Throws: ``Failure`` before anything is done, and the errors of the transformation.
  mutating func change(
    _ keys: [ItemKey], _ transform: (ItemKey, Item) throws -> Item
  ) throws -> [ItemChange] {
    for key in keys {
      let old = try item(key).item
      _ = try Self.checked(try transform(key, old), key)
    }
    var changes: [ItemChange] = []
    defer { try? workspace.settle() }
    for key in keys {
      try context.checkSignal()
      if let change = try change(key, transform) { changes.append(change) }
    }
    try workspace.settle()
    try note(changes.map { ($0.key, $0.new) })
    return changes
  }

  private mutating func change(
    _ key: ItemKey, _ transform: (ItemKey, Item) throws -> Item
  ) throws -> ItemChange? {
    for _ in 0..<Self.attempts {
      let (old, digest) = try item(key)
      let new = try Self.checked(try transform(key, old), key)
      guard new != old else { return nil }
      if try workspace.write(new, to: key, expecting: digest) != .changedMeanwhile {
        return ItemChange(key: key, old: old, new: new)
      }
    }
    throw Failure(.rejected, "another program keeps changing \(key)", hints: ["try again"])
  }

  /// Notes changes in the journal, so that they are sent in this order.
  mutating func note(_ items: [(key: ItemKey, item: Item?)]) throws {
    let records = try items.compactMap { key, item -> JournalRecord? in
      let base = try workspace.base(of: key)
      guard let operation = Operation(key: key, client: item, base: base) else { return nil }
      return .noted(key, Note(kind: operation.kind, commanded: false))
    }
    if !records.isEmpty { try workspace.append(records, durably: false) }
  }

  /// Returns an item as its file will hold it; throws ``Failure`` if that would be invalid.
  static func checked(_ item: Item, _ key: ItemKey) throws -> Item {
    let text = ItemFile.text(of: item, id: key.id)
    do throws(InvalidItem) {
      guard text.count <= ItemFile.itemLimit else {
        throw InvalidItem(place: "\(key)", message: "it would be larger than 1 MiB")
      }
      return try ItemFile.item(in: text, as: key, place: "\(key)")
    } catch {
      throw Failure(invalid: error, .usage)
    }
  }
}
