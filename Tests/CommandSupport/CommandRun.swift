package import Commands
import Glibc
import SyncModel
import SystemPackage
package import TestSupport

/// A command line that is run inside the test, its streams kept.
package struct CommandRun {
  /// What the command knows of the world; its streams are replaced by the run's.
  package var invocation: Invocation
  /// What it reads, piece by piece.
  package var input: [[UInt8]] = []
  /// Happens before it reads the first piece.
  package var whileAsked: () -> Void = {}
  /// Whether its streams are a person's.
  package var isTerminal = false
  /// How many columns the person's terminal has.
  package var columns = 80
  /// Whether what its programs write counts as its output, where it isn't kept for itself; they read
  /// nothing.
  package var keepsPrograms = false

  /// Describes a run in a directory; the clock, chance and the programs that it starts are real.
  package init(in directory: String, home: String?, variables: [(name: String, value: String)]) {
    let none = Invocation.Sink { _ throws(Errno) in }
    invocation = Invocation(
      directory: directory,
      environment: Environment(variables.map { (Text($0.name), Text($0.value)) }), home: home,
      executable: Programs.path(of: "tsync"), input: .init { () throws(Errno) in [] },
      output: none, error: none, clock: Self.realTime, random: { .random(in: 0...UInt64.max) },
      signal: { nil }, run: { program throws(Errno) in try ProgramRun(program).ending() })
  }

  /// The machine's time in nanoseconds since 1970.
  package static func realTime() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }

  /// Runs a command line to its end.
  package func callAsFunction(_ words: [String]) -> Outcome {
    var (output, error): ([UInt8], [UInt8]) = ([], [])
    var rest = input
    var whileAsked: (() -> Void)? = whileAsked
    var invocation = invocation
    invocation.input = .init(isTerminal: isTerminal) { () throws(Errno) in
      whileAsked?()
      whileAsked = nil
      return rest.isEmpty ? [] : rest.removeFirst()
    }
    invocation.output = .init(isTerminal: isTerminal, columns: columns) {
      bytes throws(Errno) in output += bytes
    }
    invocation.error = .init(isTerminal: isTerminal, columns: columns) {
      bytes throws(Errno) in error += bytes
    }
    if keepsPrograms {
      invocation.run = { program throws(Errno) in
        var program = program
        let isKept = program.isCaptured
        if case .inherited = program.input { program.input = .bytes([]) }
        program.isCaptured = true
        let ending = try ProgramRun(program).ending()
        if !isKept { output += ending.output }
        return ending
      }
    }
    let status = Tsync.run(words, in: invocation)
    return Outcome(
      status: status, output: String(decoding: output, as: UTF8.self),
      error: String(decoding: error, as: UTF8.self))
  }
}
