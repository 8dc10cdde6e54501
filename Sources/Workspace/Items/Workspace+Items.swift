import CLinux
import Glibc
package import SyncEngine
package import SyncModel
import SystemPackage

// The items and the sides of conflicts; `candidates(in:)` stands in Workspace+Rows.swift.
extension Workspace: ItemDisk {
  package func client(_ key: ItemKey) throws -> ClientState {
    guard let directory = try itemDirectory(of: key.table) else { return .absent }
    let file = try Layout.file(of: key)
    if let known = rows.client(key, in: directory, file) { return known }
    let (state, status) = try ItemFile.read(file, in: directory, as: key)
    guard case .invalid(var invalid) = state, let status else { return state }
    invalid = try invalid.advised(as: key, in: directory, rows.log(of: key.table))
    invalid.torn = try torn(key, in: directory, since: FileStamp(status).modified)
    return .invalid(invalid)
  }

  package mutating func write(
    _ item: Item?, to key: ItemKey, expecting expected: Digest?
  ) throws -> WriteOutcome {
    requireLock()
    let file = try itemFile(of: key)
    let status = try file.directory.status()
    let outcome = try file.writing { () throws(WorkspaceError) in
      try replace(file, key, with: item, expecting: expected)
    }
    if case .replaced = outcome { rows.changed(key.table, file.directory, from: status) }
    return outcome
  }

  private mutating func replace(
    _ file: ReplacedFile, _ key: ItemKey, with item: Item?, expecting expected: Digest?
  ) throws(WorkspaceError) -> WriteOutcome {
    guard let item else { return try remove(file, key, expecting: expected) }
    guard let expected else {
      let text = ItemFile.text(of: item, id: key.id)
      let outcome = try file.replace(with: text, expecting: nil)
      return try note(outcome, of: file, key, to: item, text, from: nil)
    }
    guard case .file(let bytes, let status) = try file.read(limit: ItemFile.limit),
      Digest(of: bytes) == expected
    else { return .changedMeanwhile }
    let text = ItemFile.rewritten(bytes, as: item, id: key.id)
    if text == bytes { return .replaced(expected) }
    let outcome = try file.replace(with: text, expecting: expected, mode: status.st_mode)
    return try note(outcome, of: file, key, to: item, text, from: bytes)
  }

  private mutating func remove(
    _ file: ReplacedFile, _ key: ItemKey, expecting expected: Digest?
  ) throws(WorkspaceError) -> WriteOutcome {
    guard let expected else {
      guard case .absent = try file.read(limit: 0) else { return .changedMeanwhile }
      return .replaced(nil)
    }
    guard case .file(let bytes, _) = try file.read(limit: ItemFile.limit) else {
      return .changedMeanwhile
    }
    let outcome = try file.remove(expecting: expected)
    return try note(outcome, of: file, key, to: nil, [], from: bytes)
  }

  private mutating func note(
    _ outcome: ReplacedFile.Outcome, of file: ReplacedFile, _ key: ItemKey, to item: Item?,
    _ text: [UInt8], from old: [UInt8]?
  ) throws(WorkspaceError) -> WriteOutcome {
    guard case .replaced(let place) = outcome else { return .changedMeanwhile }
    unsettle(file.directory)
    guard let item else {
      try record(key, from: old, to: nil, place: place)
      return .replaced(nil)
    }
    let digest = Digest(of: text)
    let isRow = rows.wrote(key, item: item, digest: digest)
    try record(key, from: old, to: text, of: item, place: place, isRow: isRow)
    return .replaced(digest)
  }

  package mutating func keep(_ item: Item, of key: ItemKey) throws {
    requireLock()
    _ = try trash.keep(
      ItemFile.text(of: item, id: key.id), named: Layout.stem(of: key),
      suffix: FileName.suffix.string, in: trash.directory(Layout.items, key.table))
  }

  /// Makes the items survive a power loss: with `afresh` all, whoever wrote them, what a killed
  /// process or an editor left in memory too, since a base may speak of it from now on; without it
  /// what was written here since the last time, and the first time all.
  ///
  /// Where it failed it fails from then on, because the system tells only once of what it lost.
  package mutating func settle(afresh: Bool) throws {
    guard afresh || settling != .done else { return }
    guard settling != .failed else { throw WorkspaceError.file(place: ".", .ioError) }
    settling = .failed
    let descriptor = root.descriptor.rawValue
    try WorkspaceError.checking(".") { tsync_syncfs(descriptor) }
    for directory in unsettled { try directory.synchronize() }
    (unsettled, settling) = ([], .done)
  }

  // MARK: Conflicts

  package mutating func writeConflict(_ conflict: Conflict, of key: ItemKey) throws {
    requireLock()
    var current: [UInt8]?
    if let directory = try itemDirectory(of: key.table),
      case .file(let bytes, _) = try FileReading(
        Layout.file(of: key), in: directory, limit: ItemFile.limit)
    {
      current = bytes
    }
    if let place = try conflicts.write(conflict, of: key, current: current) {
      laterNotices.append(
        "the file that was in the place of a conflict file of \(key) is now \(place)")
    }
  }

  package mutating func removeConflict(of key: ItemKey) throws {
    requireLock()
    let isEmpty = try conflicts.bytes(.edit, of: key) == []
    var (sides, texts) = try conflicts.remove(of: key)
    // Who resolves a conflict has decided on that text, too.
    if journal.resolutions[key] == nil, !isEmpty, let place = sides[.edit] { texts.append(place) }
    let fact =
      journal.conflicts[key] == nil ? "has no open conflict" : "is resolved"
    for place in texts {
      laterNotices.append("\(key) \(fact); your unfinished merge of it is now \(place)")
    }
  }

  package func conflictClient(of key: ItemKey) throws -> ClientState {
    try conflicts.client(of: key)
  }

  /// The files of the conflicts.
  var conflicts: ConflictFiles { ConflictFiles(root: root, trash: trash) }

  // MARK: Directories

  /// Returns the directory of a table's items; `nil` where there is none.
  func itemDirectory(of table: TableName) throws(WorkspaceError) -> Directory? {
    try root.existingChild(Layout.items)?.existingChild(table.text.string)
  }

  /// Returns an item's file; the table's directory is made where it is absent.
  ///
  /// `items` itself is not: without it, every item would look as if its user had deleted it.
  private func itemFile(of key: ItemKey) throws(WorkspaceError) -> ReplacedFile {
    guard let items = try root.existingChild(Layout.items) else {
      throw .missing(place: Layout.items)
    }
    let directory = try items.child(key.table.text.string, creating: true)
    return ReplacedFile(
      kind: Layout.items, table: key.table, directory: directory,
      name: try Layout.file(of: key), trash: trash)
  }
}
