import SyncEngine
import SyncModel

// I1, I3 and I4: the journal, and the open writes.
extension Examiner {
  /// Reads the journal line by line.
  ///
  /// I1: what ``LogReader`` refuses, and records that can't be read, are damage; a torn end is what any
  /// crash leaves.
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
      var former = Journal.former(log)
      try log.read { line throws(WorkspaceError) in
        try Journal.record(line, &former).map { state.add($0) }
      }
      examiner.examineTail(log.tail, of: Layout.journal, .journalLines)
      examiner.journal = state
    }
  }

  /// Says that a crash has cut off a log's end.
  mutating func examineTail(_ count: Int, of place: String, _ invariant: Finding.Invariant) {
    guard count > 0 else { return }
    add(
      invariant, at: place, "\(count) bytes after the last whole line were left by a crash",
      .mendable, .finish)
  }

  /// Looks at a table's open writes.
  ///
  /// - I3: what is to be looked at is whether the write may be sent.
  mutating func examineAttempts(
    of base: BaseLog, _ place: String
  ) throws(WorkspaceError) {
    for attempt in try base.attempts() {
      let key = attempt.key
      if let fault = attempt.fault {
        add(.attempts, at: place, "the open write of \(key) \(fault)", .damage, .closeAttempt(key))
      }
      if journal?.conflicts[key] != nil {
        add(
          .conflictOrAttempt, at: place, "\(key) is in conflict, but a write of it is open",
          .mendable, .closeAttempt(key))
      }
    }
  }
}

extension Attempt {
  /// Why it must not be sent; `nil` where it may.
  fileprivate var fault: String? {
    if kind != .insert, version == nil { return "has no version" }
    if kind == .insert, version != nil { return "is an insert, but has a version" }
    if kind != .delete, item == nil { return "has no item" }
    return tries < 1 ? "was tried \(tries) times" : nil
  }
}
