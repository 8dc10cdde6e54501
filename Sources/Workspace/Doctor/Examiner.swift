import Glibc
import SyncEngine
import SyncModel
import SystemPackage

/// Looks through a workspace and writes nothing; see ``Examination``.
struct Examiner {
  /// `.todosync`.
  let root: Directory
  /// The time, in nanoseconds since 1970.
  let clock: () -> Int64
  /// When the machine was started, in nanoseconds since 1970.
  let started: Int64
  /// What opens logs are given; nothing is put into it.
  let trash: Trash
  /// What was found so far.
  var found = Examination()
  /// What is open by the journal; `nil` where it can't be read.
  var journal: JournalState?
  /// The places with a finding that something of another kind is there.
  var told: Set<Text> = []
  /// The tables' rows as far as they can be read.
  var rows: [TableName: BaseLog] = [:]

  init(
    _ root: Directory, started: Int64 = TornText.bootTime, clock: @escaping () -> Int64
  ) {
    self.root = root
    self.started = started
    self.clock = clock
    trash = Trash(root, clock: clock)
  }

  /// Looks at everything once.
  consuming func examination() -> Examination {
    examineKinds()
    examineModes()
    examineState()
    examineJournal()
    found.tables = tables()
    for table in found.tables { examine(table) }
    examineConflicts()
    examineLeftovers()
    examineHistory()
    return found
  }

  // MARK: Findings

  /// Adds a finding.
  mutating func add(
    _ invariant: Finding.Invariant, at place: String, line: Int? = nil, column: Int? = nil,
    _ fact: String, _ gravity: Finding.Gravity, _ remedy: Remedy? = nil, hint: Hint? = nil
  ) {
    found.findings.append(
      Finding(invariant, at: place, line: line, column: column, fact, gravity, remedy, hint: hint))
  }

  /// Adds a file that can't be an item, which is its user's affair.
  mutating func add(_ invariant: Finding.Invariant, _ invalid: InvalidItem) {
    found.findings.append(
      Finding(
        invariant, at: invalid.place, line: invalid.line, column: invalid.column, invalid.message,
        .note, hint: invalid.comparison ?? invalid.hint))
  }

  /// Looks at something; an error that ends the looking is a finding.
  ///
  /// The remedy is that of damage; what the system refuses to do has none.
  mutating func attempt(
    _ invariant: Finding.Invariant, at place: String, _ remedy: Remedy? = nil,
    _ look: (inout Examiner) throws(WorkspaceError) -> Void
  ) {
    do throws(WorkspaceError) {
      try look(&self)
    } catch {
      add(error, invariant, at: place, remedy)
    }
  }

  private mutating func add(
    _ error: WorkspaceError, _ invariant: Finding.Invariant, at place: String, _ remedy: Remedy?
  ) {
    switch error {
    case .damaged(let place, _, _) where hasTold(place), .file(let place, _) where hasTold(place):
      break
    case .damaged(let place, let line, let fact):
      add(invariant, at: place, line: line, fact, .damage, remedy)
    case .newerFormat(let place, let format):
      add(invariant, at: place, "has format \(format) of a newer tsync", .unsafe)
    case .missing(let place):
      add(
        invariant, at: place, "is missing", .unsafe,
        hint: "to bring the items back: \(typed: "restore", "--missing")")
    case .file(let place, .tooManySymbolicLinkLevels):
      add(invariant, at: place, "is a symbolic link, and tsync does not follow links", .damage)
    case .file(let place, let error): add(invariant, at: place, "\(error)", .damage)
    case .setting(_, let line, _, let fact):
      add(
        invariant, at: place, line: line, fact, .damage,
        hint: "to fix it: \(typed: "config", "--edit")")
    default: add(invariant, at: place, error.description, .damage)
    }
  }

  // MARK: Tables

  /// Finds the tables that anything is kept of.
  private mutating func tables() -> [TableName] {
    var tables: Set<TableName> = []
    if let journal {
      tables.formUnion(journal.conflicts.keys.map(\.table))
    }
    attempt(.names, at: Layout.items) { examiner throws(WorkspaceError) in
      guard let items = try examiner.root.existingChild(Layout.items) else {
        throw .missing(place: Layout.items)
      }
      for name in try items.names() where name.utf8.first != UInt8(ascii: ".") {
        if let table = try? TableName(Text(name)) {
          tables.insert(table)
        } else {
          examiner.add(.names, at: items.place(of: name), "is not the directory of a table", .note)
        }
      }
    }
    attempt(.names, at: Layout.base) { examiner throws(WorkspaceError) in
      guard let base = try examiner.root.existingChild(Layout.base) else {
        return examiner.add(
          .baseRows, at: Layout.base,
          "is missing (the last known rows of the server): the next pull reads all rows",
          .mendable, .finish)
      }
      for name in try base.names() {
        guard let stem = Layout.baseStem(of: name) else { continue }
        if let table = try? TableName(stem) {
          tables.insert(table)
        } else {
          examiner.add(.names, at: base.place(of: name), "is not the log of a table", .note)
        }
      }
    }
    return tables.sorted()
  }
}
