import SyncEngine
import SyncModel
import Workspace

/// A command's work with a workspace and, if it exchanges changes, with the server.
struct Session {
  /// What a command does with the workspace.
  enum Access: Equatable {
    /// Takes no lock, and writes only the index, which speeds up the next command.
    case reading
    case writing
    /// Exchanges changes; a dry run writes nothing.
    case exchanging(isDryRun: Bool)

    fileprivate var isWriting: Bool { self != .reading && self != .exchanging(isDryRun: true) }
  }

  let context: Context
  let configuration: Configuration
  /// The tables of the command: those of `-t`, or all.
  let tables: [TableName]
  var workspace: Workspace
  /// How many requests may be under way at once; `nil` leaves it to the settings.
  var jobs: Int?
  /// The pushes of this command so far.
  var pushed = PushSummary()
  /// What a dry run has made of the workspace, in memory.
  var rehearsal: Rehearsal<Workspace>?
  /// The conflicts that this command has printed already.
  var reported: Set<ItemKey> = []
  /// The place of the current conflict among all, `2 of 5`; `nil` if it is the only one.
  var place: String?
  fileprivate(set) var recovery = RecoveryReport()
  /// The command's words for the history.
  var recorded: Text
  /// Dates as they are meant when the command begins.
  let dates: DateWords
  private let access: Access
  private(set) var server: Server?

  fileprivate init(_ context: Context, at path: String, for access: Access) throws {
    (self.context, self.access, recorded) = (context, access, context.recorded)
    dates = DateWords(now: context.now)
    context.printer.hintText.workspace = path
    workspace = try context.workspace(at: path, isWriting: access.isWriting)
    try workspace.record(as: recorded)
    configuration = try Configuration(
      workspace: try workspace.settings(), user: try context.userDirectory?.settings())
    context.printer.apply(configuration)
    tables = try configuration.tables(named: context.options.table)
    (workspace.notices + configuration.warnings).forEach(context.printer.warn)
  }

  /// Whether nothing is written and nothing sent.
  var isDryRun: Bool { access == .exchanging(isDryRun: true) }

  /// Runs a body without the lock, because a person is asked or another program runs.
  ///
  /// All that was read before must be read again afterwards.
  mutating func unlocked<Result>(_ body: () throws -> Result) throws -> Result {
    guard access.isWriting else { return try body() }
    try finish()
    let (path, notices) = (workspace.path, workspace.notices)
    let number = workspace.recordedNumber
    workspace = try context.workspace(at: path, isWriting: false)
    let result = try body()
    workspace = try context.workspace(at: path, isWriting: true)
    workspace.notices.filter { !notices.contains($0) }.forEach(context.printer.warn)
    try recover()
    try workspace.record(as: recorded, number: number)
    return result
  }

  /// Runs a body on the workspace and its server, and connects first.
  mutating func exchange<Result>(
    _ body: (inout Session, Server) throws -> Result
  ) throws -> Result {
    let server = try server ?? Server(self)
    self.server = server
    let result = Swift.Result { try body(&self, server) }
    try server.keepFacts(in: workspace)
    return try result.get()
  }

  /// Ends the lines of this command in the history, and begins those of another command.
  mutating func record(as words: Text) throws {
    guard recorded != words else { return }
    if access.isWriting { try finish(context.printer.status) }
    recorded = words
    try workspace.record(as: words)
  }

  /// Writes the history line; `status` is set at the command's end.
  ///
  /// If the write fails, the next line still names displaced files.
  fileprivate mutating func finish(_ status: ExitStatus? = nil) throws {
    try workspace.finish(
      recorded, status: status.map { Int($0.number) }, tell: context.printer.warn)
  }

  /// Describes an error that ends the command.
  fileprivate func problem(_ error: any Error) -> Problem {
    let explained = server?.failure(error) ?? error
    var problem =
      context.invocation.signal().map { Problem.signal($0, during: explained) }
      ?? Problem(explained)
    // A clone has its own hint, and a push names the waiting changes.
    if problem.status == .unreachable, problem.hints.isEmpty, context.command != "clone" {
      problem.hints.append("nothing is lost\(.column)try again: \(typed: context.again)")
    }
    return problem
  }
}

extension Context {
  /// Opens the workspace, finishes an interrupted command, runs the body, and writes the history, even
  /// if the body fails.
  ///
  /// Without a path it finds the workspace. `prepare` runs before the recovery.
  func open<Result>(
    for access: Session.Access, at path: String? = nil,
    preparing prepare: (inout Session) throws -> Void = { _ in },
    _ body: (inout Session) throws -> Result
  ) throws -> Result {
    var session = try Session(self, at: path ?? findWorkspace(), for: access)
    let result: Result
    do {
      // This comes before the recovery, which would create missing directories.
      if case .exchanging = access { try session.requireDirectories() }
      try prepare(&session)
      session.recovery = try session.recover()
      result = try body(&session)
      // A command that only reads is not stopped by an index that can't be written.
      if access == .reading { try? session.finish() } else { try session.finish(printer.status) }
    } catch let new as NewField {
      // A person is asked, without the lock.
      try? session.finish(.usage)
      throw new
    } catch {
      // The first error is reported. If the history line wasn't written, this tries once more.
      let problem = session.problem(error)
      try? session.finish(printer.status.or(problem.status))
      throw problem
    }
    if case .exchanging = access { try checkSignal() }
    return result
  }

  fileprivate func workspace(at path: String, isWriting: Bool) throws -> Workspace {
    try Workspace(
      at: path, for: isWriting ? .writing(command: Text(command)) : .reading,
      clock: invocation.clock)
  }
}
