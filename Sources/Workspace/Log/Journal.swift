import SyncEngine
import SyncModel

/// The workspace's journal: a log of records, and what is open by them.
///
/// It is a class because the log is one open file, whichever copy of the workspace writes.
final class Journal {
  /// What the header of the file says it is.
  static let kind: LogKind = "tsync-journal"

  /// What is open.
  private(set) var state = JournalState()
  private let log: Log

  /// Opens the journal and reads it.
  ///
  /// - Throws: ``WorkspaceError``: damage, a newer format, a record that is not known.
  init(in root: Directory, writing: Bool, trash: Trash) throws(WorkspaceError) {
    var state = JournalState()
    log = try Log(
      Layout.journal, in: root, kind: Self.kind, writing: writing, trash: trash
    ) { object throws(WorkspaceError) in
      do throws(NameError) {
        state.add(try JournalRecord(object))
      } catch {
        throw .damaged(
          place: Layout.journal, line: nil, fact: "a record can't be read: \(error)")
      }
    }
    self.state = state
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
  func begin() throws(WorkspaceError) {
    try log.rewrite(state.records.map(\.object))
  }

  /// Writes the journal anew with the open records only, if it has more than `size` bytes, most of it
  /// is closed, and nothing is on its way.
  ///
  /// Every command reads the journal, so that it is kept small.
  ///
  /// - Throws: ``WorkspaceError``.
  func rotate(above size: Int) throws(WorkspaceError) {
    guard log.size > size, state.isQuiet, log.lineCount > 2 * state.recordCount else { return }
    try log.rewrite(state.records.map(\.object))
  }
}
