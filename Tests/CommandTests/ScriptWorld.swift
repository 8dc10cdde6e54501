import Glibc
import SyncModel
import SystemPackage
import TestSupport

@testable import Commands

/// A world of a script's own: a fresh directory, a home, a clock that stands, and streams that are
/// kept.
final class ScriptWorld {
  /// The directory that everything lies in.
  let directory = TemporaryDirectory()
  /// The current directory, absolute.
  var current: String
  /// The environment.
  var environment: Environment
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
    environment = Environment([
      ("PATH", Text(path)), ("HOME", Text(directory.path(of: "home"))), ("EDITOR", "false"),
    ])
    mkdir(current, 0o700)
    mkdir(directory.path(of: "home"), 0o700)
  }

  /// Runs a command line of tsync's.
  @discardableResult
  func tsync(_ words: [String]) -> Int32 {
    var (output, error): ([UInt8], [UInt8]) = ([], [])
    var rest = input
    input = []
    let invocation = Invocation(
      directory: current, environment: environment, home: environment["HOME"],
      executable: directory.path(of: "bin/tsync"),
      input: .init(isTerminal: isTerminal) { () throws(Errno) in
        defer { rest = [] }
        return rest
      },
      output: .init(isTerminal: isTerminal) { bytes throws(Errno) in output += bytes },
      error: .init(isTerminal: isTerminal) { bytes throws(Errno) in error += bytes },
      clock: { self.now }, random: { self.random.next() }, signal: { self.signal },
      run: { program throws(Errno) in
        var program = program
        let isKept = program.isCaptured
        if case .inherited = program.input { program.input = .bytes([]) }
        program.isCaptured = true
        let ending = try ProgramRun(program).ending()
        if !isKept { output += ending.output }
        return ending
      })
    status = Tsync.run(words, in: invocation)
    signal = nil
    self.output = String(decoding: output, as: UTF8.self)
    self.error = String(decoding: error, as: UTF8.self)
    return status
  }

  /// Runs a line of the shell's in the current directory.
  func shell(_ line: String) throws {
    let ending = try ProgramRun(
      Program(
        "sh", ["-c", line], directory: current, environment: environment, input: .bytes([]),
        isCaptured: true)
    ).ending()
    output = String(decoding: ending.output, as: UTF8.self)
    error = ""
    status = ending.status
  }

  /// Returns a path as an absolute one.
  func path(_ name: String) -> String { PathName.absolute(name, in: current) }

  /// Returns a file's text; `stdout` and `stderr` are what the last command wrote.
  func text(_ name: String) -> String? {
    if name == "stdout" { return output }
    if name == "stderr" { return error }
    return (try? FileText.read(path(name))).map { String(decoding: $0, as: UTF8.self) }
  }
}
