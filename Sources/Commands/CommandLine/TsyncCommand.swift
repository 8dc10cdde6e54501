import ArgumentParser

/// A subcommand: it parses its options, calls the engine and prints the result.
protocol TsyncCommand: ParsableCommand {
  var options: GlobalOptions { get }
  /// The words for the history, such as references; no values.
  var selection: [String] { get }

  /// Runs the command; ``Problem/init(_:)`` describes any error.
  mutating func run(in context: Context) throws
}

extension TsyncCommand {
  var selection: [String] { [] }

  static var name: String { configuration.commandName ?? _commandName }
}
