import SyncEngine
import SyncModel
import SystemPackage

/// The sides of the open conflicts, side by side for a person to see and edit.
struct ConflictFiles {
  private let root: Directory
  private let trash: Trash

  init(root: Directory, trash: Trash) {
    self.root = root
    self.trash = trash
  }

  /// Lays the sides of a conflict; they survive a power loss.
  ///
  /// Server and base replace those of a former conflict. The client's side of a former conflict stays,
  /// unless it says that the item was deleted and the client has it. Otherwise the bytes of the item's
  /// file become the client's side if they mean the client's item.
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
  /// - Returns: Their places there; `late` are those of the documents before the one that counts, which
  ///   editors have saved late.
  /// - Throws: ``WorkspaceError/file(place:_:)``.
  func remove(
    of key: ItemKey
  ) throws(WorkspaceError) -> (sides: [ConflictSide: String], late: [String]) {
    var late: [String] = []
    // Others are looked for beside a document only, so that a conflict that nobody opened costs no look at
    // all files. Its copy goes last: what a crash leaves is found again.
    if let name = try documentName(of: key) {
      for document in try documents(of: key) where document.name != name {
        if let place = try take(document, .edit, of: key) { late.append(place) }
      }
    }
    var sides: [ConflictSide: String] = [:]
    for side in ConflictSide.allCases { sides[side] = try remove(side, of: key) }
    guard !sides.isEmpty || !late.isEmpty else { return ([:], []) }
    try trash.directory(Layout.conflicts, key.table).synchronize()
    try root.child(Layout.conflicts).child(key.table.text.string).synchronize()
    return (sides, late)
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
  /// It survives a power loss. Without `replacing`, an existing file stays.
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
      let swap = try Swap(of: file, to: text, expecting: old, durably: true)
      if case .replaced(let old) = try swap.run() {
        try directory.synchronize()
        return old?.place ?? displaced
      }
    }
  }

  /// Returns the document that an editor opens for a conflict: as it was left where it began from a text,
  /// else laid with that; one that began from another goes to the trash.
  ///
  /// The copy says which document counts, so it is laid first.
  ///
  /// - Throws: ``WorkspaceError/file(place:_:)``.
  func document(from text: [UInt8], of key: ItemKey) throws(WorkspaceError) -> ConflictDocument {
    var displaced: String?
    if try bytes(.marked, of: key) != text {
      displaced = try remove(.edit, of: key)
      try lay(text, .marked, of: key, replacing: true)
    }
    let name = try Layout.document(of: key, from: text, within: root.nameLimit)
    if let left = try bytes(named: name, of: key), !MarkedDocument(left, of: key.id).isBlank {
      return ConflictDocument(key: key, name: name, text: left, displaced: displaced)
    }
    let emptied = try lay(text, .edit, of: key, replacing: true)
    return ConflictDocument(key: key, name: name, text: text, displaced: displaced ?? emptied)
  }

  /// Returns the documents of a conflict: the one that counts, and those that editors have saved late.
  ///
  /// - Throws: ``WorkspaceError/file(place:_:)``.
  func documents(of key: ItemKey) throws(WorkspaceError) -> [ReplacedFile] {
    guard let directory = try existingDirectory(of: key.table) else { return [] }
    return try directory.names().sorted().compactMap { name in
      guard let read = ConflictSide.read(name), read.id == key.id, read.side == .edit else {
        return nil
      }
      return file(name, of: key, in: directory)
    }
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
    try file.discard(named: "\(Layout.stem(of: key)).\(side.rawValue)")
  }

  /// Returns the name of one file, whether there is one or not.
  ///
  /// - Throws: ``WorkspaceError/file(place:_:)``.
  func name(of side: ConflictSide, _ key: ItemKey) throws(WorkspaceError) -> String {
    if side == .edit, let name = try documentName(of: key) { return name }
    return try Layout.file(of: key, side)
  }

  /// Returns the name of the document that counts; `nil` where none was made.
  ///
  /// - Throws: ``WorkspaceError/file(place:_:)``.
  func documentName(of key: ItemKey) throws(WorkspaceError) -> String? {
    guard let marked = try bytes(.marked, of: key) else { return nil }
    return try Layout.document(of: key, from: marked, within: root.nameLimit)
  }

  /// Returns the place of the file of a name.
  ///
  /// - Throws: ``WorkspaceError/file(place:_:)``.
  func place(ofFile name: String, of key: ItemKey) throws(WorkspaceError) -> String? {
    try existingDirectory(of: key.table)?.place(of: name)
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
