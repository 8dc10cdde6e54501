import Glibc
import SyncEngine
package import SyncModel
import SystemPackage

extension Workspace {
  /// Mends what may keep a workspace from being opened; the index, a cache, is removed.
  ///
  /// - Parameters:
  ///   - path: The directory that holds `.todosync`.
  ///   - command: The command that a waiting process names.
  ///   - patience: How many seconds to wait for another process.
  ///   - clock: The time, in nanoseconds since 1970.
  /// - Returns: The findings that were mended.
  /// - Throws: ``WorkspaceError``; ``WorkspaceError/untrusted(place:fact:)`` where mending could
  ///   harm: files of another user.
  package static func mendFiles(
    at path: String, command: Text, patience: Double = 5, clock: @escaping () -> Int64
  ) throws(WorkspaceError) -> [Finding] {
    let root = try openRoot(at: path)
    let lock = try DirectoryLock(
      Layout.lock, in: root, patience: patience, command: command, now: clock())
    defer { withExtendedLifetime(lock) {} }
    let findings = try Examiner(root, clock: clock).examination().findings
    for finding in findings where finding.fact == Examiner.isForeign {
      throw .untrusted(place: finding.place, fact: finding.fact)
    }
    let trash = Trash(try root.child(Layout.trash, creating: true), clock: clock)
    let mended = try Mending(root: root, trash: trash).carryOut(findings)
    // It must not speak of logs that aren't there, and what it says wrongly nobody else finds.
    _ = try? root.remove(StatIndex.name)
    return mended
  }

  /// Mends what costs nobody anything, in a workspace that is open, after recovery.
  ///
  /// - Throws: ``WorkspaceError``.
  package mutating func mend(_ tables: [TableName]) throws {
    requireLock()
    let descriptor = root.descriptor.rawValue
    try WorkspaceError.checking(Layout.directory) { fchmod(descriptor, 0o700) }
    var open: Set<ItemKey> = []
    for table in tables {
      let log = try rows.log(of: table)
      for attempt in try log.attempts() where try attempt.isFaulty || isInConflict(attempt.key) {
        try log.append([.ended(attempt.key.id)], durably: true)
      }
      open.formUnion(log.rows.state.laid.keys.map { ItemKey(table, $0) })
      for key in try conflicts(in: table) {
        if let row = try rowInConflict(of: key) { try lay(row, of: key) }
      }
    }
    let mending = Mending(root: root, trash: trash)
    for stray in try StrayFile.all(in: root, conflicts, open) where !stray.isEdited {
      try mending.keep(stray)
    }
    try mending.clearLeftovers()
  }

  /// Lays the files of an open conflict that aren't as its row and the base say.
  private mutating func lay(_ row: Row, of key: ItemKey) throws(WorkspaceError) {
    let server = row.deleted ? nil : row.item
    var displaced: [String?] = []
    let bytes = try conflicts.bytes(.server, of: key)
    if bytes.map({ ConflictFiles.isSide($0, of: server, as: key) }) != true {
      let text = ConflictFiles.text(of: server, key.id)
      displaced.append(try conflicts.lay(text, .server, of: key, replacing: true))
    }
    if let base = try rows.log(of: key.table).base(of: key.id).item {
      let text = ConflictFiles.text(of: base, key.id)
      displaced.append(try conflicts.lay(text, .base, of: key, replacing: false))
    }
    for place in displaced.compactMap(\.self) {
      laterNotices.append(
        "the file that was in the place of a conflict file of \(key) is now \(place)")
    }
  }
}

extension Attempt {
  /// Whether it must not be sent: a write is guarded by a version unless it is an insert.
  fileprivate var isFaulty: Bool {
    (kind == .insert) != (version == nil) || kind != .delete && item == nil || tries < 1
  }
}

/// A file of a conflict of which nothing is known.
struct StrayFile {
  let key: ItemKey
  let directory: Directory
  let name: String
  /// Whether it may hold what its user wrote, and no item's file says.
  let isEdited: Bool

  /// Finds all of them.
  static func all(
    in root: Directory, _ files: ConflictFiles, _ open: Set<ItemKey>
  ) throws(WorkspaceError) -> [StrayFile] {
    var found: [StrayFile] = []
    guard let conflicts = try root.existingChild(Layout.conflicts) else { return [] }
    for table in try conflicts.names().sorted().compactMap({ try? TableName(Text($0)) }) {
      let directory = try conflicts.child(table.text.string)
      for name in try directory.names().sorted() where name.utf8.first != UInt8(ascii: ".") {
        guard let (id, side) = ConflictSide.read(name) else { continue }
        let key = ItemKey(table, id)
        guard !open.contains(key) else { continue }
        let text = try text(of: side, key, files)
        let items = try root.existingChild(Layout.items)?.existingChild(table.text.string)
        let item = try items.map { (items) throws(WorkspaceError) in
          try ItemFile.read(Layout.file(of: key), in: items, as: key).state.item
        }
        found.append(
          StrayFile(
            key: key, directory: directory, name: name,
            isEdited: text.map { $0 == nil || $0 != item ?? nil } ?? false))
      }
    }
    return found
  }

  /// Returns what a user may have written to a side; `nil` where that is nothing, in it `nil` where it is no
  /// item.
  private static func text(
    of side: ConflictSide, _ key: ItemKey, _ files: ConflictFiles
  ) throws(WorkspaceError) -> Item?? {
    switch side {
    case .server, .base: return nil
    case .client:
      let state = try files.client(of: key)
      return state == .absent ? nil : .some(state.item)
    case .edit:
      guard let bytes = try files.bytes(.edit, of: key) else { return .some(nil) }
      let document = MarkedDocument(bytes, of: key.id)
      return document.isBlank ? nil : .some((try? document.item()) ?? nil)
    }
  }
}

/// Carries remedies out that are about files only; the lock is held meanwhile.
///
/// Each can be cut off anywhere and done again: what is displaced is in the trash before its place is
/// empty, or in the same step.
struct Mending {
  /// `.todosync`.
  let root: Directory
  /// What takes what is displaced.
  let trash: Trash

  /// Carries the remedies of findings out, each once, in their order; returns what was done.
  ///
  /// - Throws: ``WorkspaceError``.
  func carryOut(_ findings: [Finding]) throws(WorkspaceError) -> [Finding] {
    var mended: [Finding] = []
    for var finding in findings {
      guard let remedy = finding.remedy else { continue }
      finding.deed = mended.first { $0.remedy == remedy }?.deed
      if finding.deed == nil { finding.deed = try carryOut(remedy) }
      if finding.deed != nil { mended.append(finding) }
    }
    return mended
  }

  /// Carries a remedy out, and says what was done; `nil` where there is nothing to be done any more.
  ///
  /// - Throws: ``WorkspaceError``.
  func carryOut(_ remedy: Remedy) throws(WorkspaceError) -> String? {
    switch remedy {
    case .salvage(let table): try salvage(table)
    case .forgetState:
      try take(Layout.state, from: root, named: "state", suffix: ".json").map { "moved to \($0)" }
    }
  }

  /// Moves a table's journal to the trash; a new one has the lines that stand by themselves, as far as they can
  /// be read.
  private func salvage(_ table: TableName) throws(WorkspaceError) -> String? {
    guard let journals = try root.existingChild(Layout.journal) else { return nil }
    let name = Layout.journal(of: table)
    let place: String?
    if let bytes = (try? PrivateFile(directory: journals, name: name).read(limit: 1 << 30)) ?? nil {
      // The damaged one is there until the new one takes its place, in one step.
      place = try trash.keep(bytes, named: "journal-\(table)", suffix: ".jsonl")
      let log = Log(replacing: name, in: journals, kind: Journal.kind, after: 0, trash: trash)
      try log.create(extra: Journal.header(of: table)) { writer throws(WorkspaceError) in
        for fact in Self.open(in: bytes, table) { try writer.write(JournalLine.members(fact)) }
      }
    } else {
      place = try take(name, from: journals, named: "journal-\(table)", suffix: ".jsonl")
    }
    return place.map { "moved to \($0), and the next pull reads all rows" }
  }

  /// Returns the open writes, the refusals, the marks and the sides that were laid, by the lines that can be read.
  private static func open(in bytes: [UInt8], _ table: TableName) -> [Fact] {
    var (attempts, refusals): ([ItemID: Attempt], [ItemID: Rejection]) = ([:], [:])
    var (state, formers): (TableState, [ItemID: ItemID]) = (TableState(), [:])
    func id(_ json: JSON?) -> ItemID? { json?.text.flatMap { try? ItemID($0) } }
    for object in LogSalvage(bytes, kind: Journal.kind).objects {
      let ends = id(object["ends"])
      if let ends { (attempts[ends], refusals[ends]) = (nil, nil) }
      if let attempt = try? Attempt(object, in: table) { attempts[attempt.key.id] = attempt }
      if let id = id(object["refused"]) { refusals[id] = try? Rejection(object) }
      if let row = object["row"]?.object, let id = id(row[Item.idField]) {
        let isBase = object["by"] != nil
        let isTombstone = row[SystemField.deleted.name]?.boolean == true
        state.add(id, isTombstone: isTombstone, isBase: isBase, isAnswer: ends != nil)
        formers[id] = isBase ? nil : ends
        if isBase { refusals[id] = nil }
      }
      switch JournalLine.fact(object, of: table) {
      case .marked(let id, let mark)?: state.marks[id] = mark
      // Its row has to come once more.
      case .laid(let id, let sides)?: state.laid[id] = Laid(file: sides.file, row: nil)
      case .taken(let but)?:
        state.laid = state.laid.filter { but.contains(formers[$0.key] ?? $0.key) }
      default: break
      }
    }
    return refusals.sorted { $0.key < $1.key }.map { .refused($0.key, $0.value) }
      + attempts.values.sorted { $0.key < $1.key }.map { .sent($0) } + state.facts(in: table)
  }

  // MARK: In silence

  /// Moves a file of a conflict that isn't open to the trash.
  func keep(_ stray: StrayFile) throws(WorkspaceError) {
    let suffix = FileName.suffix.string
    _ = try take(
      stray.name, from: stray.directory,
      named: String(Substring(stray.name.utf8.dropLast(suffix.utf8.count))), suffix: suffix,
      to: trash.directory(Layout.conflicts, stray.key.table))
  }

  /// Moves to the trash what stopped commands left of files that are made anew.
  func clearLeftovers() throws(WorkspaceError) {
    var leftovers = [(root, Layout.items + Layout.new)]
    if let journals = try root.existingChild(Layout.journal) {
      leftovers += try journals.names().filter {
        $0.utf8.suffix(Layout.new.utf8.count).elementsEqual(Layout.new.utf8)
      }.map { (journals, $0) }
    }
    if let all = try root.existingChild(Layout.quarantine) {
      for table in try all.names() where (try? TableName(Text(table))) != nil {
        let directory = try all.child(table)
        leftovers += try directory.names().filter(StagedName.isPrivate).map { (directory, $0) }
      }
    }
    for (directory, name) in leftovers { _ = try take(name, from: directory, named: "leftover") }
  }

  /// Moves a file to the trash, durably, and returns its place there; `nil` where it is gone, as an
  /// earlier remedy or a command since may have seen to.
  private func take(
    _ name: String, from directory: Directory, named stem: String, suffix: String = "",
    to target: Directory? = nil
  ) throws(WorkspaceError) -> String? {
    let target = target ?? trash.directory
    let kept: String
    do throws(WorkspaceError) {
      kept = try trash.take(name, from: directory, named: stem, suffix: suffix, to: target)
    } catch {
      guard case .file(_, .noSuchFileOrDirectory) = error else { throw error }
      return nil
    }
    try target.synchronize()
    try directory.synchronize()
    return target.place(of: kept)
  }
}
