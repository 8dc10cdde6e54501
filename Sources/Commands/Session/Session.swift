import SyncEngine
import SyncModel
import Workspace

/// A command's work with workspace and server, under the lock unless it changes nothing.
///
/// ``pause(_:)`` gives the lock back while a person is asked or another program runs. The next
/// use takes the lock again; all that was read before must then be read again.
struct Session {
  let context: Context
  let configuration: Configuration
  let tables: [TableName]
  /// How many requests may be under way at once; `nil` leaves it to the settings.
  var jobs: Int?
  /// The survey after a pull that was only rehearsed.
  var preview: PushPreview?
  /// The conflicts that this command has printed already.
  var reported: Set<ItemKey> = []
  /// The place of the current conflict among all, `2 of 5`; `nil` if it is the only one.
  var place: String?
  let recovery: RecoveryReport
  private let isWriting: Bool
  private let path: String
  private var open: OpenWorkspace?
  private var toldNotices: Set<Text>
  private var connection: Connection?

  private init(_ context: Context, at path: String, isWriting: Bool) throws {
    var open = try context.prepared(Self.workspace(context, path, isWriting))
    // This comes before the recovery, which would create missing directories.
    try open.requireDirectories()
    recovery = isWriting ? try context.recover(&open) : RecoveryReport()
    self.context = context
    self.isWriting = isWriting
    self.path = path
    configuration = open.configuration
    tables = open.tables
    toldNotices = Set(open.workspace.notices.map { Text($0) })
    self.open = open
  }

  private static func workspace(
    _ context: Context, _ path: String, _ isWriting: Bool
  ) throws -> Workspace {
    try Workspace(
      at: path, for: isWriting ? .writing(command: Text(context.command)) : .reading,
      clock: context.invocation.clock)
  }

  /// Runs a command in a session, and writes the history even if it fails.
  ///
  /// Without a path it finds the workspace; a command that changes nothing takes no lock.
  static func run(
    in context: Context, at path: String? = nil, isWriting: Bool = true,
    _ body: (inout Session) throws -> Void
  ) throws {
    var session = try Session(
      context, at: path ?? context.findWorkspace(), isWriting: isWriting)
    do {
      try body(&session)
      try session.pause(context.output.status)
    } catch {
      let explained = session.connection?.failure(error) ?? error
      var failure =
        context.invocation.signal().map { Failure.signal($0, during: explained) }
        ?? Failure(explained)
      // A clone has its own hint, and a push names the waiting changes.
      if failure.status == .unreachable, failure.hints.isEmpty, context.command != "clone" {
        failure.hints.append(
          "nothing is lost\(.column)try again: \(typed: context.command)")
      }
      // The first error is reported. If the history line wasn't written, this tries once more.
      try? session.pause(failure.status)
      throw failure
    }
    try context.checkSignal()
  }

  /// Runs the body on the workspace, which it opens again after a pause.
  mutating func use<Result>(_ body: (inout OpenWorkspace) throws -> Result) throws -> Result {
    var taken = if let open { open } else { try reopened() }
    open = nil
    defer { open = taken }
    return try body(&taken)
  }

  /// Opens the workspace again, and prints new notices.
  private mutating func reopened() throws -> OpenWorkspace {
    var open = OpenWorkspace(
      workspace: try Self.workspace(context, path, isWriting), configuration: configuration,
      tables: tables)
    for notice in open.workspace.notices where toldNotices.insert(Text(notice)).inserted {
      context.output.warn(notice)
    }
    if isWriting { try context.recover(&open) }
    return open
  }

  /// Runs the body on the workspace and its server, and connects first.
  mutating func exchange<Result>(
    _ body: (inout Workspace, inout Connection) throws -> Result
  ) throws -> Result {
    var line = connection
    connection = nil
    defer { connection = line }
    let (context, jobs) = (context, jobs)
    return try use { open in
      var taken = try line ?? Connection(context, open, jobs: jobs)
      line = nil
      defer { line = taken }
      let result = Swift.Result { try body(&open.workspace, &taken) }
      try taken.keepTables(in: open.workspace)
      return try result.get()
    }
  }

  /// Writes the history line and gives the lock back; `status` is set at the command's end.
  ///
  /// If the write fails, the workspace stays open: the next line still names displaced files.
  mutating func pause(_ status: ExitStatus? = nil) throws {
    guard open != nil else { return }
    let context = context
    try use { open in
      try open.workspace.finish(
        context.recorded, status: status.map { Int($0.number) }, tell: context.output.warn)
    }
    open = nil
  }

  var settings: Settings { configuration.settings(for: tables, now: context.now) }
}
