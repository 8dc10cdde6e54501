import SyncEngine
import SyncModel

/// The workspace's journal: a log of records, and what is open by them.
///
/// It is a class because the log is one open file, whichever copy of the workspace writes.
final class Journal {
  /// What the header of the file says it is.
  static let kind = LogKind("tsync-journal", version: 2)

  /// What is open.
  private(set) var state = JournalState()
  /// What a file of format 1 tells beside it; `nil` for one of this format.
  private(set) var former: FormerJournal?
  private let log: Log

  /// Opens the journal and reads it.
  ///
  /// - Throws: ``WorkspaceError``: damage, a newer format, a record that is not known.
  init(in root: Directory, writing: Bool, trash: Trash) throws(WorkspaceError) {
    log = try Log(
      opening: Layout.journal, in: root, kind: Self.kind, writing: writing, trash: trash)
    var (state, former) = (JournalState(), Self.former(log))
    try log.read { line throws(WorkspaceError) in
      try Self.record(line, &former).map { state.add($0) }
    }
    (self.state, self.former) = (state, former)
  }

  /// What a log's records of format 1 go into; `nil` for one of this format.
  static func former(_ log: Log) -> FormerJournal? {
    log.header?.version == 1 ? FormerJournal() : nil
  }

  /// Reads a record; `nil` for one that only `former` takes.
  ///
  /// - Throws: ``WorkspaceError/damaged(place:line:fact:)``.
  static func record(
    _ line: LogLine, _ former: inout FormerJournal?
  ) throws(WorkspaceError) -> JournalRecord? {
    guard let object = line.object else {
      throw .damaged(
        place: Layout.journal, line: nil, fact: "line \(line.number) is not a JSON object")
    }
    // What stops of pulls were measured by is said by the tables' logs now.
    if object["t"]?.text == "stopped" || object["of"]?.text == "stop" { return nil }
    do throws(NameError) {
      return former == nil ? try JournalRecord(object) : try former?.take(object)
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

  /// Adds records that the next file begins with.
  func add(_ records: [JournalRecord]) { for record in records { state.add(record) } }

  /// Writes the file, so that its absence later means that somebody removed it.
  ///
  /// - Throws: ``WorkspaceError``.
  func begin() throws(WorkspaceError) {
    try log.rewrite(state.records.map(\.object))
    former = nil
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
