/// A row of the server: the item and the system fields.
package struct Row: Sendable {
  /// The id.
  package let id: ItemID
  /// The fields.
  package let item: Item
  /// The version; a row without one can be pulled, but not written.
  package let version: Version?
  /// When the server changed the row last.
  package let updatedAt: Timestamp?
  /// When the server made the row, as it says.
  package let createdAt: Text?
  /// Whether the row is a tombstone.
  package let deleted: Bool
  /// The versions that the row had here before this one, the oldest first; without them two rows are equal
  /// all the same.
  package var had: [Version] = []
  /// The row's JSON text as received, on one line.
  package let text: [UInt8]

  /// How many versions are kept of those that a row had.
  private static let kept = 64

  /// Returns the row as it follows a `known` one: with the versions that were here before it; what stands for no
  /// row takes over the time, too.
  ///
  /// What a write of ours has replaced is former, of what was read the times tell. Who takes a version that was
  /// here before begins anew. Of a tombstone, its row was live here if it has a version.
  package func following(_ known: Row, isWritten: Bool) -> Row {
    var row = self
    if isGone, updatedAt == nil {
      row = Row(id: id, item: item, version: nil, updatedAt: known.updatedAt, deleted: true)
    }
    row.had = known.had
    if let version, known.had.contains(version) {
      row.had = []
    } else if let former = known.version, former != version, !known.deleted || !deleted,
      isWritten || isGone || known.isOlder(than: self)
    {
      row.had = (known.had + [former]).suffix(Self.kept)
    }
    return row
  }

  /// Whether this stands for no row: the server has no trace of it.
  package var isGone: Bool { deleted && version == nil }

  /// Whether the server stamped another row after this one, by more than so many units of 100 ns; of
  /// equal stamps nobody can tell.
  package func isOlder(than other: Row, by ticks: Int64 = 0) -> Bool {
    guard let mine = updatedAt, let theirs = other.updatedAt else { return false }
    return theirs.ticks - mine.ticks > ticks
  }

  /// Reads a row from the object that a server sent; its text is written anew where none is given.
  ///
  /// - Throws: Why the object can't be a row.
  package init(_ object: JSONObject, text: [UInt8]? = nil) throws(NameError) {
    if let name = JSON.object(object).duplicate {
      throw NameError("'\(name)' appears twice in the object")
    }
    guard let id = object[Item.idField] else { throw NameError("the row has no id") }
    // A number that a server has made is the text of it from here on.
    let number = id.integer.map { Text("\($0)") }
    guard let idText = id.text ?? number else {
      throw NameError("the row's id is not a string or a whole number")
    }
    self.id = try ItemID(idText)
    deleted = try Self.value(.deleted, in: object, "true or false", \.boolean) ?? false
    createdAt = try Self.value(.createdAt, in: object, "a string", \.text)
    version = try Self.value(.version, in: object, "a string of 1 to 1024 bytes") {
      $0.text.flatMap(Version.init)
    }
    updatedAt = try Self.value(.updatedAt, in: object, "a date and time") {
      $0.text.flatMap(Timestamp.init)
    }
    item = Item(object)
    var object = object
    if number != nil { object[Item.idField] = .string(idText) }
    self.text =
      (number == nil ? text : nil).map(Self.onOneLine) ?? JSON.object(object).encoded()
  }

  /// Makes a row of its parts, as a server would send it.
  package init(
    id: ItemID, item: Item, version: Version?, updatedAt: Timestamp?, createdAt: Text? = nil,
    deleted: Bool = false
  ) {
    self.id = id
    self.item = item
    self.version = version
    self.updatedAt = updatedAt
    self.createdAt = createdAt
    self.deleted = deleted
    var object = item.object(id: id)
    if let createdAt { object.append(SystemField.createdAt.name, .string(createdAt)) }
    if let updatedAt { object.append(SystemField.updatedAt.name, .string(updatedAt.text)) }
    if let version { object.append(SystemField.version.name, .string(version.text)) }
    object.append(SystemField.deleted.name, .bool(deleted))
    text = JSON.object(object).encoded()
  }

  private static func value<Value>(
    _ field: SystemField, in object: JSONObject, _ expected: String, _ read: (JSON) -> Value?
  ) throws(NameError) -> Value? {
    guard let json = object[field.name], !json.isNull else { return nil }
    guard let value = read(json) else {
      throw NameError("the row's '\(field.rawValue)' is not \(expected)")
    }
    return value
  }

  /// Returns a JSON text without line ends; in valid JSON they stand between tokens only.
  private static func onOneLine(_ text: [UInt8]) -> [UInt8] {
    guard text.contains(where: { $0 == 0x0A || $0 == 0x0D }) else { return text }
    return text.map { $0 == 0x0A || $0 == 0x0D ? 0x20 : $0 }
  }
}

extension Row: Equatable {
  /// Whether both are the same row in the same state: version, time, tombstone and content.
  ///
  /// A version alone proves nothing: a restored server may give it again.
  package static func == (left: Row, right: Row) -> Bool {
    left.id == right.id && left.version == right.version && left.updatedAt == right.updatedAt
      && left.deleted == right.deleted && left.item == right.item
  }
}
