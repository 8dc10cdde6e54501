package import Glibc

/// A tsync-server of a test's own: the real program, on a free port, its rows in memory or in a file.
package final class RunningServer {
  /// Its address.
  package let url: String
  private let program: ChildProcess

  /// Starts it; it ends with its owner.
  ///
  /// - Parameters:
  ///   - arguments: Its options.
  ///   - store: The file of its rows, or `memory`.
  ///   - fileLimit: How many KiB a file that it writes may have, as on a disk that is full; `nil` for
  ///     as many as it likes.
  /// - Throws: `TestFailure` where it says no address, with what it says instead.
  package init(
    _ arguments: [String] = ["--no-auth"], store: String = "memory", fileLimit: Int? = nil
  ) throws {
    let limit = fileLimit.map { "trap '' XFSZ; ulimit -f \($0 * 2); " } ?? ""
    program = try ChildProcess(
      ["/bin/sh", "-c", "\(limit)exec \"$0\" \"$@\"", Programs.path(of: "tsync-server")]
        + arguments + ["--listen", "127.0.0.1:0", "--store", store],
      Sanitizer.variables, piped: true)
    guard let url = program.nextLine() else { throw TestFailure(program.outcome().error) }
    self.url = url
  }

  /// The id of its process.
  package var process: pid_t { program.id }

  /// The port that it listens on.
  package var port: UInt16 { url.split(separator: ":").last.flatMap { UInt16($0) } ?? 0 }
}
