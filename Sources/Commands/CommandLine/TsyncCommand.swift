import ArgumentParser

/// One subcommand: it parses its options, calls the engine, and prints what came of it.
protocol TsyncCommand: ParsableCommand {
  /// The options that all commands have.
  var options: GlobalOptions { get }
  /// The words that say what it is about, as the history keeps them: no values.
  var selection: [String] { get }

  /// Runs the command.
  ///
  /// - Throws: ``Failure``, or any error that ``Failure/init(_:)`` finds words for.
  mutating func run(in context: Context) throws
}

extension TsyncCommand {
  var selection: [String] { [] }

  /// The name that the command is called by.
  static var name: String { configuration.commandName ?? _commandName }
}
