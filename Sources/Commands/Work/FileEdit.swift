import SyncEngine
import SyncModel
import Workspace

/// The editing of one item: the editor gets a copy of its file.
///
/// It isn't the file itself, because an editor saves what it has read: what a pull, or another command,
/// had changed meanwhile would be undone.
struct FileEdit {
  private let key: ItemKey
  /// The file as it is copied, and what it means.
  private let original: [UInt8]
  private let opened: Result<Item, InvalidItem>
  /// What came back from the editor; `nil` where that is what it got, or nothing.
  private var saved: (text: EditedText, bytes: [UInt8], item: Item)?

  /// Reads the file.
  ///
  /// - Throws: ``Failure``, where there is none that can be edited.
  init(_ referent: Referent, _ open: OpenWorkspace) throws {
    guard let key = referent.key else { throw Failure(invalid: referent.stray, .usage) }
    guard let bytes = try open.workspace.text(of: key) else {
      _ = try open.item(key)
      throw Failure(.rejected, "another program keeps changing \(key)", hints: ["try again"])
    }
    self.key = key
    original = bytes
    let place = try open.place(of: key)
    opened = Result { () throws(InvalidItem) in
      try ItemFile.item(in: bytes, as: key, place: place)
    }
  }

  /// Opens the editor, and takes note of what came back.
  ///
  /// - Throws: ``Failure``: the editor failed, or a mistake was left.
  mutating func run(_ open: OpenWorkspace, in context: Context) throws {
    var text = try EditedText(original, named: "edit", open, in: context)
    let key = key
    let result = try text.result { bytes throws(JSONError) in
      (bytes: bytes, item: try Self.item(in: bytes, as: key))
    }
    saved = result.map { (text, $0.bytes, $0.item) }
    // A file that was no item, and was left so, is none yet.
    if saved == nil, case .failure(let invalid) = opened {
      guard case .invalid(let known) = try open.workspace.client(key) else {
        throw Failure(invalid: invalid, .rejected)
      }
      throw Failure(invalid: known, .rejected)
    }
  }

  private static func item(in bytes: [UInt8], as key: ItemKey) throws(JSONError) -> Item {
    do throws(InvalidItem) {
      guard bytes.count <= ItemFile.limit else {
        throw InvalidItem(place: "", message: "larger than \(ItemFile.limit >> 20) MiB")
      }
      return try ItemFile.item(in: bytes, as: key, place: "")
    } catch {
      var fault = JSONError(at: 0, of: bytes, error.message)
      if let line = error.line, let column = error.column {
        (fault.line, fault.column) = (line, column)
      }
      throw fault
    }
  }

  /// Takes over what came back: as it is where the file is still what was copied, else beside what has
  /// become of it.
  ///
  /// - Throws: ``Failure``, which says where the text is that wasn't taken.
  func finish(_ names: ItemNames, in context: Context) throws {
    guard let saved else { return context.output.tell([], names) }
    try saved.text.taking {
      let change = try context.writing { open in
        try take(saved.bytes, as: saved.item, to: &open, in: context)
      }
      context.output.tell(change.old == change.new ? [] : [change], names)
    }
  }

  private func take(
    _ bytes: [UInt8], as item: Item, to open: inout OpenWorkspace, in context: Context
  ) throws -> ItemChange {
    defer { try? open.workspace.settle() }
    let change: ItemChange
    let outcome = try open.workspace.write(
      text: bytes, to: key, expecting: Digest(of: original))
    if outcome != .changedMeanwhile {
      change = ItemChange(
        key: key, old: (try? opened.get()) ?? Item(JSONObject()), new: item)
    } else {
      guard case .success(let opened) = opened else {
        throw Failure(.rejected, "\(key) changed while you edited it")
      }
      switch try EditedItem(key: key, opened: opened, saved: item).take(to: &open) {
      case .left(let words): throw Failure(.rejected, words)
      case .taken(let taken, let staying):
        context.output.warn(of: staying, stayingIn: key)
        change = taken
      }
    }
    try open.workspace.settle()
    try open.note([(key, change.new)])
    return change
  }
}
