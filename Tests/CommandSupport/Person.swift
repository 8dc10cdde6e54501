import Commands
package import CurlTransport
import Glibc
import SyncModel
import SystemPackage
package import TestSupport

/// A person at a shell, in a directory of their own: runs command lines inside the test.
package final class Person {
  /// Where the person is; the workspace is, or will be, `list` in it.
  package let directory: TemporaryDirectory
  /// The environment's variables, beside those that everybody has.
  package var environment: [(name: String, value: String)] = []
  /// What the person types at a terminal; `nil` where there is none.
  package var types: [String]?
  /// Happens before the person gives the first answer.
  package var whileAsked: () -> Void = {}
  /// How many columns the person's terminal has.
  package var columns = 80
  /// How large and how slow a server's answers may be; none takes more than two minutes, so that no test hangs.
  package var limits = {
    var limits = TransportLimits()
    limits.requestMilliseconds = 120_000
    return limits
  }()
  /// How many milliseconds each pause took before a request was sent again; no time passes in them.
  package private(set) var pauses: [Int] = []
  /// The bytes that the last command wrote, on either stream.
  package private(set) var written: [UInt8] = []
  /// The clock, in nanoseconds since 1970; `nil` is the machine's.
  package var now: (() -> Int64)?
  /// The signal that asks the commands to end.
  package var signal: () -> Int32? = { nil }

  /// Makes a person without a workspace.
  package init(in directory: TemporaryDirectory = TemporaryDirectory()) {
    self.directory = directory
  }

  /// Makes a person who is in a workspace of a server's tables.
  ///
  /// - Throws: `TestFailure` where the clone fails.
  package convenience init(cloning url: String, tables: [String] = []) throws {
    self.init()
    let cloned = run(["clone"] + tables.flatMap { ["-t", $0] } + [url, "list"])
    guard cloned.status == 0 else { throw TestFailure(cloned.error) }
  }

  /// Where the person's workspace is, or will be.
  package var workspace: String { directory.path(of: "list") }

  /// The environment of a program that the person starts.
  package var variables: [(name: String, value: String)] {
    let own = Set(environment.map { Text($0.name) })
    let usual = [
      ("XDG_CONFIG_HOME", directory.path(of: "config")), ("HOME", directory.path),
      ("PATH", "\(Programs.directory):/usr/bin:/bin"),
      ("TZ", "UTC"), ("TERM", "xterm"),
    ]
    return environment + Sanitizer.variables + usual.filter { !own.contains(Text($0.0)) }
  }

  /// Runs a command line in the person's workspace, or beside it where there is none yet.
  @discardableResult
  package func run(_ words: String...) -> Outcome { run(words) }

  /// Runs a command line in the person's workspace, or beside it.
  @discardableResult
  package func run(_ words: [String], beside: Bool = false) -> Outcome {
    let isTerminal = types != nil
    var line = CommandRun(
      in: beside || access(workspace, F_OK) != 0 ? directory.path : workspace,
      home: directory.path, variables: variables)
    line.input = (types ?? []).map { Array("\($0)\n".utf8) }
    (line.isTerminal, line.columns) = (isTerminal, columns)
    line.whileAsked = whileAsked
    if let now { line.invocation.clock = now }
    line.invocation.signal = signal
    line.invocation.pause = { [self] in pauses.append($0) }
    line.invocation.limits = limits
    let outcome = line(isTerminal ? words + ["--color", "never"] : words)
    written = Array(outcome.text.utf8)
    return outcome
  }
}

extension Person {
  /// The path of an item's file below the person's directory.
  package func file(_ name: String) -> String { "list/.todosync/items/todoitem/\(name).json" }

  /// Returns the text of an item's file.
  package func item(_ name: String) -> String? { directory.text(file(name)) }

  /// Returns the names of the conflict files.
  package var conflicts: [String] {
    directory.names(in: "list/.todosync/conflicts/todoitem").filter { $0 != "." }
  }

  /// Returns the texts that lie in a directory of the trash.
  package func trashed(_ place: String = "items/todoitem") -> [String] {
    let trash = "list/.todosync/trash/\(place)"
    return directory.names(in: trash).compactMap { directory.text("\(trash)/\($0)") }
  }

  /// Starts tsync as a process of its own in the person's workspace.
  ///
  /// - Throws: `Errno` where it can't be started.
  package func start(_ words: [String], columns: Int? = nil) throws -> ChildProcess {
    try ChildProcess(
      [Programs.path(of: "tsync")] + words, in: workspace, variables, columns: columns)
  }

  /// Runs a line of the shell's in the person's workspace, as a process of its own.
  ///
  /// - Throws: `Errno` where it can't be started.
  package func shell(_ line: String) throws -> Outcome {
    try ChildProcess(["sh", "-c", line], in: workspace, variables).outcome()
  }
}
