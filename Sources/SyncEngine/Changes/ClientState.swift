package import SyncModel

/// The state of an item's file.
package enum ClientState: Equatable, Sendable {
  /// Nothing.
  case absent
  /// An item, and the fingerprint of the bytes it was read from.
  case item(Item, Digest)
  /// Something that can't be an item: it is never sent and never overwritten.
  indirect case invalid(InvalidItem)

  /// The item; `nil` where there is none.
  package var item: Item? {
    guard case .item(let item, _) = self else { return nil }
    return item
  }

  /// The fingerprint of the item's bytes; `nil` where there is no item.
  package var digest: Digest? {
    guard case .item(_, let digest) = self else { return nil }
    return digest
  }

  /// Whether the file was changed since a conflict was found; it had this fingerprint then.
  func isEdited(since digest: Digest?) -> Bool {
    if case .invalid = self { true } else { self.digest != digest }
  }
}

/// The reason why a file is not an item.
package struct InvalidItem: Error, Equatable, Sendable {
  /// Where it lies, relative to the workspace, as it may be shown.
  package var place: String
  /// The line and column of the fault, from 1; `nil` where the fault is not in the text.
  package var line, column: Int?
  /// The fact in words for people.
  package var message: String
  /// What mends it; `nil` where that isn't known.
  package var way: Way?
  /// The id that the text says, where its name is another one's: it is a stray file then.
  package var otherID: ItemID?

  package init(
    place: String, line: Int? = nil, column: Int? = nil, message: String, way: Way? = nil,
    otherID: ItemID? = nil
  ) {
    self.place = place
    self.line = line
    self.column = column
    self.message = message
    self.way = way
    self.otherID = otherID
  }
}

extension InvalidItem {
  /// What mends a file, as things are; others are named by their names in its directory.
  package enum Way: Equatable, Sendable {
    /// It is a copy of another file, and can go.
    case copy(of: String)
    /// The name of its id is free.
    case rename(to: String)
    /// Either it gets this id, or the name of its own.
    case changeID(ItemID, orRename: String)
    /// The name of its id is taken, and it gets this id, or goes.
    case changeIDOrRemove(ItemID)
    /// The name of its id is taken, and the item that it is named as can be restored.
    case restore(ItemKey)
    /// The name of its id is taken, and it gets another name.
    case nameIsTaken(String)
    /// It has the block of a conflict's text, and an editor opens it.
    case edit(ItemKey)
  }

  /// The name of the file in its table's directory.
  package var fileName: String {
    let slash = place.utf8.lastIndex(of: UInt8(ascii: "/"))
    return String(place[(slash.map(place.utf8.index(after:)) ?? place.startIndex)...])
  }
}
