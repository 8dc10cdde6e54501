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
    try Self.requireEmpty(shown, in: context)
    let new = try NewWorkspace(at: shown, in: context)
    if let token = try Login.token(file: tokenFile, for: address.origin, asks: false, context) {
      try Login.keep(token, for: address.origin, context)
    }
    try new.make(remote: address.description, context.printer)
    context.printer.set("directory", new.path)
    context.printer.set("remote", address.description)
    context.printer.hintText.enter(shown)
    do {
      try context.open(for: .exchanging(isDryRun: false), at: new.path) { session in
        try session.pull()
      }
    } catch {
      // The workspace exists, and the user can go on in it.
      var problem = Problem(error)
      if problem.status == .usage {
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
      guard errno == ENOENT else { throw WorkspaceError.file(place: shown, Errno(rawValue: errno)) }
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
