import Glibc
import SyncEngine
import SyncModel

/// The server's rows of all tables as last seen, and the index that spares reading what is known.
///
/// Logs are opened when they are first asked for, and stay open: whoever gives back the lock makes
/// another one afterwards.
///
/// It is a class because the workspace, a value that reads through it, is copied.
final class Rows {
  /// Up to how many bytes of log are read again and again before the index takes them in.
  static let unindexed = 64 << 10

  private let root: Directory
  private let trash: Trash
  private let isWriting: Bool
  private let clock: () -> Int64
  private let isGone: Bool
  private let boot: Text
  /// Without the logs it speaks of nothing that is there.
  private lazy var index = isGone ? nil : StatIndex(in: root, boot: boot)
  private var logs: [TableName: Journal] = [:]
  private var walks: [TableName: TableWalk] = [:]
  /// The rows that files differed from at the last look.
  private var differing: [ItemKey: Row] = [:]

  /// Makes the rows of a workspace.
  ///
  /// - Parameters:
  ///   - root: The directory `.todosync`.
  ///   - trash: What takes the bytes that are cut off from a log.
  ///   - isWriting: Whether the caller has the lock.
  ///   - isGone: Whether it is known that there is no directory of logs; that each of them is
  ///     gone is then not told.
  ///   - boot: The kernel's name for the time since the machine was started.
  ///   - clock: The time in nanoseconds since 1970.
  init(
    root: Directory, trash: Trash, isWriting: Bool, isGone: Bool = false,
    boot: Text = LogHeader.currentBoot, clock: @escaping () -> Int64
  ) {
    self.root = root
    self.trash = trash
    self.isWriting = isWriting
    self.isGone = isGone
    self.boot = boot
    self.clock = clock
  }

  /// What a person should know of what was found so far.
  var notices: [String] {
    logs.sorted { $0.key < $1.key }.flatMap { $0.value.notices }
  }

  /// Returns a table's journal.
  ///
  /// - Throws: ``WorkspaceError``: a failed call, damage, another format.
  func log(of table: TableName) throws(WorkspaceError) -> Journal {
    if let log = logs[table] { return log }
    // Without the directory nothing was ever seen; a writer makes it.
    let directory =
      isWriting
      ? try root.child(Layout.journal, creating: true) : try root.existingChild(Layout.journal)
    let log = try Journal(
      table, in: directory, writing: isWriting, trash: trash, index: index?.table(table))
    logs[table] = log
    return log
  }

  /// Reads a table's journal anew, as it now is; nothing is written, and the one that is open stays.
  ///
  /// - Throws: ``WorkspaceError``: a failed call, damage, another format.
  func newLog(of table: TableName) throws(WorkspaceError) -> Journal {
    try Journal(
      table, in: root.existingChild(Layout.journal), writing: false, trash: trash,
      index: index?.table(table))
  }

  /// Returns what may differ from its base; see ``Scanner``.
  ///
  /// `items` is the directory of the table's items; `nil` where there is none.
  ///
  /// - Throws: ``WorkspaceError``.
  func candidates(
    in table: TableName, items: Directory?
  ) throws(WorkspaceError) -> [Candidate] {
    let time = clock()
    var scanner = Scanner(of: try log(of: table), in: items, after: walks[table], at: time)
    try scanner.run()
    var walk = scanner.walk
    // What an earlier walk has found out is in the log's entries, or lost until the next.
    walk.isNews = walk.isNews || walks[table]?.isNews == true
    // Clocks of most file systems of Linux tick every 10 ms at most. What is moved in a tick in which the
    // directory is changed anyway is found by the next walk.
    if walk.stamp?.isSettled(by: time, tick: 100_000_000) == true {
      walk.strays = scanner.candidates.strays
    }
    walks[table] = walk
    for candidate in scanner.candidates {
      if let key = candidate.key, let row = candidate.base?.row { differing[key] = row }
    }
    return scanner.candidates
  }

  /// Returns the stray files of a table; see ``candidates(in:items:)``.
  func strays(
    in table: TableName, items: Directory?
  ) throws(WorkspaceError) -> [ItemID: InvalidItem] {
    guard let items else { return [:] }
    if let walk = walks[table], let strays = walk.strays,
      try FileStamp(items.status()) == walk.stamp
    {
      return strays
    }
    return try candidates(in: table, items: items).strays
  }

  /// Takes note that tsync has written an item's file, and of the fingerprint of its bytes; tells whether
  /// it is as the row that was appended last.
  func wrote(_ key: ItemKey, item: Item, digest: Digest) -> Bool {
    logs[key.table]?.wrote(item, digest: digest, as: key.id) == true
  }

  /// Returns what an item's file says that was read and hasn't changed since; `nil` where it must be
  /// read.
  func client(_ key: ItemKey, in directory: Directory, _ file: String) -> ClientState? {
    walks[key.table]?.state(of: key.id, in: directory, file)?.0
  }

  /// Returns what is known of a row, which need not be read where a file was just compared with it.
  ///
  /// - Throws: ``WorkspaceError``.
  func base(of key: ItemKey, replaced former: Version?) throws(WorkspaceError) -> Base {
    if let row = differing[key], let former, row.version == former { return Base(row) }
    return try log(of: key.table).base(of: key.id)
  }

  /// Takes note of files that were read and mean what bases say that were appended just now.
  func recognise(_ facts: [Fact], in table: TableName) {
    guard let readings = walks[table]?.readings, !readings.isEmpty else { return }
    for case .base(let row, _) in facts {
      guard let reading = readings[row.id] else { continue }
      _ = logs[table]?.wrote(reading.item, digest: reading.digest, as: row.id)
    }
  }

  /// Keeps what was found out for the next command, where it is worth it and the lock can be had.
  ///
  /// Without it the next command is slower, and no different: whatever goes wrong here is not told.
  func finish() {
    if isWriting { for log in logs.values { try? log.compactIfDue() } }
    guard isDue else { return }
    guard !isWriting else { return save() }
    guard let descriptor = try? root.openFile(Layout.lock, O_RDWR) else { return }
    defer { DirectoryLock.giveBack(descriptor) }
    if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { save() }
  }

  private var isDue: Bool {
    logs.contains { table, log in
      guard !log.generation.isEmpty else { return false }
      return walks[table]?.isNews == true || log.rows.known?.generation != log.generation
        || log.position.offset - (log.rows.known?.position.offset ?? 0) > Self.unindexed
    }
  }

  private func save() {
    // What another command has learnt meanwhile of other tables is taken over.
    let former = StatIndex(in: root, boot: boot)
    var images: [TableImage] = []
    for table in Set(logs.keys).union(former?.names ?? []).sorted() {
      if let log = logs[table] {
        guard !log.generation.isEmpty else { continue }
        // A walk before the log had any row knows of no place in it.
        let walk = walks[table].flatMap { ["", log.generation].contains($0.generation) ? $0 : nil }
        images.append(TableImage(of: log, walk: walk))
      } else if let other = try? self.log(of: table), !other.generation.isEmpty {
        images.append(TableImage(of: other, walk: nil))
      }
    }
    try? StatIndexWriter.write(images, boot: boot, to: root)
  }
}
