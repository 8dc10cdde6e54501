import ArgumentParser
import Glibc
import SyncModel
import SystemPackage

/// `tsync serve`: runs the server that lies beside this program, in its place.
struct ServeCommand: TsyncCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve", abstract: "Run the server.")

  // The server's own options: whatever stands behind `serve` is handed on.
  @Argument(parsing: .allUnrecognized, help: "What the server takes.")
  var arguments: [String] = []

  // Read from no words: an option group that was never parsed can't be read.
  var options: GlobalOptions {
    // Without words there is nothing that could be wrong.
    (try? GlobalOptions.parse([])) ?? GlobalOptions()
  }

  func run(in context: Context) throws {
    let server = try SiblingProgram.path("tsync-server", of: context.invocation)
    context.output.flush()
    var words = (["tsync-server"] + context.words.dropFirst()).map { strdup($0) } + [nil]
    var variables =
      context.invocation.environment.variables.map { strdup("\($0.name)=\($0.value)") } + [nil]
    // A handler would be lost with the program, what is ignored stays ignored.
    for number in [SIGPIPE, SIGXFSZ] { signal(number, SIG_DFL) }
    execve(server, &words, &variables)
    let error = Errno(rawValue: errno)
    (words + variables).forEach { free($0) }
    throw Failure.usage("cannot run \(server): \(error)")
  }
}

/// Programs that lie beside the running one.
enum SiblingProgram {
  /// Returns the path of a program that can be run.
  ///
  /// - Throws: ``Failure``.
  static func path(_ name: String, of invocation: Invocation) throws -> String {
    guard let own = invocation.executable else {
      throw Failure.usage("cannot find \(name)")
    }
    let directory = PathName.split(own).directory
    let path = "\(directory)/\(name)"
    guard access(path, X_OK) == 0 else {
      throw Failure.usage("\(name) does not lie in \(directory)")
    }
    return path
  }
}
