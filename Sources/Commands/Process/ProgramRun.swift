import CLinux
import Glibc
import SyncModel
package import SystemPackage

/// One run of another program, started by `posix_spawnp(3)`.
///
/// The program gets the standard streams, or pipes, and no other descriptor. Only the program gets
/// the keyboard's signals. The run restores the terminal, because a program that dies doesn't.
package struct ProgramRun {
  private let program: Program

  /// Describes a run of a program, which ``ending()`` starts.
  package init(_ program: Program) {
    self.program = program
  }

  /// Runs the program and waits for its end.
  ///
  /// - Throws: `Errno` if the start fails; `.interrupted` if it runs on while this process ends.
  package func ending() throws(Errno) -> Ending {
    let input = try isGiven ? Pipe() : nil
    let output = try program.isCaptured ? Pipe() : nil
    defer { [input, output].forEach { $0?.close() } }
    return try KeyboardSignals.ignored { () throws(Errno) in
      let terminal = TerminalSettings()
      let process = try program.start(
        input: input?.reading ?? STDIN_FILENO, output: output?.writing ?? STDOUT_FILENO)
      input?.closeReading()
      output?.closeWriting()
      let captured = exchange(input, output)
      // A program that runs on needs the terminal as it is.
      let status = try wait(for: process)
      terminal?.putBack()
      let isSignalled = status & 0x7F != 0
      return Ending(
        status: isSignalled ? 128 + (status & 0x7F) : status >> 8 & 0xFF, output: captured)
    }
  }

  private func wait(for process: pid_t) throws(Errno) -> Int32 {
    var status: Int32 = 0
    while true {
      if isInteractive, ProcessStream.isInterrupted { throw .interrupted }
      if waitpid(process, &status, 0) >= 0 { return status }
      guard errno == EINTR else { throw Errno(rawValue: errno) }
    }
  }

  /// Whether a person works in the program; it runs on if a signal ends this process.
  private var isInteractive: Bool { !isGiven && !program.isCaptured }

  private var isGiven: Bool {
    if case .bytes = program.input { true } else { false }
  }

  /// Writes the program's input, then reads its output: no program has much of both.
  private func exchange(_ input: Pipe?, _ output: Pipe?) -> [UInt8] {
    if let input, case .bytes(let bytes) = program.input {
      // A program that stops reading, such as a pager that was left, needs no more.
      try? ProcessStream.write(bytes, to: input.writing)
      input.closeWriting()
    }
    var captured: [UInt8] = []
    while let output, let more = try? ProcessStream.read(output.reading), !more.isEmpty {
      captured += more
    }
    return captured
  }
}

extension Program {
  /// Starts the program with these descriptors as its standard streams, and no others.
  func start(input: Int32, output: Int32) throws(Errno) -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    tsync_spawn_in_directory(&actions, directory)
    for (descriptor, stream) in [(input, STDIN_FILENO), (output, STDOUT_FILENO)]
    where descriptor != stream {
      posix_spawn_file_actions_adddup2(&actions, descriptor, stream)
    }
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    sigemptyset(&signals)
    for number in [SIGPIPE, SIGXFSZ, SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGALRM] {
      sigaddset(&signals, number)
    }
    posix_spawnattr_setsigdefault(&attributes, &signals)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))
    var words = ([name] + arguments).map { strdup($0) } + [nil]
    var variables = environment.variables.map { strdup("\($0.name)=\($0.value)") } + [nil]
    defer { (words + variables).forEach { free($0) } }
    var process: pid_t = 0
    let error = posix_spawnp(&process, name, &actions, &attributes, &words, &variables)
    guard error == 0 else { throw Errno(rawValue: error) }
    return process
  }
}

/// The two ends of a pipe; a class because each is closed once.
final class Pipe {
  private var ends: [Int32] = [-1, -1]
  var reading: Int32 { ends[0] }
  var writing: Int32 { ends[1] }

  init() throws(Errno) {
    guard pipe(&ends) == 0 else { throw Errno(rawValue: errno) }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
  }

  func closeReading() { close(0) }
  func closeWriting() { close(1) }

  func close() {
    closeReading()
    closeWriting()
  }

  private func close(_ end: Int) {
    if ends[end] >= 0 { Glibc.close(ends[end]) }
    ends[end] = -1
  }
}

private struct TerminalSettings {
  private let descriptor: Int32
  private var settings = termios()

  /// Reads the settings of the first standard stream that is a terminal; `nil` if none is.
  init?() {
    for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO]
    where tcgetattr(descriptor, &settings) == 0 {
      self.descriptor = descriptor
      return
    }
    return nil
  }

  /// Restores them, unless another job has the terminal: the kernel would stop this process.
  func putBack() {
    guard tcgetpgrp(descriptor) == getpgrp() else { return }
    var settings = settings
    tcsetattr(descriptor, TCSANOW, &settings)
  }
}

/// The signals of Ctrl-C and Ctrl-\.
private enum KeyboardSignals {
  static func ignored<Result>(_ body: () throws(Errno) -> Result) throws(Errno) -> Result {
    let numbers = [SIGINT, SIGQUIT]
    var ignoring = sigaction()
    ignoring.__sigaction_handler.sa_handler = SIG_IGN
    var former = Array(repeating: ignoring, count: numbers.count)
    for index in numbers.indices { sigaction(numbers[index], &ignoring, &former[index]) }
    defer { for index in numbers.indices { sigaction(numbers[index], &former[index], nil) } }
    return try body()
  }
}
