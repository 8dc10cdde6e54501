package import SyncEngine
package import SyncModel

// What commands need of a workspace beside the engine's disk.
extension Workspace {
  // MARK: Settings and state

  /// Where the settings lie, as the doctor says it.
  package static let settingsPlace = Layout.settings

  /// The workspace's settings; they may be read and changed without the lock.
  ///
  /// - Throws: ``WorkspaceError``.
  package func settings() throws(WorkspaceError) -> SettingsFile {
    let file = PrivateFile(directory: root, name: Layout.settings)
    return SettingsFile(
      place: "\(Layout.directory)/\(Layout.settings)", text: try file.read(limit: 1 << 20))
  }

  /// Replaces the workspace's settings.
  ///
  /// - Throws: ``WorkspaceError/file(place:_:)``.
  package func write(_ settings: SettingsFile) throws(WorkspaceError) {
    try? Leftovers.removePrivate(in: root)
    try PrivateFile(directory: root, name: Layout.settings).write(settings.text)
  }

  /// What the workspace knows of its server.
  ///
  /// - Throws: ``WorkspaceError``.
  package func state() throws(WorkspaceError) -> WorkspaceState { try Self.readState(in: root) }

  /// Replaces what the workspace knows of its server; it survives a power loss.
  ///
  /// - Throws: ``WorkspaceError/file(place:_:)``.
  package func write(_ state: WorkspaceState) throws(WorkspaceError) {
    requireLock()
    try PrivateFile(directory: root, name: Layout.state).write(state.text)
  }

  // MARK: Tables

  /// Returns the names of the directories under `items`: those that can be tables, in their order,
  /// and those that can't.
  ///
  /// - Throws: ``WorkspaceError/missing(place:)`` where there is no `items`.
  package func directories() throws(WorkspaceError) -> (tables: [TableName], others: [String]) {
    guard let items = try root.existingChild(Layout.items) else {
      throw .missing(place: Layout.items)
    }
    var tables: [TableName] = []
    var others: [String] = []
    for name in try items.names() where name.utf8.first != UInt8(ascii: ".") {
      if let table = try? TableName(Text(name)) {
        tables.append(table)
      } else {
        others.append(name)
      }
    }
    return (tables.sorted(), others.sorted())
  }

  /// Checks that a table's items lie in a directory, where anything is in its place.
  ///
  /// - Throws: ``WorkspaceError/damaged(place:line:fact:)``.
  package func checkDirectory(of table: TableName) throws(WorkspaceError) {
    _ = try itemDirectory(of: table)
  }

  // MARK: Paths

  /// Whether the names of all files that an item may need are short enough here.
  package func fits(_ key: ItemKey) -> Bool {
    guard root.nameLimit < Layout.nameLimit, let name = FileName.of(key.id) else { return true }
    return name.bytes.count + ".server.json".utf8.count <= root.nameLimit
  }

  /// Returns the path of an item's file, whether there is one or not.
  ///
  /// - Throws: ``WorkspaceError/file(place:_:)`` where the id is too long for a file's name.
  package func path(of key: ItemKey) throws(WorkspaceError) -> String {
    "\(path)/\(Layout.directory)/\(Layout.items)/\(key.table)/\(try Layout.file(of: key))"
  }

  /// Returns the path of a conflict's file, whether there is one or not.
  ///
  /// - Throws: ``WorkspaceError/file(place:_:)``, also where the id is too long for a file's name.
  package func path(
    of key: ItemKey, _ side: ConflictSide
  ) throws(WorkspaceError) -> String {
    let name = try Layout.file(of: key, side)
    return "\(path)/\(Layout.directory)/\(Layout.conflicts)/\(key.table)/\(name)"
  }

  // MARK: Conflicts

  /// Returns the bytes of a conflict's file; `nil` where there is none.
  ///
  /// - Throws: ``WorkspaceError/file(place:_:)``.
  package func conflictText(
    of key: ItemKey, _ side: ConflictSide
  ) throws(WorkspaceError) -> [UInt8]? {
    try conflicts.bytes(side, of: key)
  }

  /// Makes the document of a conflict, unless there is one of the same versions that isn't blank.
  ///
  /// - Returns: Where in the trash that is which was there; `nil` where nothing was displaced.
  /// - Throws: ``WorkspaceError/file(place:_:)``.
  package func prepare(
    _ document: MarkedDocument, of key: ItemKey
  ) throws(WorkspaceError) -> String? {
    requireLock()
    let left = try conflicts.bytes(.edit, of: key).map { MarkedDocument($0, of: key.id) }
    if let left, left.versions == document.versions, !left.isBlank { return nil }
    return try conflicts.lay(document.text, .edit, of: key, replacing: true)
  }

  /// Returns the place of the document of a conflict, open or over: where there is none any more, of the
  /// newest in the trash.
  ///
  /// - Throws: ``WorkspaceError/file(place:_:)``.
  package func documentPlace(of key: ItemKey) throws(WorkspaceError) -> String? {
    guard try conflicts.bytes(.edit, of: key) == nil else {
      return "\(Layout.conflicts)/\(key.table)/\(try Layout.file(of: key, .edit))"
    }
    return try displaced(.edit, of: key)
  }

  // MARK: Other files

  /// Keeps a row that can't be an item.
  ///
  /// - Returns: The place of the file.
  /// - Throws: ``WorkspaceError/file(place:_:)``.
  package func quarantine(_ row: RefusedRow, of table: TableName) throws(WorkspaceError) -> String {
    requireLock()
    return try Quarantine(root: root).keep(row, of: table)
  }

  /// Returns how many rows of a table are kept that can't be items, and the path of their directory
  /// below the workspace's.
  ///
  /// - Throws: ``WorkspaceError/file(place:_:)``.
  package func quarantined(
    in table: TableName
  ) throws(WorkspaceError) -> (count: Int, path: String) {
    let path = "\(Layout.directory)/\(Layout.quarantine)/\(table)"
    return (try Quarantine(root: root).count(of: table), path)
  }
}
