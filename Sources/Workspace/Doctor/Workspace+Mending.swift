import SyncEngine
package import SyncModel

extension Workspace {
  /// Mends what may keep a workspace from being opened, and what the index says wrongly.
  ///
  /// - Parameters:
  ///   - path: The directory that holds `.todosync`.
  ///   - command: The command that a waiting process names.
  ///   - patience: How many seconds to wait for another process.
  ///   - clock: The time, in nanoseconds since 1970.
  /// - Returns: What was done.
  /// - Throws: ``WorkspaceError``; ``WorkspaceError/untrusted(place:fact:)`` where mending could
  ///   harm: files of another user or of a newer tsync.
  package static func mendFiles(
    at path: String, command: Text, patience: Double = 5, clock: @escaping () -> Int64
  ) throws(WorkspaceError) -> [Mended] {
    let root = try openRoot(at: path)
    let cleared = try clear(root, clock)
    let lock = try DirectoryLock(
      Layout.lock, in: root, patience: patience, command: command, now: clock())
    defer { withExtendedLifetime(lock) {} }
    let findings = try trusted(Examiner(root, clock: clock).examination().findings)
    let trash = Trash(try root.child(Layout.trash, creating: true), clock: clock)
    let mending = Mending(root: root, trash: trash)
    let standing = findings.filter(\.standsInTheWay)
    // What a journal of format 1 tells of writes goes into the tables' logs, which are mended before it.
    let last = standing.filter { $0.remedy == .salvageJournal }
    let first = standing.filter { $0.remedy != .salvageJournal }
    let mended = try carryOut(first + last) { remedy throws(WorkspaceError) in
      try mending.carryOut(remedy)
    }
    return cleared + mended
  }

  /// Puts away what lies in the place of the trash and the lock and is none; nobody can have locked
  /// it.
  private static func clear(
    _ root: Directory, _ clock: @escaping () -> Int64
  ) throws(WorkspaceError) -> [Mended] {
    var examiner = Examiner(root, clock: clock)
    examiner.examineKinds()
    let places = [Text(Layout.trash), Text(Layout.lock)]
    let blocking = examiner.found.findings.filter { finding in
      places.contains(Text(finding.place)) && finding.remedy != nil
    }.sorted { Text($0.place) > Text($1.place) }
    guard !blocking.isEmpty else { return [] }
    _ = try trusted(Examiner(root, clock: clock).examination().findings)
    // The trash goes first, and keeps its place's name beside the new one.
    return try carryOut(blocking) { remedy throws(WorkspaceError) in
      let isTrash = remedy == .clear(place: Layout.trash)
      let target = isTrash ? root : try root.child(Layout.trash, creating: true)
      return try Mending(root: root, trash: Trash(target, clock: clock)).carryOut(remedy)
    }
  }

  /// Returns findings in a workspace that may be mended.
  private static func trusted(_ findings: [Finding]) throws(WorkspaceError) -> [Finding] {
    // Without the items, the rest can still be mended.
    for finding in findings where finding.gravity == .unsafe && finding.invariant != .names {
      throw .untrusted(place: finding.place, fact: finding.fact)
    }
    return findings
  }

  /// Mends what can only be mended in a workspace that is open, after recovery.
  ///
  /// - Returns: What was done.
  /// - Throws: ``WorkspaceError``.
  package mutating func mend() throws -> [Mended] {
    requireLock()
    let mending = Mending(root: root, trash: trash)
    var closed: [ItemKey] = []
    let mended = try Self.carryOut(examine().findings) { remedy throws(WorkspaceError) in
      switch remedy {
      case .closeAttempt(let key):
        closed.append(key)
        return "closed"
      case .layConflict(let key):
        return try layConflict(of: key)
      default: return try mending.carryOut(remedy)
      }
    }
    for key in closed { try rows.log(of: key.table).append([.ended(key.id)], durably: true) }
    return mended
  }

  /// Lays the files of an open conflict down that say what the journal and the base know; returns
  /// what was done, `nil` where the conflict is over.
  private func layConflict(of key: ItemKey) throws(WorkspaceError) -> String? {
    guard let conflict = journal.conflicts[key] else { return nil }
    let server = conflict.server.deleted ? nil : conflict.server.item
    var places = [
      try conflicts.lay(
        ConflictFiles.text(of: server, key.id), .server, of: key, replacing: true)
    ]
    if let base = try rows.log(of: key.table).base(of: key.id).item {
      places.append(
        try conflicts.lay(ConflictFiles.text(of: base, key.id), .base, of: key, replacing: false))
    }
    let displaced = places.compactMap(\.self)
    guard !displaced.isEmpty else { return "written again" }
    return "written again; the file that was there is now \(displaced.joined(separator: ", "))"
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
    case .salvageJournal, .forget, .beginHistory, .forgetState, .dropIndex, .clear, .discard,
      .close:
      true
    case .finish, .layConflict, .keepSide, .closeAttempt, nil: false
    }
  }
}
