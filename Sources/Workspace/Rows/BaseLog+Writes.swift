import SyncEngine
import SyncModel

extension BaseLog {
  /// Returns the open writes, in the order of their ids.
  ///
  /// - Throws: ``WorkspaceError``: a failed call, damage.
  func attempts() throws(WorkspaceError) -> [Attempt] {
    var found: [Attempt] = []
    for id in rows.open.attempts.keys.sorted() {
      if let attempt = try attempt(of: id) { found.append(attempt) }
    }
    return found
  }

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

  private func read<Value>(
    _ entry: BaseLogEntry, _ body: (JSONObject) throws(NameError) -> Value
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
