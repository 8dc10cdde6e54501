import SyncEngine
import SyncModel
import Workspace

/// A command that exchanges changes with the server: the workspace, under its lock unless nothing is
/// to be changed, and the line to the server.
///
/// The lock is given back while a person is asked or another program runs (``pause()``), and taken
/// again with the next use; whatever was read before must then be read again.
struct Session {
  /// What the command has at hand.
  let context: Context
  /// The settings.
  let configuration: Configuration
  /// The tables that the command is about.
  let tables: [TableName]
  /// How many requests may be under way at once; `nil` leaves it to the settings.
  var jobs: Int?
  /// How everything would stand after a pull that was only rehearsed.
  var foreseen: Foresight?
  /// The conflicts that this command has told of already.
  var told: Set<ItemKey> = []
  /// The place of the conflict that is decided on among all, `2 of 5`; `nil` where it is the only one.
  var place: String?
  /// What an interrupted command had left when this one began.
  let recovered: Recovered
  private let isWriting: Bool
  private let path: String
  private var open: OpenWorkspace?
  /// What was told at an opening of the workspace.
  private var toldNotices: Set<Text>
  private var connection: Connection?

  /// Opens the workspace, and finishes what an interrupted command left.
  private init(_ context: Context, at path: String, isWriting: Bool) throws {
    var open = try context.prepared(Self.workspace(context, path, isWriting))
    // Without a directory of items there is nothing to exchange, and recovery would make it anew.
    try open.requireDirectories()
    recovered = isWriting ? try context.recover(&open) : Recovered()
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

  /// Runs a command in a session, and keeps what it did, also where it fails.
  ///
  /// Without a path the workspace is looked for; a command that changes nothing takes no lock.
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
      let told = session.connection?.failure(error) ?? error
      var failure =
        context.invocation.signal().map { Failure.signal($0, during: told) } ?? Failure(told)
      // A clone knows its own way on, and a push what waits.
      if failure.status == .unreachable, failure.hints.isEmpty, context.command != "clone" {
        failure.hints.append(
          "nothing is lost\(.column)try again: \(typed: context.command)")
      }
      // What went wrong first is what is told; a line that could not be written is tried once more.
      try? session.pause(failure.status)
      throw failure
    }
    try context.checkSignal()
  }

  /// Works on the workspace; it is opened anew where it was given back.
  mutating func use<Result>(_ body: (inout OpenWorkspace) throws -> Result) throws -> Result {
    var taken = if let open { open } else { try reopened() }
    open = nil
    defer { open = taken }
    return try body(&taken)
  }

  /// Opens the workspace anew, and tells what others have left in it meanwhile.
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

  /// Works on the workspace and with its server, which is connected to first.
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

  /// Writes the history's line and gives the lock back; the command's status is known at its end.
  ///
  /// Where the line can't be written the workspace stays open, and what was displaced stands in the one
  /// that the next call writes.
  mutating func pause(_ status: ExitStatus? = nil) throws {
    guard open != nil else { return }
    let context = context
    try use { open in
      try open.workspace.finish(
        context.recorded, status: status.map { Int($0.number) }, tell: context.output.warn)
    }
    open = nil
  }

  /// What the engine goes by.
  var settings: Settings { configuration.settings(for: tables, now: context.now) }
}
