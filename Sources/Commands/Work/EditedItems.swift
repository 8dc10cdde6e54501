import SyncEngine
import SyncModel
import Workspace

/// The items that the editor opens, in one text: the texts of their files, one after another, with
/// blocks for texts of several lines.
///
/// In the items' own files, the editor's save would undo the changes of a pull in between.
struct EditedItems {
  private static let lineEnd = [UInt8(ascii: "\n")]

  private let originals: [OpenedItem]
  /// The fault of the only file.
  private(set) var invalid: InvalidItem?

  /// Reads the files; if there are several, each must be valid, and its text gets its item's id.
  init(_ keys: [ItemKey], _ session: Session) throws {
    if keys.count == 1, case .invalid(let invalid) = try session.workspace.client(keys[0]),
      let text = try session.workspace.text(of: keys[0])
    {
      self.invalid = invalid
      originals = [OpenedItem(key: keys[0], text: text, item: nil)]
      return
    }
    var seen: [ItemID: ItemKey] = [:]
    originals = try keys.map { key in
      if let other = seen.updateValue(key, forKey: key.id) {
        throw Problem.usage(
          "\(other) and \(key) have the same id", hints: ["edit one table at a time: -t TABLE"])
      }
      var (text, item) = try session.file(key)
      if keys.count > 1, try Draft(parsing: text).id == nil {
        text = ItemFile.text(of: item, id: key.id)
      }
      return OpenedItem(key: key, text: text, item: item)
    }
  }

  /// The text for the editor.
  var text: [UInt8] {
    let texts = originals.map { $0.item == nil ? $0.text : TextBlock.blocks(in: $0.text) }
    if texts.count == 1 { return texts[0] }
    return texts.flatMap { $0 + ($0.last == Self.lineEnd[0] ? [] : Self.lineEnd) }
  }

  /// Finds the new texts of the items; an item without one stays as it is.
  func edits(in document: [UInt8]) throws(JSONError) -> [ItemEdit] {
    let text = try TextBlock.strings(in: document)
    if originals.count == 1 { return [try edit(text, of: document)] }
    var seen: Set<ItemKey> = []
    return try ObjectText.all(in: text).map { object throws(JSONError) in
      try object.parsed { text throws(JSONError) in
        let edit = try edit(text + Self.lineEnd, of: text)
        guard seen.insert(edit.original.key).inserted else {
          throw Self.fault(text, "the id \(edit.original.key.id) appears twice")
        }
        return edit
      }
    }
  }

  private func edit(_ text: [UInt8], of document: [UInt8]) throws(JSONError) -> ItemEdit {
    let draft = try Draft(parsing: text)
    guard let id = draft.id ?? (originals.count == 1 ? originals[0].key.id : nil) else {
      throw Self.fault(text, "expected an object with an id")
    }
    guard let original = originals.first(where: { $0.key.id == id }) else {
      let key = originals[0].key
      let message =
        originals.count == 1
        ? "the id is '\(id)', but the file name says '\(key.id)'"
        : "no item with the id \(id) was opened"
      throw try JSONEdit(text, limits: .item).error(at: Item.idField, message)
    }
    let file = try original.rewritten(as: draft.item, document)
    guard file.count <= ItemFile.limit else {
      throw Self.fault(text, "larger than \(ItemFile.limit >> 20) MiB")
    }
    return ItemEdit(original: original, text: file, item: draft.item)
  }

  /// Returns an error at the place of the object.
  private static func fault(_ text: [UInt8], _ message: String) -> JSONError {
    JSONError(at: text.prefix { $0 <= 0x20 }.count, of: text, message)
  }
}
