import ArgumentParser
import Glibc
import Remote
import SyncEngine
import SyncModel
import SystemPackage
import Workspace

struct CloneCommand: TsyncCommand {
  static let configuration = CommandConfiguration(
    commandName: "clone", abstract: "Make a workspace from a server's tables.")

  @OptionGroup var options: GlobalOptions

  @Option(
    name: .customLong("token-file"),
    help: ArgumentHelp("Read the token for the server from FILE.", valueName: "file"))
  var tokenFile: String?

  @Option(
    name: .long,
    help: ArgumentHelp("Pull the rows that fit, as the query NAME.", valueName: "name=filter"))
  var query: [String] = []

  @Argument(help: ArgumentHelp("The server's address.", valueName: "url"))
  var url: String

  @Argument(help: "The directory; by default, the name of the host.")
  var dir: String?

  func run(in context: Context) throws {
    let address = try ServerAddress(Text(url))
    let shown = dir ?? address.origin.host.string
    try Self.requireEmpty(shown, in: context)
    var new = try NewWorkspace(at: shown, in: context)
    new.queries = try Query.all(of: query, in: new.tables)
    if let token = try Login.token(file: tokenFile, for: address.origin, asks: false, context) {
      try Login.keep(token, for: address.origin, context)
    }
    let isNew = access(new.path, F_OK) != 0
    try new.make(remote: address.description)
    context.printer.hintText.enter(shown)
    var isGone = false
    do {
      try context.open(for: .exchanging(isDryRun: false), at: new.path) { session in
        let connection = Result { try session.exchange { _, _ in } }
        if case .failure(let stop as Stop) = connection, stop.isElsewhere {
          // What the server answered is said, even if the removal fails.
          isGone = (try? session.workspace.unmake()) ?? false
        }
        if !isGone {
          new.announce(context.printer)
          context.printer.set("remote", address.description)
        }
        // To a pull, an unknown dialect is no failure.
        if case .failure(let error) = connection, error as? Problem != Server.unknownDialect {
          throw error
        }
        try session.pull()
      }
    } catch {
      // If a server of tables may be there, the workspace exists, and the user can go on in it.
      var problem = Problem(error)
      if isGone {
        if isNew { rmdir(new.path) }
        problem.hints = ["nothing was made: check the URL, the tables (-t) and the network"]
      } else if problem.status == .usage, problem.hints.isEmpty {
        problem.hints.append(
          "the workspace is made; to change the URL\(.column)\(typed: "remote", "set", "URL")")
      } else if [.unreachable, .unauthorized].contains(problem.status) || problem.status.isSignal {
        problem.hints.append("the workspace is made; to continue\(.column)\(typed: "pull")")
      }
      throw problem
    }
  }

  /// Refuses a directory with files; if it is a workspace, with a hint to go on.
  private static func requireEmpty(_ shown: String, in context: Context) throws {
    let path = context.path(shown)
    guard let stream = opendir(path) else {
      guard errno == ENOENT else { throw WorkspaceError.file(place: path, Errno(rawValue: errno)) }
      return
    }
    defer { closedir(stream) }
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) {
        String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
      }
      let isNothing = [".", ".."].contains { Text($0) == Text(name) }
      if isNothing || Workspace.isLeftover(name) { continue }
      // An interrupted clone leaves a workspace.
      let found = try? Workspace.find(from: path, home: context.invocation.home, isNamed: true)
      let isWorkspace = found != nil && found == UserDirectory.resolved(path)
      let hint: Hint = "it is a workspace; to continue there\(.column)\(typed: "-C", shown, "pull")"
      throw Problem.usage("\(shown) is not empty", hints: isWorkspace ? [hint] : [])
    }
  }
}

extension Stop {
  /// Whether what answered is no server of the tables.
  fileprivate var isElsewhere: Bool {
    switch self {
    case .elsewhere, .noTable: true
    case .unreachable, .busy, .unauthorized, .notSpeaking, .unsafe: false
    }
  }
}
