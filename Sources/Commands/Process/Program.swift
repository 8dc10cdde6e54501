import Glibc

/// A program to run: an editor, a pager, or a command for conflicts or tokens.
package struct Program {
  /// The program's standard input.
  package enum Input {
    /// This process's standard input.
    case inherited
    /// These bytes.
    case bytes([UInt8])
  }

  /// The program's name, to look up in `PATH`, or its path.
  package var name: String
  /// The arguments, without the program's name.
  package var arguments: [String]
  /// The directory that the program runs in.
  package var directory: String
  /// The program's environment.
  package var environment: Environment
  /// The program's standard input.
  package var input: Input
  /// Whether the caller gets the standard output; otherwise it goes to this process's.
  package var isCaptured: Bool

  /// Describes a run in a directory, with an environment.
  package init(
    _ name: String, _ arguments: [String] = [], directory: String, environment: Environment,
    input: Input = .inherited, isCaptured: Bool = false
  ) {
    self.name = name
    self.arguments = arguments
    self.directory = directory
    self.environment = environment
    self.input = input
    self.isCaptured = isCaptured
  }

  /// Describes a configured command: `sh -c` runs it with the arguments behind it, as git does.
  package static func shell(
    _ command: String, _ arguments: [String] = [], in invocation: Invocation
  ) -> Program {
    // No `exec` is needed: sh replaces itself by a simple command.
    let script = arguments.isEmpty ? command : "\(command) \"$@\""
    return Program(
      "sh", ["-c", script, command] + arguments, directory: invocation.directory,
      environment: invocation.environment)
  }
}

/// How a program ended.
package struct Ending: Equatable, Sendable {
  /// The exit status; 128+n if signal n ended the program.
  package var status: Int32
  /// The standard output, if the caller gets it.
  package var output: [UInt8]

  /// Describes an end by its status and output.
  package init(status: Int32, output: [UInt8] = []) {
    self.status = status
    self.output = output
  }

  /// The keyboard signal that ended the program: it was for this command, too.
  var keyboardSignal: Int32? { [SIGINT, SIGQUIT].first { status == 128 + $0 } }
}
