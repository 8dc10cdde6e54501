import SyncEngine
import SyncModel
import Workspace

/// A new item that is not written yet.
struct Draft: Equatable {
  let key: ItemKey
  let item: Item

  init(_ key: ItemKey, _ item: Item) {
    self.key = key
    self.item = item
  }

  /// Makes an item of a title and typed fields; the title is the first field.
  init(
    _ title: String, _ assignments: [Assignment], _ session: Session,
    _ types: inout FieldTypes, _ context: Context
  ) throws {
    let titleField = session.configuration.titleField ?? "text"
    let table = try session.table()
    var item = Item(JSONObject())
    if !title.utf8.isEmpty { item[titleField] = .string(title) }
    var id: ItemID?
    for assignment in assignments {
      if assignment.field == titleField, item[titleField] != nil {
        throw Failure.usage("\(titleField) is given twice")
      }
      let key = ItemKey(table, try id ?? ItemID("new"))
      guard assignment.field == Item.idField else {
        item[assignment.field] = try types.value(
          of: assignment, in: item, key, on: session.workspace)
        continue
      }
      id = try Self.id(assignment)
    }
    self.init(ItemKey(table, try id ?? .random(context.invocation.random)), item)
  }

  private static func id(_ assignment: Assignment) throws -> ItemID {
    switch assignment.value {
    case .typed(let text), .json(.string(let text)): return try named(ItemID(text))
    case .json, .none: throw Failure.usage("the id must be a string")
    }
  }

  /// Refuses an id that is too long for a file's name.
  private static func named(_ id: ItemID) throws -> ItemID {
    guard FileName.of(id) != nil else {
      throw Failure.usage("the id is too long for a file name")
    }
    return id
  }

  /// Opens the item in the editor; `nil` if it came back unchanged or empty.
  func edited(
    _ session: Session
  ) throws -> (draft: Draft, text: EditedText)? {
    var text = try EditedText(
      ItemFile.text(of: item, id: key.id), for: .new, session)
    let result = try text.result { bytes throws(JSONError) in
      let edit = try JSONEdit(bytes, limits: .item)
      if let duplicate = edit.duplicate { throw duplicate }
      let id = edit.object[Item.idField]
      guard id?.text != nil || id?.isNull ?? true else {
        throw edit.error(at: Item.idField, "the id is not a string")
      }
      return edit
    }
    guard let result else { return nil }
    let object = result.object
    let id = try text.keepingText {
      try object[Item.idField]?.text.map { try Self.named(ItemID($0)) } ?? key.id
    }
    return (Draft(ItemKey(key.table, id), Item(object)), text)
  }
}

extension ItemID {
  /// Returns 128 random bits as 32 hexadecimal digits, lower case.
  static func random(_ bits: () -> UInt64) throws -> ItemID {
    let digits = [bits(), bits()].map { half in
      let digits = String(half, radix: 16)
      return String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }
    return try ItemID(Text(digits.joined()))
  }
}

extension Session {
  /// Returns the table for new items: the first of `-t`, or of the workspace.
  func table() throws -> TableName {
    guard let table = tables.first else { throw Failure.usage("the workspace has no table") }
    return table
  }

  /// Refuses new items that are there already, or would not be valid.
  func check(_ drafts: [Draft], _ inventory: Inventory) throws {
    var seen: Set<ItemKey> = []
    var claims = Claims()
    for draft in drafts {
      // A new item may replace one that was removed here, before the server deletes that.
      if inventory.contains(draft.key), !inventory.isAbsent(draft.key) {
        throw Failure.usage("\(draft.key) already exists")
      }
      if let failure = try moved(Target(draft.key), &claims) { throw failure }
      guard seen.insert(draft.key).inserted else {
        throw Failure.usage("two items have the id \(draft.key)")
      }
      _ = try Session.checked(draft.item, draft.key)
    }
  }
}
