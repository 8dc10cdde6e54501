import SyncEngine
import SyncModel

/// The workspace's journal: a log of records, and what is open by them.
///
/// It is a class because the log is one open file, whichever copy of the workspace writes.
final class Journal {
  /// What the header of the file says it is.
  static let kind = LogKind("tsync-journal", version: 3)

  /// What is open.
  private(set) var state = JournalState()
  private let log: Log

  /// Opens the journal and reads it.
  ///
  /// - Throws: ``WorkspaceError``: damage, another format, a record that is not known.
  init(in root: Directory, writing: Bool, trash: Trash) throws(WorkspaceError) {
    log = try Log(
      opening: Layout.journal, in: root, kind: Self.kind, writing: writing, trash: trash)
    var state = JournalState()
    try log.read { line throws(WorkspaceError) in state.add(try Self.record(line)) }
    self.state = state
  }

  /// Reads a record.
  ///
  /// - Throws: ``WorkspaceError/damaged(place:line:fact:)``.
  static func record(_ line: LogLine) throws(WorkspaceError) -> JournalRecord {
    guard let object = line.object else {
      throw .damaged(
        place: Layout.journal, line: nil, fact: "line \(line.number) is not a JSON object")
    }
    do throws(NameError) {
      return try JournalRecord(object)
    } catch {
      throw .damaged(
        place: Layout.journal, line: nil, fact: "record \(line.number) can't be read: \(error)")
    }
  }

  /// Whether there is no file yet.
  var isMissing: Bool { log.isNew }

  /// What a person should know of the reading.
  var notices: [String] { log.notices }

  /// Appends records; with `durably`, they survive a power loss.
  ///
  /// - Throws: ``WorkspaceError``: then none of them counts.
  func append(_ records: [JournalRecord], durably: Bool) throws(WorkspaceError) {
    try log.append(records.map(\.object), durably: durably)
    for record in records { state.add(record) }
  }

  /// Writes the file, so that its absence later means that somebody removed it.
  ///
  /// - Throws: ``WorkspaceError``.
  func begin() throws(WorkspaceError) { try log.rewrite(state.records.map(\.object)) }

  /// Writes the journal anew with the open records only, if it has more than `size` bytes, and most of it
  /// is closed.
  ///
  /// Every command reads the journal, so that it is kept small.
  ///
  /// - Throws: ``WorkspaceError``.
  func rotate(above size: Int) throws(WorkspaceError) {
    guard log.size > size, log.lineCount > 2 * state.conflicts.count else { return }
    try log.rewrite(state.records.map(\.object))
  }
}
