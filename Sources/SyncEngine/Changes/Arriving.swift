import SyncModel

extension ItemDisk where Self: RowDisk & JournalDisk {
  /// Notes that the rows of other items don't wait any more for what a write has brought to the server.
  ///
  /// It survives a power loss before the write is over. `row` is the answer; `nil` if it tells none.
  mutating func noteArrival(of attempt: Attempt, as row: Row?) throws {
    // An undelete may have brought back no more than what was deleted.
    guard attempt.kind != .delete, journal.isAwaited(attempt.key),
      try attempt.kind != .undelete || client(attempt.key).item == row?.item
    else { return }
    try append(journal.arrivals(of: attempt.key), durably: true)
  }
}
