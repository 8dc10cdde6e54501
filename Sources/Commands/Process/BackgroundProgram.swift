import Glibc
import SyncModel
import SystemPackage

/// A program that ends with this one: the demo's server.
///
/// It is a class because it ends once.
final class BackgroundProgram {
  private let process: pid_t
  private let output: Pipe
  private var isRunning = true

  /// Starts a program; its standard error goes to the file `log`.
  init(_ program: Program, log: String) throws(Errno) {
    let input = open("/dev/null", O_RDONLY | O_CLOEXEC)
    let log = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    defer { [input, log].forEach { close($0) } }
    output = try Pipe()
    process = try program.start(input: input, output: output.writing, error: log)
    output.closeWriting()
  }

  deinit {
    end()
    output.close()
  }

  /// Returns the first line that the program prints; `nil` if it ends before.
  func firstLine() -> String? {
    var line: [UInt8] = []
    while !line.contains(UInt8(ascii: "\n")) {
      guard let more = try? ProcessStream.read(output.reading), !more.isEmpty else { return nil }
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
