import Glibc

/// Another program to be run: an editor, a pager, what decides conflicts or knows tokens.
package struct Program {
  /// What the program reads as standard input.
  package enum Input {
    /// What this process reads.
    case inherited
    /// These bytes.
    case bytes([UInt8])
  }

  /// The program's name, looked up in `PATH`, or its path.
  package var name: String
  /// Its arguments, without its name.
  package var arguments: [String]
  /// The directory it runs in.
  package var directory: String
  /// Its environment.
  package var environment: Environment
  /// What it reads.
  package var input: Input
  /// Whether what it writes to standard output is kept for the caller; it goes where this process
  /// writes otherwise.
  package var isCaptured: Bool

  /// Makes a description.
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

  /// Describes the running of a command that a person configured, as git runs its editor: by
  /// `sh -c`, the arguments behind it.
  package static func shell(
    _ command: String, _ arguments: [String] = [], in invocation: Invocation
  ) -> Program {
    // A word without anything for the shell in it needs no shell in between: sh replaces itself.
    let script = arguments.isEmpty ? command : "\(command) \"$@\""
    return Program(
      "sh", ["-c", script, command] + arguments, directory: invocation.directory,
      environment: invocation.environment)
  }
}

/// How a program ended.
package struct Ending: Equatable, Sendable {
  /// Its exit status; 128+n where signal n ended it.
  package var status: Int32
  /// What it wrote, where that was kept.
  package var output: [UInt8]

  /// Makes a description.
  package init(status: Int32, output: [UInt8] = []) {
    self.status = status
    self.output = output
  }

  /// The keyboard's signal that has ended it, which was for the command that ran it, too; `nil` for
  /// none.
  var keyboardSignal: Int32? { [SIGINT, SIGQUIT].first { status == 128 + $0 } }
}
