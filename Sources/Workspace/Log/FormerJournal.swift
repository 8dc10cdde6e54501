import SyncEngine
import SyncModel

/// A journal of format 1: its records told of writes and their answers as well, which are lines of the
/// tables' logs now.
struct FormerJournal {
  /// The open writes.
  private(set) var attempts: [ItemKey: Attempt] = [:]
  /// The answers to them that weren't taken over.
  private(set) var results: [ItemKey: Row?] = [:]
  /// The refusals.
  private(set) var rejections: [ItemKey: Rejection] = [:]

  /// The tables with open writes or refusals.
  var tables: Set<TableName> { Set(attempts.keys.map(\.table) + rejections.keys.map(\.table)) }

  /// Reads a record; returns it as it is now, `nil` if it told of a write alone.
  ///
  /// - Throws: What is wrong with it.
  mutating func take(_ object: JSONObject) throws(NameError) -> JournalRecord? {
    let line = JournalLine(object: object)
    switch (try line.text("t"), object["of"]?.text) {
    case ("intent", _):
      let key = try line.key()
      attempts[key] = Attempt(
        key: key, kind: try line.kind(), version: try line.version(), item: try line.item("item"),
        digest: try line.digest(), tries: try line.integer("attempt"))
      return nil
    case ("result", _):
      results[try line.key()] = .some(try line.row())
      return nil
    case ("rejected", _):
      let key = try line.key()
      end(key)
      rejections[key] = try Rejection(object)
      return nil
    case ("closed", "intent"):
      end(try line.key())
      return nil
    case ("closed", "operation"), ("conflict", _): end(try line.key())
    case ("closed", "purge"):
      let table = try TableName(try line.text("table"))
      for key in Set(attempts.keys).union(rejections.keys) where key.table == table { end(key) }
    default: break
    }
    let record = try JournalRecord(object)
    // The note of a change that no command was told is gone, and takes back what one was told before.
    if case .noted(let key, let note) = record, !note.commanded, note.kind != .undelete {
      return .closed(.note(key))
    }
    return record
  }

  private mutating func end(_ key: ItemKey) {
    attempts[key] = nil
    results[key] = nil
    rejections[key] = nil
  }

  /// Hands what it tells of writes over to the tables' logs, durably.
  ///
  /// - Throws: ``WorkspaceError``: what opening and writing a log throws.
  func turnOver(
    to log: (TableName) throws(WorkspaceError) -> BaseLog
  ) throws(WorkspaceError) {
    for table in tables.sorted() {
      let log = try log(table)
      try log.append(try facts(for: log), durably: true)
    }
  }

  /// Returns the lines of a table's log that say the same.
  ///
  /// - Throws: ``WorkspaceError``: what reading the log throws.
  private func facts(for log: BaseLog) throws(WorkspaceError) -> [Fact] {
    var facts: [Fact] = []
    for (key, rejection) in rejections.sorted(by: { $0.key < $1.key }) where key.table == log.table
    {
      facts.append(.refused(key.id, rejection))
    }
    for (key, attempt) in attempts.sorted(by: { $0.key < $1.key }) where key.table == log.table {
      facts.append(.sent(attempt))
      // A delete is found done once more.
      guard case .some(let row?) = results[key], attempt.kind != .delete else { continue }
      let base = try log.base(of: key.id)
      let open = try log.arrival(of: row.id)
      guard base.row?.version == attempt.version, open?.isMine != true else {
        // It is taken over already.
        facts.append(.ended(key.id))
        continue
      }
      let said = attempt.facts(
        of: .done(row), over: base, isAwaited: false, former: nil, now: 0)
      facts += said
      if let open, open.row != row {
        facts.append(.arrived(open.following(said.compactMap(\.arrival).last)))
      }
    }
    return facts
  }
}

extension Workspace {
  /// Turns a workspace of format 1 over.
  ///
  /// First the tables' logs, last the journal, by which it is known: each step can be cut off and done again.
  ///
  /// - Throws: ``WorkspaceError``.
  func turnOver() throws(WorkspaceError) {
    guard let former = records.former else { return }
    try former.turnOver(to: rows.log)
    for (key, attempt) in former.attempts
    where former.results[key] != nil && attempt.kind != .delete {
      records.add(journal.arrivals(of: key))
    }
    try records.begin()
  }
}
