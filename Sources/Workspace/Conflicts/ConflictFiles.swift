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
  /// - Returns: The document's place there; `nil` where there was none.
  /// - Throws: ``WorkspaceError/file(place:_:)``.
  func remove(of key: ItemKey) throws(WorkspaceError) -> String? {
    var places: [ConflictSide: String] = [:]
    for side in ConflictSide.allCases { places[side] = try remove(side, of: key) }
    guard !places.isEmpty else { return nil }
    try trash.directory(Layout.conflicts, key.table).synchronize()
    try root.child(Layout.conflicts).child(key.table.text.string).synchronize()
    return places[.edit]
  }

  // MARK: Single files

  /// Returns the bytes of one file; `nil` where there is none.
  ///
  /// - Throws: ``WorkspaceError/file(place:_:)``.
  func bytes(_ side: ConflictSide, of key: ItemKey) throws(WorkspaceError) -> [UInt8]? {
    guard case .file(let bytes, _)? = try existing(side, of: key)?.read(limit: 8 * ItemFile.limit)
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
    let file = try file(side, of: key, in: directory)
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

  /// Moves one file to the trash; a power loss may take that back.
  ///
  /// - Returns: Its place there; `nil` where there is none.
  /// - Throws: ``WorkspaceError/file(place:_:)``.
  @discardableResult
  private func remove(_ side: ConflictSide, of key: ItemKey) throws(WorkspaceError) -> String? {
    try existing(side, of: key)?.discard()
  }

  private func existing(
    _ side: ConflictSide, of key: ItemKey
  ) throws(WorkspaceError) -> ReplacedFile? {
    guard
      let directory = try root.existingChild(Layout.conflicts)?.existingChild(key.table.text.string)
    else { return nil }
    return try file(side, of: key, in: directory)
  }

  private func file(
    _ side: ConflictSide, of key: ItemKey, in directory: Directory
  ) throws(WorkspaceError) -> ReplacedFile {
    ReplacedFile(
      kind: Layout.conflicts, table: key.table, directory: directory,
      name: try Layout.file(of: key, side), trash: trash)
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
