import Glibc
import SyncEngine
import SyncModel
import SystemPackage

/// A finding that `tsync doctor --fix` has fixed, and how.
package struct Mended: Equatable, Sendable {
  /// The finding.
  package let finding: Finding
  /// What was done, and where that is which was displaced.
  package let deed: String
}

/// Carries remedies out that are about files only; the lock is held meanwhile.
///
/// Each can be cut off anywhere and done again: what is displaced is in the trash before its place is
/// empty, or in the same step.
struct Mending {
  /// `.todosync`.
  let root: Directory
  /// What takes what is displaced.
  let trash: Trash

  /// Carries a remedy out, and says what was done; `nil` where it is none for files alone.
  ///
  /// - Throws: ``WorkspaceError``.
  func carryOut(_ remedy: Remedy) throws(WorkspaceError) -> String? {
    switch remedy {
    case .close(let place): try close(place)
    case .salvageJournal: try salvageJournal()
    case .forget(let table): try forget(table)
    case .beginHistory: try displace(Layout.history, named: "history", suffix: ".jsonl")
    case .forgetState: try displace(Layout.state, named: "state", suffix: ".json")
    case .dropIndex: try dropIndex()
    case .clear(let place): try clear(place)
    case .discard(let place): try discard(place)
    case .keepSide(let place): try keepSide(place)
    case .finish, .layConflict, .closeAttempt: nil
    }
  }

  private func close(_ place: String) throws(WorkspaceError) -> String? {
    let flags = O_RDONLY | O_NONBLOCK | O_NOCTTY
    let descriptor: Int32
    if Text(place) == "." {
      descriptor = try root.open(place, flags)
    } else {
      guard let (directory, name) = try root.find(place) else { return nil }
      descriptor = try directory.open(name, flags)
    }
    defer { Glibc.close(descriptor) }
    var status = stat()
    try WorkspaceError.checking(place) { fstat(descriptor, &status) }
    try WorkspaceError.checking(place) { fchmod(descriptor, status.st_mode & 0o700) }
    return "closed to other users: \(String(status.st_mode & 0o700, radix: 8))"
  }

  /// Writes the journal anew with what can be read of it.
  ///
  /// The damaged one is kept as a copy, so that there is a journal at any moment.
  private func salvageJournal() throws(WorkspaceError) -> String? {
    let file = PrivateFile(directory: root, name: Layout.journal)
    guard let bytes = try file.read(limit: 1 << 30) else { return nil }
    let place = try trash.keep(bytes, named: "journal", suffix: ".jsonl")
    let salvage = LogSalvage(bytes, kind: Journal.kind)
    var (records, state) = ([JournalRecord](), JournalState())
    var former = FormerJournal()
    for object in salvage.objects {
      guard let record = (try? former.take(object)) ?? nil else { continue }
      records.append(record)
      state.add(record)
    }
    // A log that is damaged as well was mended before.
    try former.turnOver { table throws(WorkspaceError) in
      let base = try root.child(Layout.base, creating: true)
      return try BaseLog(table, in: base, writing: true, trash: trash, index: nil)
    }
    let log = Log(
      replacing: Layout.journal, in: root, kind: Journal.kind, after: salvage.number, trash: trash)
    let open = state.records
    try log.rewrite(open.map(\.object))
    let read = records.count == 1 ? "1 record" : "\(records.count) records"
    let count = open.count + former.attempts.count
    return "\(read) could be read, \(count) of them \(count == 1 ? "is" : "are") still "
      + "open; the damaged file is now \(place)"
  }

  /// Moves a table's log to the trash; a new one has its open writes, as far as they can be read.
  private func forget(_ table: TableName) throws(WorkspaceError) -> String? {
    guard let base = try root.existingChild(Layout.base) else { return nil }
    let name = Layout.baseLog(of: table)
    // The index first: it must not speak of a log that isn't there.
    try root.remove(StatIndex.name)
    let place: String?
    if let bytes = (try? PrivateFile(directory: base, name: name).read(limit: 1 << 30)) ?? nil {
      // The damaged one is there until the new one takes its place, in one step.
      place = try trash.keep(bytes, named: "base-\(table)", suffix: ".jsonl")
      let log = Log(replacing: name, in: base, kind: BaseLog.kind, after: 0, trash: trash)
      try log.create(extra: BaseLog.header(of: table)) { writer throws(WorkspaceError) in
        for attempt in Self.openAttempts(in: bytes, table) {
          try writer.write(BaseLogLine.members(.sent(attempt)))
        }
      }
    } else {
      place = try take(
        name, from: base, named: "base-\(table)", suffix: ".jsonl", to: trash.directory)
    }
    return place.map { "moved to \($0), and the next pull reads all rows" }
  }

  /// Returns the writes that are open by the lines that can be read.
  private static func openAttempts(in bytes: [UInt8], _ table: TableName) -> [Attempt] {
    var open: [ItemID: Attempt] = [:]
    for object in LogSalvage(bytes, kind: BaseLog.kind).objects {
      if let ends = object["ends"]?.text, let id = try? ItemID(ends) { open[id] = nil }
      if let attempt = try? Attempt(object, in: table) { open[attempt.key.id] = attempt }
    }
    return open.values.sorted { $0.key < $1.key }
  }

  private func displace(
    _ name: String, named stem: String, suffix: String
  ) throws(WorkspaceError) -> String? {
    try take(name, from: root, named: stem, suffix: suffix, to: trash.directory)
      .map { "moved to \($0)" }
  }

  /// Moves a file to the trash, durably, and returns its place there; `nil` where it is gone, as an
  /// earlier remedy or a command since may have seen to.
  private func take(
    _ name: String, from directory: Directory, named stem: String, suffix: String = "",
    to target: Directory
  ) throws(WorkspaceError) -> String? {
    let kept: String
    do throws(WorkspaceError) {
      kept = try trash.take(name, from: directory, named: stem, suffix: suffix, to: target)
    } catch {
      guard case .file(_, .noSuchFileOrDirectory) = error else { throw error }
      return nil
    }
    try target.synchronize()
    try directory.synchronize()
    return target.place(of: kept)
  }

  private func dropIndex() throws(WorkspaceError) -> String? {
    try root.remove(StatIndex.name) ? "removed; the next command makes a new one" : nil
  }

  private func discard(_ place: String) throws(WorkspaceError) -> String? {
    guard let (directory, name) = try root.find(place) else { return nil }
    return try take(name, from: directory, named: "leftover", to: trash.directory)
      .map { "moved to \($0)" }
  }

  private func clear(_ place: String) throws(WorkspaceError) -> String? {
    guard let (directory, name) = try root.find(place) else { return nil }
    // Another mending may have put it away since, and have a file of its own in its place: the lock.
    var examiner = Examiner(root, clock: { 0 })
    examiner.examineKinds()
    guard examiner.told.contains(Text(place)) else { return nil }
    // In the trash a name with a dot before it is that of a text on its way.
    let stem = String(Substring(name.utf8.drop { $0 == UInt8(ascii: ".") }))
    return try take(name, from: directory, named: stem, to: trash.directory).map {
      "moved to \($0)"
    }
  }

  private func keepSide(_ place: String) throws(WorkspaceError) -> String? {
    guard let (directory, name) = try root.find(place),
      let table = directory.place.utf8.split(separator: UInt8(ascii: "/")).last,
      let table = try? TableName(Text(String(Substring(table))))
    else { return nil }
    let suffix = FileName.suffix.string
    return try take(
      name, from: directory, named: String(Substring(name.utf8.dropLast(suffix.utf8.count))),
      suffix: suffix, to: trash.directory(Layout.conflicts, table)
    ).map { "moved to \($0)" }
  }
}
