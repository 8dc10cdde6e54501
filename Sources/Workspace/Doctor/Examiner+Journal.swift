import SyncEngine
import SyncModel

// I1 to I4: the journal.
extension Examiner {
  /// Reads the journal line by line.
  ///
  /// - I1: what ``LogReader`` refuses, and records that can't be read, are damage; a torn end is what
  ///   any crash leaves.
  /// - I2: a second write of an item is open only where it is the same one, sent again. A *closed* may
  ///   stand without what it closes: closing twice is harmless, and rotation drops what is closed.
  /// - I3: the line's checksum vouches for the request's bytes; what is to be looked at is whether the
  ///   request may be sent.
  mutating func examineJournal() {
    attempt(.journalLines, at: Layout.journal, .salvageJournal) { examiner throws(WorkspaceError) in
      let log = try Log(
        opening: Layout.journal, in: examiner.root, kind: Journal.kind, writing: false,
        trash: examiner.trash)
      var state = JournalState()
      if log.isNew {
        examiner.add(
          .journalLines, at: Layout.journal,
          "is missing; tsync compares files and rows to find pending changes", .mendable, .finish)
      }
      try log.read { line throws(WorkspaceError) in
        let record = try Self.record(line)
        examiner.examine(record, line.number, after: state)
        state.add(record)
      }
      examiner.examineTail(log.tail, of: Layout.journal, .journalLines)
      examiner.journal = state
      examiner.examineIntents(state)
    }
  }

  private static func record(_ line: LogLine) throws(WorkspaceError) -> JournalRecord {
    guard let object = line.object else {
      throw .damaged(
        place: Layout.journal, line: nil, fact: "line \(line.number) is not a JSON object")
    }
    do throws(NameError) {
      return try JournalRecord(object)
    } catch {
      throw .damaged(
        place: Layout.journal, line: nil,
        fact: "record \(line.number) can't be read: \(error)")
    }
  }

  /// Says that a crash has cut off a log's end.
  mutating func examineTail(_ count: Int, of place: String, _ invariant: Finding.Invariant) {
    guard count > 0 else { return }
    add(
      invariant, at: place, "\(count) bytes after the last whole line were left by a crash",
      .mendable, .finish)
  }

  private mutating func examine(
    _ record: JournalRecord, _ number: Int, after state: JournalState
  ) {
    guard case .intent(let intent) = record, let open = state.intents[intent.key],
      open.request != intent.request
    else { return }
    add(
      .journalOrder, at: Layout.journal,
      "record \(number) is a second open write of \(intent.key)", .damage, .salvageJournal)
  }

  private mutating func examineIntents(_ state: JournalState) {
    for key in state.results.keys.sorted() where state.intents[key] == nil {
      add(
        .journalOrder, at: Layout.journal, "an answer of \(key) is open, but no write",
        .mendable, .finish)
    }
    for (key, intent) in state.intents.sorted(by: { $0.key < $1.key }) {
      if let fault = intent.fault {
        add(
          .intents, at: Layout.journal, "the open write of \(key) \(fault)", .damage,
          .closeIntent(key))
      }
      if state.conflicts[key] != nil {
        add(
          .conflictOrIntent, at: Layout.journal,
          "\(key) is in conflict, but a write of it is open", .mendable, .closeIntent(key))
      }
    }
  }
}

extension Intent {
  /// Why it must not be sent; `nil` where it may.
  fileprivate var fault: String? {
    let isGuarded = request.headers.contains {
      $0.name.utf8.count == 8 && $0.name.utf8.map { $0 | 0x20 }.elementsEqual("if-match".utf8)
    }
    if kind != .insert, version == nil || !isGuarded { return "has no version" }
    if kind == .insert, version != nil || isGuarded { return "is an insert, but has a version" }
    if kind != .delete, item == nil { return "has no item" }
    return attempt < 1 ? "was tried \(attempt) times" : nil
  }
}
