import SyncEngine
import SyncModel
import Workspace

/// The editing of several items in one text: an object for each, their ids first.
struct ItemEdits {
  /// An item as it was handed to the editor.
  private struct Original {
    let key: ItemKey
    let item: Item
  }

  private let originals: [Original]
  private let byID: [ItemID: Original]
  /// What came back from the editor; `nil` where that is what it got, or nothing.
  private var text: EditedText?
  private var edited: [(original: Original, item: Item)] = []

  /// Reads the items.
  ///
  /// - Throws: ``Failure``, where one of them has no file, isn't valid, or has another's id.
  init(_ referents: [Referent], _ open: OpenWorkspace) throws {
    originals = try referents.map { referent in
      guard let key = referent.key else { throw Failure(invalid: referent.stray, .usage) }
      return Original(key: key, item: try open.item(key).item)
    }
    var byID: [ItemID: Original] = [:]
    for original in originals {
      if let other = byID.updateValue(original, forKey: original.key.id) {
        throw Failure.usage(
          "\(other.key) and \(original.key) have the same id",
          hints: ["edit one table at a time: -t TABLE"])
      }
    }
    self.byID = byID
  }

  /// Opens the editor, and takes note of what came back.
  ///
  /// - Throws: ``Failure``, where a mistake was left.
  mutating func run(_ open: OpenWorkspace, in context: Context) throws {
    let objects = originals.map { JSON.object($0.item.object(id: $0.key.id)) }
    let bytes = JSON.array(objects).encoded(.indented()) + [0x0A]
    var text = try EditedText(bytes, named: "edit", open, in: context)
    let result = try text.result(read)
    if result != nil { self.text = text }
    edited = (result ?? []).filter { $0.item != $0.original.item }
  }

  private func read(_ bytes: [UInt8]) throws(JSONError) -> [(original: Original, item: Item)] {
    let json = try JSON(parsing: bytes)
    var seen: Set<ItemID> = []
    var items: [(original: Original, item: Item)] = []
    for element in json.elements ?? [json] {
      guard let object = element.object else {
        throw JSONError(at: 0, of: bytes, "expected an object for each item")
      }
      if let name = object.duplicate {
        throw error("'\(name)' appears twice in the object", of: object, in: bytes)
      }
      guard let text = object[Item.idField]?.text else {
        throw JSONError(at: 0, of: bytes, "an object without an id")
      }
      guard let id = try? ItemID(text), let original = byID[id]
      else { throw error("no item with this id was opened", of: object, in: bytes) }
      guard seen.insert(id).inserted else {
        throw error("the id appears twice", of: object, in: bytes)
      }
      let item = Item(object)
      do {
        _ = try OpenWorkspace.checked(item, original.key)
      } catch {
        throw self.error(Failure(error).message ?? "", of: object, in: bytes)
      }
      items.append((original, item))
    }
    return items
  }

  /// Returns an error at the place where an object's id stands.
  private func error(_ message: String, of object: JSONObject, in bytes: [UInt8]) -> JSONError {
    var id: [UInt8] = []
    (object[Item.idField]?.text ?? "").writeQuoted(into: &id)
    let last = bytes.count - id.count
    let place = last < 0 ? nil : (0...last).last { bytes[$0...].starts(with: id) }
    return JSONError(at: place ?? 0, of: bytes, message)
  }

  /// Takes over what came back, beside what else has changed the items meanwhile; the object of one that
  /// stays as that has left it is kept in the trash.
  ///
  /// - Throws: ``Failure``, which says where the text is that wasn't taken.
  func finish(_ names: ItemNames, in context: Context) throws {
    guard let text else { return context.output.tell([], names) }
    try text.taking {
      let changes = try context.writing { open in try write(to: &open, in: context) }
      context.output.tell(changes.filter { $0.old != $0.new }, names)
    }
  }

  private func write(
    to open: inout OpenWorkspace, in context: Context
  ) throws -> [ItemChange] {
    var changes: [ItemChange] = []
    defer { try? open.workspace.settle() }
    for (original, item) in edited {
      try context.checkSignal()
      let edited = EditedItem(key: original.key, opened: original.item, saved: item)
      switch try edited.take(to: &open) {
      case .taken(let change, let staying):
        context.output.warn(of: staying, stayingIn: original.key)
        changes.append(change)
      case .left(let words):
        let path = try open.workspace.lay(
          ItemFile.text(of: item, id: original.key.id), named: "edit")
        context.output.warn("\(words); your text is in \(open.place(ofPath: path))")
        context.output.end(with: .rejected)
      }
    }
    try open.workspace.settle()
    try open.note(changes.map { ($0.key, $0.new) })
    return changes
  }
}
