import Glibc
import SyncEngine
package import SyncModel
import SystemPackage

/// A directory of item files and tsync's own files: the disk of the engine.
///
/// A workspace that is open for reading holds no lock and changes nothing. One that is open for
/// writing holds the lock until its last copy is gone: no editor and no other program is run
/// meanwhile; afterwards the workspace is opened anew, because others may have changed it.
package struct Workspace {
  /// The access for which a workspace is opened.
  package enum Access: Sendable {
    /// To look at it.
    case reading
    /// To change it.
    ///
    /// - Parameters:
    ///   - command: The command's name, which processes that wait for the lock print.
    ///   - patience: How many seconds to wait for another process.
    case writing(command: Text, patience: Double = 5)
  }

  /// The path of the directory that holds `.todosync`.
  package let path: String
  /// What was found at the opening that a person should know.
  private let openingNotices: [String]

  /// `.todosync`.
  let root: Directory
  let trash: Trash
  let rows: Rows
  let clock: () -> Int64
  private let lock: DirectoryLock?

  /// What writes the history.
  let history: HistoryWriter
  /// The first items of a table that are being made.
  var filling: Filling?
  /// What a person should know of what was done since the opening.
  var laterNotices: [String] = []
  /// What ``finish(_:status:tell:)`` has told.
  private var told: Set<Text> = []

  /// Opens a workspace; whoever writes first clears up what a killed process left.
  ///
  /// - Parameters:
  ///   - path: The directory that holds `.todosync`, as ``find(from:home:isNamed:user:)`` gives it.
  ///   - access: What it is opened for.
  ///   - boot: The kernel's name for the time since the machine was started.
  ///   - clock: The time, in nanoseconds since 1970.
  /// - Throws: ``WorkspaceError``: no workspace, another format, the lock is held, damage, a failed
  ///   call.
  package init(
    at path: String, for access: Access, boot: Text = LogHeader.currentBoot,
    clock: @escaping () -> Int64
  ) throws(WorkspaceError) {
    self.path = path
    self.clock = clock
    root = try Self.openRoot(at: path)
    var notices = try Self.permissionNotices(of: root)
    var isWriting = false
    var words: Text = ""
    if case .writing(let command, let patience) = access {
      (isWriting, words) = (true, command)
      lock = try DirectoryLock(
        Layout.lock, in: root, patience: patience, command: command, now: clock())
    } else {
      lock = nil
    }
    _ = try Self.readState(in: root)
    // Who only reads displaces nothing, so that the trash may have been emptied by removing it.
    let bin =
      isWriting
      ? try root.child(Layout.trash, creating: true) : try root.existingChild(Layout.trash)
    trash = Trash(bin ?? root, clock: clock)
    let leftovers =
      isWriting ? try Leftovers(in: root, trash: trash).notices : []
    history = HistoryWriter(root: root, trash: trash, words: words, clock: clock)
    notices += leftovers
    let isJournalGone = try root.existingChild(Layout.journal) == nil
    if isJournalGone { notices.append(Layout.isGone(Layout.journal)) }
    if isWriting { try trash.empty() }
    rows = Rows(
      root: root, trash: trash, isWriting: isWriting, isGone: isJournalGone,
      boot: boot, clock: clock)
    openingNotices = notices
  }

  /// What a person should know of what was found so far: what a crash left, permissions that are
  /// too wide.
  package var notices: [String] { openingNotices + rows.notices }

  /// Ends a command: keeps what speeds up the next one, and writes the history's last line.
  ///
  /// `tell` is called even if the history can't be written.
  ///
  /// - Parameters:
  ///   - command: The command line's words, without secrets.
  ///   - status: What the command ends with; `nil` where it goes on.
  ///   - tell: Is given what a person should know of what was found and done since ``notices`` was
  ///     asked, each fact once.
  /// - Throws: ``WorkspaceError``.
  package mutating func finish(
    _ command: Text, status: Int? = nil, tell: (String) -> Void = { _ in }
  ) throws(WorkspaceError) {
    rows.finish()
    for notice in rows.notices + laterNotices where told.insert(Text(notice)).inserted {
      tell(notice)
    }
    guard isWriting else { return }
    laterNotices = []
    history.words = command
    try history.finish(status)
    history.notices.forEach(tell)
  }

  /// Whether this workspace holds the lock.
  package var isWriting: Bool { lock != nil }

  /// Makes sure that the caller has the right to change anything.
  func requireLock() {
    precondition(isWriting, "a workspace that is open for reading can't be changed")
  }

  static func openRoot(at path: String) throws(WorkspaceError) -> Directory {
    do throws(WorkspaceError) {
      let descriptor = try Directory(path: path, place: path).open(
        Layout.directory, O_RDONLY | O_DIRECTORY)
      return Directory(FileDescriptor(rawValue: descriptor), place: "")
    } catch {
      guard case .file(_, .noSuchFileOrDirectory) = error else { throw error }
      throw .notFound(from: path)
    }
  }

  private static func permissionNotices(of root: Directory) throws(WorkspaceError) -> [String] {
    var status = stat()
    let descriptor = root.descriptor.rawValue
    try WorkspaceError.checking(Layout.directory) { fstat(descriptor, &status) }
    guard status.st_mode & 0o077 != 0 else { return [] }
    return ["\(Layout.directory) is open to other users: chmod 700 \(Layout.directory)"]
  }

  static func readState(in root: Directory) throws(WorkspaceError) -> WorkspaceState {
    guard let text = try PrivateFile(directory: root, name: Layout.state).read() else {
      return WorkspaceState()
    }
    return try WorkspaceState(text, place: Layout.state)
  }
}
