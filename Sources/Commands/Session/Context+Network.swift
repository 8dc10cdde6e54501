import Glibc
import Remote
import SyncModel
import SystemPackage
import Workspace

extension Context {
  var credentials: Credentials? { userDirectory.map { Credentials(in: $0) } }

  func path(_ given: String) -> String { PathName.absolute(given, in: invocation.directory) }

  /// Asks a question and doesn't show the answer on the screen.
  func askSecretly(_ question: Line) throws -> [UInt8]? {
    let echo = Echo()
    defer {
      echo.restore()
      // The terminal didn't show the typed line end either.
      output.message("")
    }
    output.prompt(question)
    return try invocation.input.line()
  }

  /// The exchange's dependencies: requests go to `--trace`, notices to standard error.
  func dependencies() throws -> Dependencies {
    let trace = options.trace ?? invocation.environment.nonEmpty("TSYNC_TRACE")
    let output = output
    return Dependencies(
      pause: invocation.pause,
      trace: try trace.map { try opened($0).show },
      notice: { output.warn($0) })
  }
}

extension Context {
  /// Opens the trace file; throws ``Failure`` if it can't be written.
  private func opened(_ trace: String) throws -> Trace {
    do {
      return try Trace(path(trace), clock: invocation.clock)
    } catch let error as Errno {
      throw Failure.usage("cannot write the trace to \(trace): \(error)")
    }
  }
}

/// A log of requests and their results, without secrets.
private struct Trace {
  private let descriptor: FileDescriptor
  private let clock: () -> Int64

  init(_ path: String, clock: @escaping () -> Int64) throws {
    descriptor = try FileDescriptor.open(
      FilePath(path), .writeOnly, options: [.append, .create, .closeOnExec],
      permissions: .ownerReadWrite)
    self.clock = clock
  }

  func show(_ line: String) {
    let time = Timestamp(ticks: clock() / 1_000_000 * 10_000)
    // A trace that can't be written is no reason to stop.
    _ = try? descriptor.writeAll(Array("\(time.text) \(line)\n".utf8))
  }
}

/// A terminal that hides typing; standard input must be one.
private struct Echo {
  private var former = termios()

  /// Hides typing, and disables Ctrl-Z, because a stopped tsync would leave the terminal so.
  init() {
    guard tcgetattr(STDIN_FILENO, &former) == 0 else { return }
    var hidden = former
    hidden.c_lflag &= ~tcflag_t(ECHO)
    // 0 disables the character (_POSIX_VDISABLE).
    withUnsafeMutableBytes(of: &hidden.c_cc) { $0[Int(VSUSP)] = 0 }
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &hidden)
  }

  func restore() {
    var former = former
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &former)
  }
}
