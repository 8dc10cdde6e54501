import Glibc
import Logging
import Synchronization

/// Standard error, where a line is written only if there is room for it: a reader that stalls must not
/// stall the server.
///
/// A class, because all requests share the count.
final class LogStream: LogHandler, Sendable {
  private let descriptor: Int32
  /// How many lines were dropped since the last one that was written.
  private let dropped = Mutex(0)

  /// Opens standard error anew, so that no other process's writing changes; a socket can't be.
  init() {
    let flags = O_WRONLY | O_APPEND | O_NONBLOCK | O_NOCTTY | O_CLOEXEC
    let own = open("/proc/self/fd/2", flags)
    descriptor = own < 0 ? STDERR_FILENO : own
  }

  /// Writes a line, with its newline, of less than 4 KiB: where poll(2) finds room in a socket, so many
  /// bytes have it.
  func write(_ line: String) {
    dropped.withLock { dropped in
      var stream = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
      let lost = dropped == 0 ? "" : "tsync-server: dropped log lines: \(dropped)\n"
      let isWritten =
        poll(&stream, 1, 0) == 1 && stream.revents & Int16(POLLOUT) != 0
        && Output.write(lost + line, to: descriptor)
      dropped = isWritten ? 0 : dropped + 1
    }
  }

  func log(event: LogEvent) {
    write("tsync-server: \(event.message.description.prefix(2_048))\n")
  }

  subscript(metadataKey _: String) -> Logger.Metadata.Value? {
    get { nil }
    set {}
  }
  var metadata: Logger.Metadata {
    get { [:] }
    set {}
  }
  var logLevel: Logger.Level {
    get { .error }
    set {}
  }
}
