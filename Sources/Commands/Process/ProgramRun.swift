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
      let process = try start(input, output)
      input?.closeReading()
      output?.closeWriting()
      let kept = exchange(input, output)
      // A program that runs on needs the terminal as it is.
      let status = try wait(for: process)
      terminal?.putBack()
      let isSignalled = status & 0x7F != 0
      return Ending(status: isSignalled ? 128 + (status & 0x7F) : status >> 8 & 0xFF, output: kept)
    }
  }

  private func wait(for process: pid_t) throws(Errno) -> Int32 {
    var status: Int32 = 0
    while true {
      let isLeaving = isInteractive && ProcessStream.isInterrupted
      let ended = waitpid(process, &status, isLeaving ? WNOHANG : 0)
      if ended > 0 { return status }
      if ended == 0 { throw .interrupted }
      guard errno == EINTR else { throw Errno(rawValue: errno) }
    }
  }

  /// Whether a person works in the program; it runs on if a signal ends this process.
  private var isInteractive: Bool { !isGiven && !program.isCaptured }

  private var isGiven: Bool {
    if case .bytes = program.input { true } else { false }
  }

  private func start(_ input: Pipe?, _ output: Pipe?) throws(Errno) -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    if let input { posix_spawn_file_actions_adddup2(&actions, input.reading, STDIN_FILENO) }
    if let output { posix_spawn_file_actions_adddup2(&actions, output.writing, STDOUT_FILENO) }
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
    // posix_spawn can't change the directory everywhere; a shell can, and then replaces itself.
    let line =
      ["sh", "-c", "cd \"$0\" && exec \"$@\"", program.directory, program.name] + program.arguments
    var words = line.map { strdup($0) } + [nil]
    var variables = program.environment.variables.map { strdup("\($0.name)=\($0.value)") } + [nil]
    defer { (words + variables).forEach { free($0) } }
    var process: pid_t = 0
    let error = posix_spawnp(&process, "sh", &actions, &attributes, &words, &variables)
    guard error == 0 else { throw Errno(rawValue: error) }
    return process
  }

  /// Writes the program's input and reads its output, whichever is ready.
  private func exchange(_ input: Pipe?, _ output: Pipe?) -> [UInt8] {
    var rest: ArraySlice<UInt8> = []
    if case .bytes(let bytes) = program.input { rest = bytes[...] }
    var kept: [UInt8] = []
    var isReading = output != nil
    while isReading || !rest.isEmpty {
      var polls = [
        pollfd(fd: rest.isEmpty ? -1 : input?.writing ?? -1, events: Int16(POLLOUT), revents: 0),
        pollfd(fd: isReading ? output?.reading ?? -1 : -1, events: Int16(POLLIN), revents: 0),
      ]
      guard poll(&polls, 2, -1) >= 0 || errno == EINTR else { break }
      if polls[1].revents != 0, let output {
        let more = (try? ProcessStream.read(output.reading)) ?? []
        kept += more
        isReading = !more.isEmpty
      }
      if polls[0].revents != 0, let input {
        let count = rest.withUnsafeBytes {
          write(input.writing, $0.baseAddress, min($0.count, 4_096))
        }
        // A program that stops reading, such as a pager that was left, needs no more.
        rest = count > 0 ? rest.dropFirst(count) : []
      }
      if rest.isEmpty { input?.closeWriting() }
    }
    input?.closeWriting()
    return kept
  }
}

/// The two ends of a pipe; a class because each is closed once.
private final class Pipe {
  private(set) var reading: Int32
  private(set) var writing: Int32

  init() throws(Errno) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw Errno(rawValue: errno) }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    (reading, writing) = (ends[0], ends[1])
  }

  func closeReading() {
    if reading >= 0 { Glibc.close(reading) }
    reading = -1
  }

  func closeWriting() {
    if writing >= 0 { Glibc.close(writing) }
    writing = -1
  }

  func close() {
    closeReading()
    closeWriting()
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
