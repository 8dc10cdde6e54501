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

  /// Returns the writes that the server has done, by all lines of the file, the oldest first.
  ///
  /// - Throws: ``WorkspaceError``: a failed call, damage.
  func doneWrites() throws(WorkspaceError) -> [Attempt] {
    var (open, done) = ([ItemID: Attempt](), [Attempt]())
    try log.readAll { line throws(WorkspaceError) in
      switch BaseLogLine(line) {
      case .sent(let id): open[id] = line.object.flatMap { try? Attempt($0, in: table) }
      case .row(let found):
        guard let ends = found.ends else { return }
        let attempt = open.removeValue(forKey: try id(in: ends, at: line.offset))
        if found.isBase || found.isMine, let attempt { done.append(attempt) }
      case .refused(let id), .ended(let id): open[id] = nil
      case .taken, .token, .pulled, .commit, nil: break
      }
    }
    return done
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
