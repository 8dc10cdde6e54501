import SyncEngine
import SyncModel
import Workspace

/// An item that is not written yet.
struct Draft {
  /// The id; `nil` if it shall get a random one.
  let id: ItemID?
  let item: Item
}

extension Draft {
  /// Makes an item of a title and typed fields; the title is the first field.
  init(
    _ title: String, _ assignments: [Assignment], accepting accepted: Set<Text>,
    _ session: Session, _ inventory: Inventory
  ) throws {
    let titleField = session.configuration.titleField ?? "text"
    let key = ItemKey(session.table, try ItemID("new"))
    var types = FieldTypes(inventory, session.dates, accepting: accepted)
    var item = Item(JSONObject())
    if !title.utf8.isEmpty { item[titleField] = .string(title) }
    for assignment in assignments {
      if assignment.field == titleField, item[titleField] != nil {
        throw Problem.usage("\(titleField) is given twice")
      }
      try types.apply(assignment, to: &item, key, on: session.workspace)
    }
    types.tell(session.context.printer)
    try self.init(.object(item.fields))
  }

  /// Returns the item for the editor: its title, which may be empty, and the fields of the table's
  /// items; those that it doesn't have are `null`.
  func opened(_ session: Session, _ inventory: Inventory) throws -> Item {
    let others = try inventory.items(on: session.workspace).filter { $0.key.table == session.table }
    let names = ([item] + others.map(\.item)).flatMap { $0.fields.members.map(\.name) }
    let isTitle = names.contains("title") && !names.contains("text")
    let titleField = session.configuration.titleField ?? (isTitle ? "title" : "text")
    var opened = Item(JSONObject([.init(name: titleField, value: item[titleField] ?? "")]))
    for name in names where opened.fields[name] == nil { opened[name] = item[name] ?? .null }
    return opened
  }

  /// Takes the members of an object.
  init(_ json: JSON) throws(NameError) {
    guard let object = json.object else { throw NameError("expected an object") }
    if let name = json.duplicate { throw NameError("'\(name)' appears twice in the object") }
    switch object[Item.idField] {
    case nil, .null?: id = nil
    case .string(let text)?: id = try ItemID(naming: text)
    default: throw NameError("the id is not a string")
    }
    item = Item(object)
  }

  /// Parses the text of an object.
  init(parsing text: [UInt8]) throws(JSONError) {
    let edit = try JSONEdit(text, limits: .item)
    if let duplicate = edit.duplicate { throw duplicate }
    do throws(NameError) {
      try self.init(.object(edit.object))
    } catch {
      throw edit.error(at: Item.idField, error.description)
    }
  }
}

extension Printer {
  /// Tells of the first of some new ids that the family's .NET clients refuse: each of their pulls ends with it.
  func tell(of ids: some Sequence<ItemID>) {
    func isPlain(_ byte: UInt8) -> Bool {
      (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte & 0xDF)
    }
    let refused = ids.first { id in
      let bytes = id.text.bytes
      return bytes.count > 127 || bytes.first.map(isPlain) == false
        || !bytes.allSatisfy { isPlain($0) || "-_.|:".utf8.contains($0) }
    }
    if let refused { summary(Line("the .NET clients refuse the id '\(refused)'")) }
  }
}

extension ItemID {
  /// Takes a text as an id that a file can be named by.
  init(naming text: Text) throws(NameError) {
    try self.init(text)
    guard FileName.of(self) != nil else {
      throw NameError("the id is too long for a file name")
    }
  }

  /// Returns 128 random bits as 32 hexadecimal digits, lower case.
  static func random(_ bits: () -> UInt64) throws -> ItemID {
    try ItemID(Text(bits().hexadecimal + bits().hexadecimal))
  }
}
