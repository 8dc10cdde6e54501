import Glibc
import Synchronization
import SystemPackage

/// An `openssl s_server` with a certificate of its own for `localhost`, on a port of its choice.
///
/// It answers every request with a web page, or with the answers that it is given.
package final class TLSServer {
  /// The program; the tests that need it are left out where it is not.
  package static let program = "/usr/bin/openssl"
  /// Whether the program is there.
  package static var isAvailable: Bool { access(program, X_OK) == 0 }

  /// The file that holds the certificate.
  package let certificateFile: String
  /// The directory that holds the certificate under the hash of its name, as OpenSSL looks it up.
  package let certificateDirectory: String
  /// The port it listens on, at 127.0.0.1.
  package let port: Int
  private let process: pid_t
  private let directory = TemporaryDirectory()

  /// Starts the server; its certificate is good for so many days from now on, or has expired so many
  /// days ago where they are negative.
  ///
  /// - Parameters:
  ///   - days: How long the certificate is good for.
  ///   - options: More options of the program.
  ///   - answers: Whole answers, header and all, by the target of a GET without its first `/`; there
  ///     are no others then.
  /// - Throws: `Errno` where a program can't be started.
  package init(
    days: Int = 2, options: [String] = [], answers: [(target: String, text: String)] = []
  ) throws {
    certificateFile = directory.path(of: "certificate.pem")
    let key = directory.path(of: "key.pem")
    let request = directory.path(of: "request.pem")
    for answer in answers { directory.write(answer.text, to: answer.target) }
    try Self.run([
      "req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
      // A name of its own: OpenSSL looks an authority up by it.
      "-subj", "/O=\(UInt64.random(in: 0...UInt64.max))/CN=localhost", "-addext",
      "subjectAltName=DNS:localhost", "-keyout", key,
      "-out", request,
    ])
    try Self.run([
      "x509", "-req", "-in", request, "-signkey", key, "-days", "\(days)",
      "-copy_extensions", "copyall", "-out", certificateFile,
    ])
    certificateDirectory = directory.path(of: "authorities")
    let hash = try Self.run(["x509", "-in", certificateFile, "-noout", "-hash"])
    directory.write(
      directory.read("certificate.pem") ?? [], to: "authorities/\(hash.prefix { $0 != "\n" }).0")
    let server = try Self.spawn(
      [
        "s_server", "-accept", "127.0.0.1:0", answers.isEmpty ? "-www" : "-HTTP", "-key", key,
        "-cert", certificateFile,
      ] + options, in: directory.path)
    process = server.process
    let greeting = Self.read(from: server.output) { $0.contains("ACCEPT") && $0.hasSuffix("\n") }
    let address = greeting.split(separator: "\n").last { $0.hasPrefix("ACCEPT") }
    port = address?.split(separator: ":").last.flatMap { Int($0) } ?? 0
  }

  deinit {
    // Not SIGTERM: a program started from a thread of the tests has most signals blocked.
    kill(process, SIGKILL)
    waitpid(process, nil, 0)
  }

  /// Runs the program and waits for its end; answers what it printed.
  @discardableResult
  private static func run(_ arguments: [String]) throws -> String {
    let making = try spawn(arguments)
    let text = read(from: making.output) { _ in false }
    waitpid(making.process, nil, 0)
    return text
  }

  /// Starts the program with its output on a pipe.
  private static func spawn(
    _ arguments: [String], in current: String = "/"
  ) throws -> (process: pid_t, output: FileDescriptor) {
    // One at a time: a program that kept the pipe of another would keep its reader waiting.
    try spawning.withLock { _ in try spawnAlone(arguments, in: current) }
  }

  private static let spawning = Mutex(())

  private static func spawnAlone(
    _ arguments: [String], in current: String
  ) throws -> (process: pid_t, output: FileDescriptor) {
    let pipe = try FileDescriptor.pipe()
    for end in [pipe.readEnd, pipe.writeEnd] { _ = fcntl(end.rawValue, F_SETFD, FD_CLOEXEC) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_adddup2(&actions, pipe.writeEnd.rawValue, 1)
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
    // The shell changes the directory and then replaces itself.
    let line = ["/bin/sh", "-c", "cd \"$0\" && exec \"$@\"", current, program] + arguments
    let words = line.map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    var process = pid_t()
    let status = posix_spawn(&process, "/bin/sh", &actions, nil, words, environ)
    try pipe.writeEnd.close()
    guard status == 0 else { throw Errno(rawValue: status) }
    return (process, pipe.readEnd)
  }

  /// Reads text until it is enough or there is no more; closes the descriptor at its end only.
  private static func read(from output: FileDescriptor, until isEnough: (String) -> Bool) -> String
  {
    var text = ""
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 4096, alignment: 1)
    defer { buffer.deallocate() }
    while !isEnough(text) {
      guard let count = try? output.read(into: buffer), count > 0 else {
        try? output.close()
        return text
      }
      text += String(decoding: buffer.prefix(count), as: UTF8.self)
    }
    return text
  }
}
