import ArgumentParser
import Glibc
import SystemPackage

/// Replaces this process by `tsync-server` from the same directory.
struct ServeCommand: TsyncCommand {
  static let configuration = CommandConfiguration(commandName: "serve", abstract: "Run the server.")

  // All words behind `serve` are for the server.
  @Argument(parsing: .allUnrecognized, help: "The options of tsync-server.")
  var arguments: [String] = []

  // An option group that was never parsed can't be read; parsing no words can't fail.
  var options: GlobalOptions { (try? GlobalOptions.parse([])) ?? GlobalOptions() }

  func run(in context: Context) throws {
    let server = try context.invocation.sibling("tsync-server")
    var words = (["tsync-server"] + context.words.dropFirst()).map { strdup($0) } + [nil]
    var variables =
      context.invocation.environment.variables.map { strdup("\($0.name)=\($0.value)") } + [nil]
    // execve resets handlers, but keeps ignored signals ignored.
    for number in [SIGPIPE, SIGXFSZ] { signal(number, SIG_DFL) }
    execve(server, &words, &variables)
    let error = Errno(rawValue: errno)
    throw Problem.usage("cannot run \(server): \(error)")
  }
}

extension Invocation {
  /// Finds a program in the directory of the running one.
  func sibling(_ name: String) throws -> String {
    guard let executable else { throw Problem.usage("cannot find \(name)") }
    let directory = PathName.split(executable).directory
    let path = "\(directory)/\(name)"
    guard access(path, X_OK) == 0 else { throw Problem.usage("\(name) is not in \(directory)") }
    return path
  }
}
