import SyncEngine
import SyncModel
import Workspace

/// The edit of items: the editor opens one file with copies of all of them.
///
/// In the items' own files, the editor's save would undo the changes of a pull in between.
struct EditedItems {
  /// The copy of a file, and its item.
  private struct Original {
    let key: ItemKey
    let bytes: [UInt8]
    let opened: Result<Item, InvalidItem>
  }

  private typealias Saved = (original: Original, bytes: [UInt8], item: Item)

  private let originals: [Original]
  private var text: EditedText?
  private var saved: [Saved] = []

  /// Reads the files; if there are several, each text gets its item's id.
  init(_ targets: [Target], _ session: Session) throws {
    let isOne = targets.count == 1
    // Fails as other commands do for such a file.
    func refuse(_ key: ItemKey) throws -> Never {
      _ = try session.item(key)
      throw Failure(.rejected, "another program keeps changing \(key)", hints: ["try again"])
    }
    originals = try targets.map { target in
      guard let key = target.key else { throw Failure(invalid: target.misnamedFile, .usage) }
      guard let bytes = try session.workspace.text(of: key) else { try refuse(key) }
      let place = try session.place(of: key)
      let opened = Result { () throws(InvalidItem) in
        try ItemFile.item(in: bytes, as: key, place: place)
      }
      if isOne { return Original(key: key, bytes: bytes, opened: opened) }
      guard case .success(let item) = opened else { try refuse(key) }
      let hasID = (try? JSON(parsing: bytes))?.object?[Item.idField] != nil
      return Original(
        key: key, bytes: hasID ? bytes : ItemFile.text(of: item, id: key.id), opened: opened)
    }
    if let (key, other) = Self.twins(originals.map(\.key)) {
      throw Failure.usage(
        "\(key) and \(other) have the same id", hints: ["edit one table at a time: -t TABLE"])
    }
  }

  private static func twins(_ keys: [ItemKey]) -> (ItemKey, ItemKey)? {
    var seen: [ItemID: ItemKey] = [:]
    for key in keys {
      if let other = seen.updateValue(key, forKey: key.id) { return (other, key) }
    }
    return nil
  }

  // MARK: The editor

  /// Opens the editor, and keeps the texts that it saved.
  mutating func run(_ session: Session) throws {
    let bytes = originals.flatMap { original in
      let isWhole = originals.count == 1 || original.bytes.last == UInt8(ascii: "\n")
      return original.bytes + (isWhole ? [] : [UInt8(ascii: "\n")])
    }
    var text = try EditedText(bytes, for: .edit, session)
    if let result = try text.result(items) {
      (self.text, saved) = (text, result)
    } else if case .failure(let invalid) = originals[0].opened {
      // An invalid file that was left unchanged is still invalid.
      guard case .invalid(let known) = try session.workspace.client(originals[0].key) else {
        throw Failure(invalid: invalid, .rejected)
      }
      throw Failure(invalid: known, .rejected)
    }
  }

  private func items(in bytes: [UInt8]) throws(JSONError) -> [Saved] {
    if originals.count == 1 {
      return [(originals[0], bytes, try Self.item(in: bytes[...], of: bytes, originals[0].key))]
    }
    var items: [Saved] = []
    for part in Self.objects(in: bytes) {
      let original = try original(of: part, in: bytes)
      guard items.allSatisfy({ $0.original.key != original.key }) else {
        throw JSONError(at: part.startIndex, of: bytes, "the id \(original.key.id) appears twice")
      }
      let item = try Self.item(in: part, of: bytes, original.key)
      items.append((original, Array(part) + [UInt8(ascii: "\n")], item))
    }
    return items
  }

  /// Splits a text into its objects, and the rest behind the last one.
  private static func objects(in bytes: [UInt8]) -> [ArraySlice<UInt8>] {
    var parts: [ArraySlice<UInt8>] = []
    var (start, depth, isText, isEscaped) = (0, 0, false, false)
    for (index, byte) in bytes.enumerated() {
      switch byte {
      case _ where isEscaped: isEscaped = false
      case UInt8(ascii: "\\") where isText: isEscaped = true
      case UInt8(ascii: "\""): isText.toggle()
      case UInt8(ascii: "{") where !isText: depth += 1
      case UInt8(ascii: "}") where !isText:
        depth -= 1
        guard depth == 0 else { continue }
        parts.append(bytes[start...index].drop { $0 <= 0x20 })
        start = index + 1
      default: break
      }
    }
    let rest = bytes[start...].drop { $0 <= 0x20 }
    return parts + (rest.isEmpty ? [] : [rest])
  }

  /// Returns the original with the object's id.
  private func original(
    of part: ArraySlice<UInt8>, in bytes: [UInt8]
  ) throws(JSONError) -> Original {
    let json: JSON
    do throws(JSONError) {
      json = try JSON(parsing: part)
    } catch {
      throw Self.placed(error.message, error.line, error.column, in: part, of: bytes)
    }
    guard let id = json.object?[Item.idField]?.text else {
      throw JSONError(at: part.startIndex, of: bytes, "expected an object with an id")
    }
    guard let original = originals.first(where: { $0.key.id.text == id }) else {
      throw JSONError(at: part.startIndex, of: bytes, "no item with the id \(id) was opened")
    }
    return original
  }

  private static func item(
    in part: ArraySlice<UInt8>, of bytes: [UInt8], _ key: ItemKey
  ) throws(JSONError) -> Item {
    do throws(InvalidItem) {
      guard part.count <= ItemFile.limit else {
        throw InvalidItem(place: "", message: "larger than \(ItemFile.limit >> 20) MiB")
      }
      return try ItemFile.item(in: Array(part), as: key, place: "")
    } catch {
      throw placed(error.message, error.line ?? 1, error.column ?? 1, in: part, of: bytes)
    }
  }

  /// Returns an error with its place in the whole text.
  private static func placed(
    _ message: String, _ line: Int, _ column: Int, in part: ArraySlice<UInt8>, of bytes: [UInt8]
  ) -> JSONError {
    var fault = JSONError(at: part.startIndex, of: bytes, message)
    fault.column = line == 1 ? fault.column + column - 1 : column
    fault.line += line - 1
    return fault
  }

  // MARK: Applying

  /// Writes the edited texts, or merges them if a file has changed since the copy.
  ///
  /// A text that can't be merged is kept in the trash.
  func finish(_ names: ItemNames, in context: Context) throws {
    guard let text else { return context.output.show([], names) }
    try text.saving {
      let changes = try context.open(for: .writing) { session in try take(to: &session)
      }
      context.output.show(changes.filter { $0.old != $0.new }, names)
    }
  }

  private func take(to session: inout Session) throws -> [ItemChange] {
    let context = session.context
    var changes: [ItemChange] = []
    defer { try? session.workspace.settle() }
    for saved in saved where saved.bytes != saved.original.bytes {
      try context.checkSignal()
      switch try take(saved, to: &session) {
      case .taken(let change, let staying):
        context.output.warn(of: staying, stayingIn: change.key)
        changes.append(change)
      case .left(let words):
        let path = try session.workspace.lay(saved.bytes, for: .edit)
        context.output.warn("\(words); your text is in \(session.place(ofPath: path))")
        context.output.end(with: .rejected)
      }
    }
    try session.workspace.settle()
    try session.note(changes.map { ($0.key, $0.new) })
    return changes
  }

  private func take(
    _ saved: Saved, to session: inout Session
  ) throws -> EditedItem.Outcome {
    let (original, key) = (saved.original, saved.original.key)
    let outcome = try session.workspace.write(
      text: saved.bytes, to: key, expecting: Digest(of: original.bytes))
    if outcome != .changedMeanwhile {
      let old = (try? original.opened.get()) ?? Item(JSONObject())
      return .taken(ItemChange(key: key, old: old, new: saved.item), staying: [])
    }
    guard case .success(let opened) = original.opened else {
      return .left("\(key) changed while you edited it")
    }
    return try EditedItem(key: key, opened: opened, saved: saved.item).take(to: &session)
  }
}
