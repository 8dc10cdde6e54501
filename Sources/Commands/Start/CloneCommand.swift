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

  @Argument(help: ArgumentHelp("The server's address.", valueName: "url"))
  var url: String

  @Argument(help: "The directory; by default, the name of the host.")
  var dir: String?

  func run(in context: Context) throws {
    let address = try ServerAddress(Text(url))
    let shown = dir ?? address.origin.host.string
    let path = context.path(shown)
    let tables = try Self.tables(options.table)
    try Self.refuse(path, shown, context)
    if let token = try Login.token(file: tokenFile, for: address.origin, asks: false, context) {
      try Login.keep(token, for: address.origin, context)
    }
    var settings = SettingsFile(place: "config.json", text: nil)
    try settings.set("remote", from: Text(address.description))
    try settings.set("tables", from: Text(tables.map(\.description).joined(separator: ",")))
    try Workspace.make(at: path, settings: settings, state: WorkspaceState(), tables: tables)
    let names = tables.map(\.description).joined(separator: ", ")
    context.output.set("directory", .string(path))
    context.output.set("remote", .string(address.description))
    context.output.summary(Line("made workspace \(shown) (\(names))"))
    context.output.hintText.enter(shown)
    do {
      try context.open(for: .exchanging(isDryRun: false), at: path) { session in
        try session.pull(PullOptions())
      }
    } catch {
      throw Self.continued(Failure(error))
    }
  }

  private static func tables(_ words: [String]) throws -> [TableName] {
    var tables: [TableName] = []
    for word in words.isEmpty ? ["todoitem"] : words {
      let table = try TableName(Text(word))
      if !tables.contains(table) { tables.append(table) }
    }
    return tables
  }

  /// Refuses a directory that is not empty, or is in a workspace.
  private static func refuse(_ path: String, _ shown: String, _ context: Context) throws {
    if let stream = opendir(path) {
      defer { closedir(stream) }
      while let entry = readdir(stream) {
        let name = withUnsafeBytes(of: &entry.pointee.d_name) {
          String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
        }
        let isNothing = [".", ".."].contains { Text($0) == Text(name) }
        guard isNothing || Workspace.isLeftover(name) else {
          throw isNotEmpty(path, shown, context)
        }
      }
      return try refuseNesting(path, shown, context)
    }
    guard errno == ENOENT else { throw WorkspaceError.file(place: shown, Errno(rawValue: errno)) }
    try refuseNesting(path, shown, context)
  }

  /// Returns the failure; for a workspace, such as an interrupted clone, with a hint to go on.
  private static func isNotEmpty(_ path: String, _ shown: String, _ context: Context) -> Failure {
    let found = try? Workspace.find(from: path, home: context.invocation.home, isNamed: true)
    let isWorkspace = found != nil && found == UserDirectory.resolved(path)
    let hint: Hint = "it is a workspace; to continue there\(.column)\(typed: "-C", shown, "pull")"
    return .usage("\(shown) is not empty", hints: isWorkspace ? [hint] : [])
  }

  private static func refuseNesting(_ path: String, _ shown: String, _ context: Context) throws {
    let found: String
    do throws(WorkspaceError) {
      found = try Workspace.find(
        from: PathName.nearestDirectory(path), home: context.invocation.home, isNamed: true)
    } catch {
      switch error {
      // Another user's workspace above this directory doesn't count.
      case .notFound, .untrusted: return
      default: throw error
      }
    }
    throw Failure.usage("\(shown) is in the workspace \(found)")
  }

  /// Adds a hint to go on, because the workspace exists.
  private static func continued(_ failure: Failure) -> Failure {
    var failure = failure
    if failure.status == .usage {
      failure.hints.append(
        "the workspace is made; to change the URL\(.column)\(typed: "remote", "set", "URL")")
    } else if [.unreachable, .unauthorized].contains(failure.status) || failure.status.isSignal {
      failure.hints.append(
        "the workspace is made; to continue\(.column)\(typed: "pull")")
    }
    return failure
  }
}
