import ArgumentParser
import TableServer

/// The command line's root.
struct TsyncServer: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "tsync-server",
    abstract: "Serve tables of items to tsync and to clients of Azure Mobile Apps and Datasync.",
    version: ServerOptions.version,
    subcommands: [ServeCommand.self, TokenCommand.self, CheckCommand.self, CopyCommand.self],
    defaultSubcommand: ServeCommand.self)
}

/// Where rows and tokens are kept.
struct StoreOption: ParsableArguments {
  @Option(
    name: .long,
    help: ArgumentHelp(
      "Keep rows and tokens in this SQLite file, made if it is missing; in a database of PostgreSQL; or in 'memory'.",
      valueName: "path"))
  var store = "tsync-server.db"

  /// Whether nothing is to be kept when the process ends.
  var isMemory: Bool { store == "memory" }

}

extension TsyncServer {
  /// Runs the process's command line and returns the exit status; what went wrong is said.
  static func status() async -> Int32 {
    do {
      var command = try parseAsRoot()
      if var command = command as? any AsyncParsableCommand {
        try await command.run()
      } else {
        try command.run()
      }
      return 0
    } catch {
      let failure = ServerFailure(error)
      failure.report()
      return failure.status
    }
  }
}
