import SyncEngine
package import SyncModel

extension Workspace {
  /// Mends what may keep a workspace from being opened, and what the index says wrongly.
  ///
  /// - Parameters:
  ///   - path: The directory that holds `.todosync`.
  ///   - command: What others are told that have to wait.
  ///   - patience: How many seconds to wait for another process.
  ///   - clock: The time, in nanoseconds since 1970.
  /// - Returns: What was done.
  /// - Throws: ``WorkspaceError``; ``WorkspaceError/untrusted(place:fact:)`` where mending could harm:
  ///   files of another user or of a newer tsync.
  package static func mendFiles(
    at path: String, command: Text, patience: Double = 5, clock: @escaping () -> Int64
  ) throws(WorkspaceError) -> [Mended] {
    let root = try openRoot(at: path)
    let lock = try DirectoryLock(
      Layout.lock, in: root, patience: patience, command: command, now: clock())
    defer { withExtendedLifetime(lock) {} }
    let findings = Examiner(root, clock: clock).examination().findings
    // Without the items, the rest can still be mended.
    for finding in findings where finding.gravity == .unsafe && finding.invariant != .names {
      throw .untrusted(place: finding.place, fact: finding.fact)
    }
    let trash = Trash(try root.child(Layout.trash, creating: true), clock: clock)
    let mending = Mending(root: root, trash: trash)
    return try carryOut(findings.filter(\.standsInTheWay)) { remedy throws(WorkspaceError) in
      try mending.carryOut(remedy)
    }
  }

  /// Mends what can only be mended in a workspace that is open, after recovery.
  ///
  /// - Returns: What was done.
  /// - Throws: ``WorkspaceError``.
  package mutating func mend() throws -> [Mended] {
    requireLock()
    let mending = Mending(root: root, trash: trash)
    var (closed, laid): ([ItemKey], [ItemKey]) = ([], [])
    let mended = try Self.carryOut(examine().findings) { remedy throws(WorkspaceError) in
      switch remedy {
      case .closeIntent(let key):
        closed.append(key)
        return "closed"
      case .layConflict(let key):
        laid.append(key)
        return "laid down again"
      default: return try mending.carryOut(remedy)
      }
    }
    if !closed.isEmpty { try append(closed.map { .closed(.intent($0)) }, durably: true) }
    for key in laid { try layConflict(of: key) }
    return mended
  }

  /// Lays the files of an open conflict down that say what the journal and the base know.
  private func layConflict(of key: ItemKey) throws {
    guard let conflict = journal.conflicts[key] else { return }
    let server = conflict.server.deleted ? nil : conflict.server.item
    try conflicts.lay(
      ConflictFiles.text(of: server, key.id), .server, of: key, replacing: true)
    guard let base = try base(of: key).item else { return }
    try conflicts.lay(ConflictFiles.text(of: base, key.id), .base, of: key, replacing: false)
  }

  /// Carries each remedy out once, in the order of the findings.
  private static func carryOut(
    _ findings: [Finding], by act: (Remedy) throws(WorkspaceError) -> String?
  ) throws(WorkspaceError) -> [Mended] {
    var deeds: [Remedy: String] = [:]
    var mended: [Mended] = []
    for finding in findings {
      guard let remedy = finding.remedy else { continue }
      if let deed = deeds[remedy] {
        mended.append(Mended(finding: finding, deed: deed))
      } else if let deed = try act(remedy) {
        deeds[remedy] = deed
        mended.append(Mended(finding: finding, deed: deed))
      }
    }
    return mended
  }
}

extension Finding {
  /// Whether it must be mended before the workspace is opened.
  fileprivate var standsInTheWay: Bool {
    switch remedy {
    case .salvageJournal, .forget, .beginHistory, .forgetState, .dropIndex, .discard, .close: true
    case .finish, .layConflict, .keepSide, .closeIntent, nil: false
    }
  }
}
