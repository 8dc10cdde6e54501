import Glibc
import SyncModel
import SystemPackage

/// A program that ends with this one: the demo's server.
///
/// It is a class because it ends once.
final class BackgroundProgram {
  private let process: pid_t
  private let output: Int32
  private var isRunning = true

  /// Starts a program; its standard error goes to the file `log`.
  init(_ path: String, _ arguments: [String], environment: Environment, log: String) throws(Errno) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw Errno(rawValue: errno) }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO)
    posix_spawn_file_actions_addopen(
      &actions, STDERR_FILENO, log, O_WRONLY | O_CREAT | O_APPEND, 0o600)
    var words = ([path] + arguments).map { strdup($0) } + [nil]
    var variables = environment.variables.map { strdup("\($0.name)=\($0.value)") } + [nil]
    defer { (words + variables).forEach { free($0) } }
    var process: pid_t = 0
    let error = posix_spawn(&process, path, &actions, nil, &words, &variables)
    close(ends[1])
    guard error == 0 else {
      close(ends[0])
      throw Errno(rawValue: error)
    }
    self.process = process
    output = ends[0]
  }

  deinit {
    end()
    close(output)
  }

  /// Returns the first line that the program prints; `nil` if it ends before.
  func firstLine() -> String? {
    var line: [UInt8] = []
    while !line.contains(UInt8(ascii: "\n")) {
      guard let more = try? ProcessStream.read(output), !more.isEmpty else { return nil }
      line += more
    }
    return String(decoding: line.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
  }

  /// Asks the program to end, and waits for it.
  func end() {
    guard isRunning else { return }
    isRunning = false
    kill(process, SIGTERM)
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
  }
}
