import SyncModel

extension ItemDisk where Self: RowDisk & JournalDisk {
  /// Forgets a table, whose record is durable: the files and the conflicts, then rows and token, by
  /// which alone a file can be told from one that was edited or made since.
  ///
  /// With `edits`, the files that aren't as their rows go too, and the sides of conflicts that were
  /// edited; without, such a conflict stays open.
  mutating func finishPurge(of table: TableName, edits: Bool) throws {
    var changes: [FileChange] = []
    for id in try liveIDs(in: table).sorted() {
      let key = ItemKey(table, id)
      let client = try client(key)
      guard let digest = client.digest, try client.item == base(of: key).item else { continue }
      changes.append(FileChange(key, to: nil, expecting: digest))
    }
    if edits {
      changes += try candidates(in: table).compactMap { candidate in
        candidate.client.digest.flatMap { digest in
          candidate.key.map { FileChange($0, to: nil, expecting: digest) }
        }
      }
    }
    for case .unwritable(let error) in try write(changes) { throw error }
    var closings: [JournalRecord] = []
    for (key, open) in journal.conflicts.sorted(by: { $0.key < $1.key }) where key.table == table {
      if try !edits && editedSide(of: key) != nil {
        try keepOpen(open, of: key)
      } else {
        try removeConflict(of: key)
        closings.append(.closed(.conflict(key)))
      }
    }
    // Some may have been removed by a command that was stopped.
    try synchronize([], in: table)
    try forget(table)
    try append(closings + [.closed(.purge(table))], durably: true)
  }

  /// Records a conflict anew that outlives the rows of its table.
  private mutating func keepOpen(_ conflict: OpenConflict, of key: ItemKey) throws {
    var conflict = conflict
    conflict.origin = try conflict.origin ?? base(of: key).item
    // That the file is gone is the purge's doing, no edit beside that of the side.
    if try client(key) == .absent { conflict.digest = nil }
    try append([.conflict(key, conflict)], durably: true)
  }
}
