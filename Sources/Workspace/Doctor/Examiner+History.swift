import SyncModel

// I15: the history, and the trash that it speaks of.
extension Examiner {
  /// Looks for the displaced texts of the last 30 days.
  mutating func examineHistory() {
    attempt(.history, at: Layout.history, .beginHistory) { examiner throws(WorkspaceError) in
      var entries: [History.Entry] = []
      let log = try Log(
        opening: Layout.history, in: examiner.root, kind: History.kind, writing: false,
        trash: examiner.trash)
      try log.read { line throws(WorkspaceError) in
        if let entry = line.object.flatMap(History.Entry.init) { entries.append(entry) }
      }
      examiner.examineTail(log.tail, of: Layout.history, .history)
      try examiner.examineTrash(entries)
    }
  }

  private mutating func examineTrash(_ entries: [History.Entry]) throws(WorkspaceError) {
    let limit = (clock() / 1_000_000_000 - Trash.age + 86_400) * Timestamp.perSecond
    var missing = 0
    for entry in entries where entry.time.ticks > limit {
      for displaced in entry.displaced {
        let reading = try History.reading(of: displaced.place, in: root)
        switch reading {
        case .file, .tooLarge:
          guard let old = displaced.old, let reading, History.isLate(reading, over: old) else {
            continue
          }
          add(.history, at: displaced.place.string, History.lateWrite(displaced), .note)
        case nil, .absent: missing += 1
        case .irregular, .unreadable:
          // If it couldn't be read before it was displaced, nothing has changed.
          guard displaced.old != nil else { continue }
          add(.history, at: displaced.place.string, "can't be read", .note)
        }
      }
    }
    if missing > 0 {
      let texts = missing == 1 ? "1 text" : "\(missing) texts"
      add(.history, at: Layout.trash, "\(texts) of the last 30 days are missing", .note)
    }
  }
}
