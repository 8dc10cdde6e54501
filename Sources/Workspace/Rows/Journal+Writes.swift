import SyncEngine
import SyncModel

extension Journal {
  /// Returns the open write of an item.
  ///
  /// - Throws: ``WorkspaceError``: a failed call, damage.
  func attempt(of id: ItemID) throws(WorkspaceError) -> Attempt? {
    try rows.open.attempts[id].map { entry throws(WorkspaceError) in
      try read(entry) { object throws(NameError) in try Attempt(object, in: table) }
    }
  }

  /// Returns what the server answered when it refused a write of an item.
  ///
  /// - Throws: ``WorkspaceError``: a failed call, damage.
  func rejection(of id: ItemID) throws(WorkspaceError) -> Rejection? {
    try rows.open.refusals[id].map { entry throws(WorkspaceError) in
      try read(entry) { object throws(NameError) in try Rejection(object) }
    }
  }

  /// Returns the line of the file where the open write of an item stands, its refusal, or the row that waits for
  /// it, with `isRow` only that; from 1, `nil` where there is none.
  ///
  /// - Throws: ``WorkspaceError``: a failed call, damage.
  func line(of id: ItemID, isRow: Bool) throws(WorkspaceError) -> Int? {
    let former = rows.open.renames.first { $0.value == id }?.key ?? id
    let arrival = former.withBytes { rows.arrivals.place(of: $0) }.flatMap { rows.arrivals[$0] }
    let write = isRow ? nil : rows.open.attempts[id] ?? rows.open.refusals[id]
    guard let entry = write ?? arrival else { return nil }
    let first = log.header?.number ?? 0
    return try log.line(at: entry.offset, length: Int(entry.length)) { $0.number - first + 1 }
  }

  private func read<Value>(
    _ entry: JournalEntry, _ body: (JSONObject) throws(NameError) -> Value
  ) throws(WorkspaceError) -> Value {
    try log.line(at: entry.offset, length: Int(entry.length)) { line throws(WorkspaceError) in
      guard let object = line.object else { throw damage(at: entry.offset, "it is no JSON object") }
      do throws(NameError) {
        return try body(object)
      } catch {
        throw damage(at: entry.offset, "\(error)")
      }
    }
  }
}
