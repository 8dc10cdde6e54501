import Glibc
package import SyncEngine
package import SyncModel
import SystemPackage

// The bytes behind the items, for commands that show them, move them, or do away with what is none.
extension Workspace {
  /// Returns the bytes of an item's file, whatever they mean; `nil` where there is no regular file
  /// of a size that an item may have.
  ///
  /// - Throws: ``WorkspaceError/file(place:_:)``.
  package func text(of key: ItemKey) throws(WorkspaceError) -> [UInt8]? {
    try text(named: Layout.file(of: key), in: key.table)
  }

  /// Returns the bytes of a file among a table's items, whatever its name.
  ///
  /// - Throws: ``WorkspaceError/file(place:_:)``.
  package func text(named name: String, in table: TableName) throws(WorkspaceError) -> [UInt8]? {
    guard let directory = try itemDirectory(of: table),
      case .file(let bytes, _) = try FileReading(name, in: directory, limit: ItemFile.limit)
    else { return nil }
    return bytes
  }

  /// Moves something that lies among a table's items, and isn't one, to the trash, if it still is what
  /// the caller has seen.
  ///
  /// What bears the name of no id never is an item, whatever is in it.
  ///
  /// - Parameters:
  ///   - seen: What the caller has seen.
  ///   - key: Which item would lie there; `nil` where the name is of none.
  ///   - table: The table.
  /// - Returns: Whether it is gone; false if the file is another one by now.
  /// - Throws: ``WorkspaceError/file(place:_:)``.
  package mutating func discard(
    _ seen: InvalidItem, of key: ItemKey?, in table: TableName
  ) throws -> Bool {
    requireLock()
    guard let directory = try itemDirectory(of: table) else {
      throw WorkspaceError.missing(place: "\(Layout.items)/\(table)")
    }
    let name = seen.fileName
    let bytes = try text(named: name, in: table)
    if let key {
      switch try client(key) {
      case .absent: return true
      case .item: return false
      case .invalid(let invalid): guard invalid.isFault(of: seen) else { return false }
      }
    }
    let file = ReplacedFile(
      kind: Layout.items, table: table, directory: directory, name: name, trash: trash)
    guard let place = try file.discard() else { return true }
    if let key { try record(key, from: bytes, to: nil, place: place) }
    try directory.synchronize()
    return true
  }

  /// Returns the newest copy of an item in the trash that can be read as one; `nil` where there is
  /// none.
  ///
  /// - Throws: ``WorkspaceError/file(place:_:)``.
  package func displaced(
    _ key: ItemKey, newestOnly: Bool = false
  ) throws(WorkspaceError) -> Item? {
    try displaced(in: key.table, key, newestOnly: newestOnly) { _ in true }[key]
  }

  /// Returns the newest copies in the trash that can be read as items, of the items of a table that are
  /// wanted, by table and id.
  ///
  /// With `newestOnly`, an item whose newest copy can't be read has none.
  ///
  /// - Throws: ``WorkspaceError/file(place:_:)``.
  package func displaced(
    in table: TableName, _ named: ItemKey? = nil, newestOnly: Bool = false,
    where isWanted: (ItemKey) -> Bool
  ) throws(WorkspaceError) -> [ItemKey: Item] {
    let items = try trash.directory.existingChild(Layout.items)
    guard let directory = try items?.existingChild(table.text.string) else { return [:] }
    let stem = try named.map(Layout.stem)
    var found: [ItemKey: Item] = [:]
    var met: Set<ItemKey> = []
    for (stem, name) in try newestFirst(stem, in: directory) {
      // A long id can't be read from its name in the trash.
      guard let id = named?.id ?? (try? FileName.id(of: Text(stem))) else { continue }
      let key = ItemKey(table, id)
      guard met.insert(key).inserted || !newestOnly, found[key] == nil, isWanted(key),
        case .file(let bytes, _) = try FileReading(name, in: directory, limit: ItemFile.limit)
      else { continue }
      found[key] = try? ItemFile.item(in: bytes, as: key, place: directory.place(of: name))
    }
    return found
  }

  /// Returns the place of the newest copy of a conflict's file in the trash; `nil` where there is none.
  ///
  /// - Throws: ``WorkspaceError/file(place:_:)``.
  func displaced(
    _ side: ConflictSide, of key: ItemKey
  ) throws(WorkspaceError) -> String? {
    let stem = "\(try Layout.stem(of: key)).\(side.rawValue)"
    guard
      let directory = try trash.directory.existingChild(Layout.conflicts)?
        .existingChild(key.table.text.string)
    else { return nil }
    return try newestFirst(stem, in: directory).first.map { directory.place(of: $0.name) }
  }

  /// Returns the names in the trash of what was displaced, from one place or from all, with what each
  /// begins with, and its time.
  ///
  /// What has a time after tomorrow was named while the clock was wrong: it is the last.
  private func newestFirst(
    _ stem: String? = nil, in directory: Directory
  ) throws(WorkspaceError) -> [(stem: String, name: String)] {
    let start = stem.map { Trash.fitting($0, FileName.suffix.string, in: directory) }
    let names = try directory.names().compactMap {
      name -> (stem: String, name: String, time: String, number: Int)? in
      let parts = name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
      guard parts.count > 3, let time = Trash.time(in: String(Substring(parts[parts.count - 3]))),
        let number = Int(String(Substring(parts[parts.count - 2])))
      else { return nil }
      let stem = String(name[..<name.utf8.index(before: parts[parts.count - 3].startIndex)])
      guard start.map({ $0.utf8.elementsEqual(stem.utf8) }) ?? true else { return nil }
      return (stem, name, time, number)
    }
    // Times of one width are ordered as texts are; within a second the number tells.
    let tomorrow = Trash.text(ofSecond: trash.second + 86_400)
    func known(_ time: String) -> String { time > tomorrow ? "" : time }
    return names.sorted {
      (known($0.time), $0.time, $0.number) > (known($1.time), $1.time, $1.number)
    }
    .map { ($0.stem, $0.name) }
  }

  /// Which command a text in an editor belongs to: the beginning of its name in the trash.
  package enum EditorText: String, CaseIterable, Sendable {
    case edit, new
  }

  /// Whether a name in the trash is that of a text in an editor.
  static func isEditorText(_ name: String) -> Bool {
    EditorText.allCases.contains { name.utf8.starts(with: "\($0.rawValue).".utf8) }
  }

  /// Puts a text into the trash, where an editor can open it and where it stays if it is left.
  ///
  /// No lock is needed.
  ///
  /// - Returns: Its absolute path.
  /// - Throws: ``WorkspaceError/file(place:_:)``.
  package func lay(_ text: [UInt8], for command: EditorText) throws(WorkspaceError) -> String {
    let trash = Trash(try root.child(Layout.trash, creating: true), clock: clock)
    let place = try trash.keep(text, named: command.rawValue, suffix: FileName.suffix.string)
    return "\(path)/\(Layout.directory)/\(place)"
  }
}

extension InvalidItem {
  /// Whether it is the same fault at the same place of a text.
  fileprivate func isFault(of other: InvalidItem) -> Bool {
    (line, column, message, otherID) == (other.line, other.column, other.message, other.otherID)
  }
}
