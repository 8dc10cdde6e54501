import SyncModel

// I15: the history.
extension Examiner {
  /// Looks whether the lines of the history can be read.
  mutating func examineHistory() {
    attempt(.history, at: Layout.history, .beginHistory) { examiner throws(WorkspaceError) in
      let log = try Log(
        opening: Layout.history, in: examiner.root, kind: History.kind, writing: false,
        trash: examiner.trash)
      // What a crash left at its end, the next command that writes puts away.
      try log.findEnd(within: History.lineLimit)
      var reader = HistoryReader(root: examiner.root, trash: nil)
      do {
        try reader.read { _ in true }
      } catch let error as WorkspaceError { throw error } catch {}
      guard reader.skipped > 0 else { return }
      let lines = reader.skipped == 1 ? "1 line is" : "\(reader.skipped) lines are"
      examiner.add(.history, at: Layout.history, "\(lines) not valid and left out", .note)
    }
  }
}
