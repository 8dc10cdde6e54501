import CommandSupport
import Commands
import Glibc
import SyncModel
import SystemPackage
import TestSupport

/// A world of a script's own: a fresh directory, a home, a clock that stands, and streams that are
/// kept.
final class ScriptWorld {
  /// The directory that everything lies in.
  let directory = TemporaryDirectory()
  /// The current directory, absolute.
  var current: String
  /// The environment.
  var environment: [String: String]
  /// The time in nanoseconds since 1970; 2026-11-21T10:15:00Z at first.
  var now: Int64 = 1_795_256_100 * 1_000_000_000
  /// What the next command reads.
  var input: [UInt8] = []
  /// Whether the streams are a person's.
  var isTerminal = false
  /// The signal that asks the next command to end.
  var signal: Int32?
  /// What the last command wrote.
  private(set) var output = "", error = ""
  /// What the last command ended with.
  private(set) var status: Int32 = 0
  private var random = SplitMix64(seed: 1)

  init() {
    let path = getenv("PATH").map { String(cString: $0) } ?? "/usr/bin:/bin"
    current = directory.path(of: "work")
    environment = [
      "PATH": path, "HOME": directory.path(of: "home"), "EDITOR": "false",
      "PROGRAMS": Programs.directory,
    ]
    mkdir(current, 0o700)
    mkdir(directory.path(of: "home"), 0o700)
  }

  private var variables: [(name: String, value: String)] {
    environment.map { (name: $0.key, value: $0.value) }
  }

  /// Runs a command line of tsync's.
  @discardableResult
  func tsync(_ words: [String]) -> Int32 {
    var line = CommandRun(
      in: current, home: directory.path(of: "home"), variables: variables)
    line.invocation.executable = directory.path(of: "bin/tsync")
    line.input = [input]
    line.isTerminal = isTerminal
    line.keepsPrograms = true
    line.invocation.clock = { self.now }
    line.invocation.random = { self.random.next() }
    line.invocation.signal = { self.signal }
    let outcome = line(words)
    (input, signal) = ([], nil)
    (output, error, status) = (outcome.output, outcome.error, outcome.status)
    return status
  }

  /// Runs a line of the shell's in the current directory.
  func shell(_ line: String) throws {
    let outcome = try ChildProcess(["sh", "-c", line], in: current, variables).outcome()
    (output, error, status) = (outcome.output, outcome.error, outcome.status)
  }

  /// Returns a path as an absolute one.
  func path(_ name: String) -> String {
    FilePath(current).pushing(FilePath(name)).lexicallyNormalized().string
  }

  /// Returns a file's text; `stdout` and `stderr` are what the last command wrote.
  func text(_ name: String) -> String? {
    if name == "stdout" { return output }
    if name == "stderr" { return error }
    return Files.text(path(name))
  }
}
