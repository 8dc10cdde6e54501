import SyncEngine
import SyncModel
import SystemPackage

/// The sides of the open conflicts, side by side for a person to see and edit (product.md §5).
struct ConflictFiles {
  private let root: Directory
  private let trash: Trash

  init(root: Directory, trash: Trash) {
    self.root = root
    self.trash = trash
  }

  /// Lays the sides of a conflict; they survive a power loss.
  ///
  /// Server and base replace those of a former conflict. A client's side that lies there stays, unless
  /// it says that the item was deleted which the client has. The current bytes of the item's file become
  /// the client's side where they mean the client's item.
  ///
  /// - Returns: Where in the trash that is which lay in the client's place and was no file.
  /// - Throws: ``WorkspaceError/file(place:_:)``.
  func write(
    _ conflict: Conflict, of key: ItemKey, current: [UInt8]?
  ) throws(WorkspaceError) -> String? {
    let place = "\(Layout.items)/\(key)"
    let means = current.flatMap { try? ItemFile.item(in: $0, as: key, place: place) }
    let copied = conflict.client != nil && means == conflict.client ? current : nil
    if conflict.client != nil, try client(of: key) == .absent { try remove(.client, of: key) }
    let displaced = try lay(
      copied ?? Self.text(of: conflict.client, key.id), .client, of: key, replacing: false)
    try lay(Self.text(of: conflict.server, key.id), .server, of: key, replacing: true)
    if let base = conflict.base {
      try lay(Self.text(of: base, key.id), .base, of: key, replacing: true)
    } else {
      try remove(.base, of: key)
    }
    return displaced
  }

  /// Returns what lies at the client's side: absent where the client deleted the item, and where
  /// there is no such file.
  ///
  /// - Throws: ``WorkspaceError/file(place:_:)``.
  func client(of key: ItemKey) throws(WorkspaceError) -> ClientState {
    guard let file = try existing(.client, of: key) else { return .absent }
    let reading = try file.read(limit: ItemFile.limit)
    if case .file(let bytes, _) = reading,
      let object = (try? JSON(parsing: bytes, limits: .item))?.object,
      object[SystemField.deleted.name]?.boolean == true
    {
      return .absent
    }
    return ItemFile.state(of: reading, as: key, place: file.place).state
  }

  /// Moves every file of a conflict to the trash; they stay there after a power loss.
  ///
  /// - Returns: Their places there.
  /// - Throws: ``WorkspaceError/file(place:_:)``.
  func remove(of key: ItemKey) throws(WorkspaceError) -> [ConflictSide: String] {
    var places: [ConflictSide: String] = [:]
    // Beside a document that was made anew may lie what an editor has saved late under the former name.
    let edited = try remove(.edit, of: key)
    for side in ConflictSide.allCases { places[side] = try remove(side, of: key) }
    if let edited { places[.edit] = edited }
    guard !places.isEmpty else { return [:] }
    try trash.directory(Layout.conflicts, key.table).synchronize()
    try root.child(Layout.conflicts).child(key.table.text.string).synchronize()
    return places
  }

  // MARK: Single files

  /// Returns the bytes of one file; `nil` where there is none.
  ///
  /// - Throws: ``WorkspaceError/file(place:_:)``.
  func bytes(_ side: ConflictSide, of key: ItemKey) throws(WorkspaceError) -> [UInt8]? {
    try bytes(named: name(of: side, key), of: key)
  }

  /// Returns the bytes of the file of a name; `nil` where there is none.
  ///
  /// - Throws: ``WorkspaceError/file(place:_:)``.
  func bytes(named name: String, of key: ItemKey) throws(WorkspaceError) -> [UInt8]? {
    guard let directory = try existingDirectory(of: key.table),
      case .file(let bytes, _) = try FileReading(name, in: directory, limit: 8 * ItemFile.limit)
    else { return nil }
    return bytes
  }

  /// Replaces one file, or makes it; its old bytes go to the trash.
  ///
  /// It survives a power loss. Without `replacing`, a file that lies there stays.
  ///
  /// - Returns: Where in the trash that is which lay there; `nil` where nothing was displaced.
  /// - Throws: ``WorkspaceError/file(place:_:)``.
  @discardableResult
  func lay(
    _ text: [UInt8], _ side: ConflictSide, of key: ItemKey, replacing: Bool
  ) throws(WorkspaceError) -> String? {
    let directory = try root.child(Layout.conflicts, creating: true)
      .child(key.table.text.string, creating: true)
    let file = file(try name(of: side, key), of: key, in: directory)
    var displaced: String?
    while true {
      var old: Digest?
      switch try file.read(limit: 8 * ItemFile.limit) {
      case .absent: break
      case .file(let bytes, _):
        if bytes == text || !replacing { return displaced }
        old = Digest(of: bytes)
      case .irregular, .tooLarge, .unreadable: displaced = try remove(side, of: key)
      }
      if case .replaced(let place) = try file.replace(with: text, expecting: old, durably: true) {
        return place ?? displaced
      }
    }
  }

  /// Lays the document that an editor opens, and its copy; an older one goes to the trash.
  ///
  /// Where there was one it gets a name of its own. The copy is laid last, and the older one's goes
  /// first: a document that was cut off in between is made anew.
  ///
  /// - Returns: The older one's place there; `nil` where there was none.
  /// - Throws: ``WorkspaceError/file(place:_:)``.
  func layEdit(_ text: [UInt8], of key: ItemKey) throws(WorkspaceError) -> String? {
    let older = try remove(.edit, of: key)
    let isFirst = try remove(.marked, of: key) == nil && older == nil
    let directory = try root.child(Layout.conflicts, creating: true)
      .child(key.table.text.string, creating: true)
    let file = file(
      try isFirst ? Layout.file(of: key, .edit) : Layout.remadeEdit(of: key, from: text),
      of: key, in: directory)
    while try file.replace(with: text, expecting: nil, durably: true) == .changedMeanwhile {
      _ = try take(file, .edit, of: key)
    }
    try lay(text, .marked, of: key, replacing: true)
    return older
  }

  /// Moves one file to the trash; a power loss may take that back.
  ///
  /// - Returns: Its place there; `nil` where there is none.
  /// - Throws: ``WorkspaceError/file(place:_:)``.
  @discardableResult
  private func remove(_ side: ConflictSide, of key: ItemKey) throws(WorkspaceError) -> String? {
    guard let file = try existing(side, of: key) else { return nil }
    return try take(file, side, of: key)
  }

  private func take(
    _ file: ReplacedFile, _ side: ConflictSide, of key: ItemKey
  ) throws(WorkspaceError) -> String? {
    let target = try trash.directory(Layout.conflicts, key.table)
    do throws(WorkspaceError) {
      return target.place(
        of: try trash.take(
          file.name, from: file.directory,
          named: "\(Layout.stem(of: key)).\(side.rawValue)", suffix: FileName.suffix.string,
          to: target))
    } catch {
      guard case .file(_, .noSuchFileOrDirectory) = error else { throw error }
      return nil
    }
  }

  /// Returns the name of one file, whether there is one or not.
  ///
  /// - Throws: ``WorkspaceError/file(place:_:)``.
  func name(of side: ConflictSide, _ key: ItemKey) throws(WorkspaceError) -> String {
    guard side == .edit, let marked = try bytes(.marked, of: key),
      let directory = try existingDirectory(of: key.table)
    else { return try Layout.file(of: key, side) }
    let remade = try Layout.remadeEdit(of: key, from: marked)
    if case .absent = try FileReading(remade, in: directory, limit: 0) {
      return try Layout.file(of: key, side)
    }
    return remade
  }

  private func existing(
    _ side: ConflictSide, of key: ItemKey
  ) throws(WorkspaceError) -> ReplacedFile? {
    guard let directory = try existingDirectory(of: key.table) else { return nil }
    return file(try name(of: side, key), of: key, in: directory)
  }

  private func existingDirectory(of table: TableName) throws(WorkspaceError) -> Directory? {
    try root.existingChild(Layout.conflicts)?.existingChild(table.text.string)
  }

  private func file(_ name: String, of key: ItemKey, in directory: Directory) -> ReplacedFile {
    ReplacedFile(
      kind: Layout.conflicts, table: key.table, directory: directory, name: name, trash: trash)
  }

  /// Whether a side's bytes say what it is to say, `nil` being that the item was deleted.
  static func isSide(_ bytes: [UInt8], of item: Item?, as key: ItemKey) -> Bool {
    if bytes == text(of: item, key.id) { return true }
    guard let item, let found = try? ItemFile.item(in: bytes, as: key, place: "") else {
      return false
    }
    return found == item
  }

  /// Returns the text of a side; of one that deleted the item, its id and that it is deleted.
  static func text(of item: Item?, _ id: ItemID) -> [UInt8] {
    if let item { return ItemFile.text(of: item, id: id) }
    let gone: JSON = [
      Item.idField: .string(id.text), SystemField.deleted.name: true,
    ]
    return gone.encoded(.indented()) + [0x0A]
  }
}
