import Glibc
import SyncEngine
package import SyncModel
import SystemPackage

/// The findings of the doctor, which reads all files and items of a workspace and writes none.
///
/// It finds what a person must know. What the next command that writes clears up by itself is no finding.
package struct Examination: Equatable, Sendable {
  /// What was found, file by file.
  package internal(set) var findings: [Finding] = []
  /// The tables that were looked at.
  package internal(set) var tables: [TableName] = []
  /// How many files of items there are.
  package internal(set) var items = 0

  /// The findings that are more than notes.
  package var faults: [Finding] { findings.filter { $0.gravity != .note } }
}

extension Workspace {
  /// Examines a workspace that need not be fit to be opened.
  ///
  /// - Parameters:
  ///   - path: The directory that holds `.todosync`.
  ///   - patience: How many seconds to wait for another process that writes; `nil` doesn't ask whether
  ///     there is one. Nothing is written for that, not even to the lock.
  ///   - clock: The time, in nanoseconds since 1970.
  /// - Returns: What was found; faults of any file are findings, not errors.
  /// - Throws: ``WorkspaceError`` where there is no workspace, another process keeps writing to it, or a file
  ///   has another format.
  package static func examine(
    at path: String, patience: Double? = nil, clock: @escaping () -> Int64
  ) throws(WorkspaceError) -> Examination {
    let root = try openRoot(at: path)
    var examiner = Examiner(root, clock: clock)
    var lock: DirectoryLock?
    do throws(WorkspaceError) {
      if let patience {
        lock = try DirectoryLock(sharing: Layout.lock, in: root, patience: patience)
      }
    } catch {
      // What is no file can't be locked.
      guard case .damaged = error else { throw error }
      examiner.add(error, at: Layout.lock)
    }
    defer { withExtendedLifetime(lock) {} }
    return try examiner.examination()
  }
}

/// Looks through a workspace and writes nothing; see ``Examination``.
///
/// It does not go by the stat index: items are read and fingerprinted, and rows parsed.
struct Examiner {
  private let root: Directory
  private let clock: () -> Int64
  /// What opens logs are given; nothing is put into it.
  private let trash: Trash
  private var found = Examination()
  /// The items whose sides have been laid, by the journals that can be read.
  private var open: Set<ItemKey> = []
  /// The tables whose journals can't be read.
  private var unread: Set<TableName> = []
  /// The error of the first file that has another format.
  private var otherFormat: WorkspaceError?

  init(_ root: Directory, clock: @escaping () -> Int64) {
    self.root = root
    self.clock = clock
    trash = Trash(root, clock: clock)
  }

  /// Looks at everything once.
  ///
  /// - Throws: ``WorkspaceError/otherFormat(place:isNewer:)``.
  consuming func examination() throws(WorkspaceError) -> Examination {
    examinePlaces()
    examineState()
    found.tables = tables()
    for table in found.tables { examine(table) }
    examineConflicts()
    if let otherFormat { throw otherFormat }
    return found
  }

  // MARK: Findings

  private mutating func add(_ finding: Finding) { found.findings.append(finding) }

  /// Adds a file that can't be an item, which is its user's affair.
  private mutating func add(_ invalid: InvalidItem, isSide: Bool = false) {
    add(
      Finding(
        invalid.place, line: invalid.line, column: invalid.column, invalid.message, .note,
        way: isSide ? .mendSide(invalid) : .mend(invalid)))
  }

  /// Looks at something; an error that ends the looking is a finding.
  ///
  /// The remedy is that of damage; what the system refuses to do has none.
  private mutating func attempt(
    at place: String, _ remedy: Remedy? = nil,
    _ look: (inout Examiner) throws(WorkspaceError) -> Void
  ) {
    do throws(WorkspaceError) {
      try look(&self)
    } catch {
      add(error, at: place, remedy)
    }
  }

  fileprivate mutating func add(
    _ error: WorkspaceError, at place: String, _ remedy: Remedy? = nil
  ) {
    let finding: Finding
    switch error {
    case .otherFormat:
      otherFormat = otherFormat ?? error
      return
    case .damaged(let found, let line, let fact):
      finding = Finding(found, line: line, fact, .damage, found == place ? remedy : nil)
    case .missing(let place):
      finding = Finding(place, "is missing", .unsafe, way: .restoreMissing)
    case .file(let place, let error): finding = Finding(place, "\(error)", .damage)
    case .setting(_, let line, _, let fact):
      finding = Finding(place, line: line, fact, .damage, way: .editSettings)
    default: finding = Finding(place, error.description, .damage)
    }
    // What is in a directory's place is met by whoever looks for a file in it.
    if !found.findings.contains(finding) { add(finding) }
  }

  // MARK: Files

  /// Looks whose the files are, at the directories, and for editors' texts.
  private mutating func examinePlaces() {
    for place in Self.foreign(in: root) {
      add(Finding(place, Self.isForeign, .unsafe))
    }
    for name in [Layout.journal, Layout.conflicts, Layout.quarantine, Layout.trash] {
      attempt(at: name) { examiner throws(WorkspaceError) in
        let names = try examiner.root.existingChild(name)?.names() ?? []
        guard name == Layout.trash else { return }
        for text in names.sorted() where Workspace.isEditorText(text) {
          examiner.add(Finding("\(name)/\(text)", "is a text that an editor left", .note))
        }
      }
    }
  }

  /// What is said of a file that another user has put there.
  static let isForeign = "belongs to another user"

  /// Returns the places of such files.
  private static func foreign(in root: Directory) -> [String] {
    [root, (try? root.existingChild(Layout.journal)) ?? nil].compactMap(\.self).flatMap {
      directory in
      ((try? directory.names().sorted()) ?? []).filter { name in
        var status = stat()
        let here = directory.descriptor.rawValue
        return fstatat(here, name, &status, AT_SYMLINK_NOFOLLOW) == 0 && status.st_uid != geteuid()
      }.map(directory.place(of:))
    }
  }

  /// Reads state and settings; whose data they are about, only the server can tell.
  private mutating func examineState() {
    var origin: Text?
    attempt(at: Layout.state, .forgetState) { examiner throws(WorkspaceError) in
      origin = try Workspace.readState(in: examiner.root).origin
    }
    attempt(at: Layout.settings) { examiner throws(WorkspaceError) in
      let text = try PrivateFile(directory: examiner.root, name: Layout.settings)
        .read(limit: 1 << 20)
      if text == nil, let origin {
        return examiner.add(
          Finding(
            Layout.settings, "is missing; the server was at \(origin)", .damage,
            way: .setAddress))
      }
      _ = try Configuration(
        workspace: SettingsFile(place: Layout.settings, text: text), user: nil)
    }
  }

  // MARK: Tables

  /// Finds the tables that anything is kept of.
  private mutating func tables() -> [TableName] {
    var tables: Set<TableName> = []
    attempt(at: Layout.items) { examiner throws(WorkspaceError) in
      guard let items = try examiner.root.existingChild(Layout.items) else {
        throw .missing(place: Layout.items)
      }
      for name in try items.names() where name.utf8.first != UInt8(ascii: ".") {
        if let table = try? TableName(Text(name)) {
          tables.insert(table)
        } else {
          examiner.add(Finding(items.place(of: name), "is not the directory of a table", .note))
        }
      }
    }
    let journals = (try? root.existingChild(Layout.journal)?.names()) ?? []
    tables.formUnion(
      journals.compactMap { Layout.table(ofJournal: $0).flatMap { try? TableName($0) } })
    return tables.sorted()
  }

  private mutating func examine(_ table: TableName) {
    unread.insert(table)
    attempt(at: "\(Layout.journal)/\(Layout.journal(of: table))", .salvage(table)) {
      examiner throws(WorkspaceError) in
      let base = try Journal(
        table, in: examiner.root.existingChild(Layout.journal), writing: false,
        trash: examiner.trash, index: nil)
      try base.examine()
      examiner.open.formUnion(base.rows.state.laid.keys.map { ItemKey(table, $0) })
      examiner.unread.remove(table)
      examiner.attempt(at: "\(Layout.items)/\(table)") { examiner throws(WorkspaceError) in
        try examiner.examineItems(of: base)
      }
    }
    attempt(at: "\(Layout.items)/\(table)") { examiner throws(WorkspaceError) in
      guard let items = try examiner.items(of: table) else { return }
      try examiner.examineNames(in: items)
    }
  }

  private func items(of table: TableName) throws(WorkspaceError) -> Directory? {
    try root.existingChild(Layout.items)?.existingChild(table.text.string)
  }

  /// Reads the items of a table.
  private mutating func examineItems(of base: Journal) throws(WorkspaceError) {
    let items = try items(of: base.table)
    var scanner = Scanner(of: base, in: items, at: clock())
    try scanner.run()
    for candidate in scanner.candidates {
      guard case .invalid(let invalid) = candidate.client else { continue }
      guard let key = candidate.key, let items,
        case .file(let bytes, _) = try FileReading(
          Layout.file(of: key), in: items, limit: ItemFile.limit),
        bytes.allSatisfy({ $0 == 0 })
      else {
        add(invalid)
        continue
      }
      // A power loss may have left it so.
      let isLive = try base.base(of: key.id).row.map { !$0.deleted } ?? false
      add(
        Finding(
          invalid.place, bytes.isEmpty ? "is empty" : "contains only NUL bytes", .note,
          way: .restore(key, isLive: isLive)))
    }
    let isLost = scanner.candidates.contains { candidate in
      candidate.key.map { !base.rows.state.marks.isRemoved($0.id) } ?? false
    }
    if items == nil, isLost, try root.existingChild(Layout.items) != nil {
      throw .missing(place: "\(Layout.items)/\(base.table)")
    }
  }

  /// Counts the items of a table, and says which names differ only in case.
  private mutating func examineNames(in items: Directory) throws(WorkspaceError) {
    var folded: [[UInt8]: String] = [:]
    let suffix = FileName.suffix.string.utf8
    for name in try items.names().sorted()
    where name.utf8.first != UInt8(ascii: ".") && name.utf8.suffix(5).elementsEqual(suffix) {
      found.items += 1
      let lower = name.utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
      if let other = folded.updateValue(name, forKey: lower) {
        add(
          Finding(
            items.place(of: name), "differs from \(other) in upper and lower case only", .note))
      }
    }
  }

  // MARK: Conflicts

  /// Looks for sides that aren't items, and for what users wrote to files of conflicts that aren't open.
  private mutating func examineConflicts() {
    attempt(at: Layout.conflicts) { examiner throws(WorkspaceError) in
      let files = ConflictFiles(root: examiner.root, trash: examiner.trash)
      for key in examiner.open.sorted() {
        guard case .invalid(let invalid) = try files.client(of: key) else { continue }
        examiner.add(invalid, isSide: true)
      }
      for stray in try StrayFile.all(in: examiner.root, files, examiner.open)
      where stray.isEdited && !examiner.unread.contains(stray.key.table) {
        let item = "\(Layout.items)/\(stray.key.table)/\(try Layout.file(of: stray.key))"
        examiner.add(
          Finding(
            stray.directory.place(of: stray.name),
            "belongs to no open conflict, and its text is not in \(item): "
              + "copy the parts that you want, and remove the file", .note))
      }
    }
  }
}

extension Finding {
  fileprivate init(
    _ place: String, line: Int? = nil, column: Int? = nil, _ fact: String, _ gravity: Gravity,
    _ remedy: Remedy? = nil, way: Way? = nil
  ) {
    self.init(
      place: place, line: line, column: column, fact: fact, gravity: gravity, remedy: remedy,
      way: way)
  }
}

extension Journal {
  /// Reads every row, in effect or waiting, and every open write.
  ///
  /// - Throws: ``WorkspaceError``: a failed call; damage where a row isn't the one and the tombstone that
  ///   the quick look at its line takes it for.
  fileprivate func examine() throws(WorkspaceError) {
    var entries: [(ItemID?, JournalEntry)] = []
    rows.forEach { entries.append((ItemID($0), $1)) }
    for (id, entry) in entries {
      guard let id, try row(at: entry, as: id).deleted == entry.isTombstone else {
        throw damage(at: entry.offset, "its row is not what the line says")
      }
    }
    var open: [ItemID] = []
    for kind in [TableLine.arrival, .attempt] {
      forEachID(kind) { bytes in if let id = ItemID(bytes) { open.append(id) } }
    }
    for id in open { _ = try (arrival(of: id), attempt(of: id)) }
  }
}
