import Glibc
import Remote
import SyncModel
import SystemPackage
import Workspace

extension Context {
  /// The user's tokens; `nil` where nothing says where they are.
  var credentials: Credentials? { userDirectory.map { Credentials(in: $0) } }

  /// Returns a path that a person gave as an absolute one.
  func path(_ given: String) -> String { PathName.absolute(given, in: invocation.directory) }

  /// Asks for something that nobody may read from the screen.
  func askSecretly(_ question: Line) throws -> [UInt8]? {
    let echo = Echo()
    defer {
      echo.restore()
      // The line end that was typed didn't show either.
      output.message("")
    }
    output.prompt(question)
    return try invocation.input.line()
  }

  /// What the exchange takes from the world: it tells each request to `--trace`, and what people
  /// should know to standard error.
  func surroundings() throws -> Surroundings {
    let trace = options.trace ?? invocation.environment.nonEmpty("TSYNC_TRACE")
    let output = output
    return Surroundings(
      pause: invocation.pause,
      trace: try trace.map { try opened($0).tell },
      notice: { output.warn($0) })
  }
}

extension Context {
  /// Opens the file that is told each request.
  ///
  /// - Throws: ``Failure``, where the file that was named can't be written.
  private func opened(_ trace: String) throws -> Trace {
    do {
      return try Trace(path(trace), clock: invocation.clock)
    } catch let error as Errno {
      throw Failure.usage("the trace can't be written to \(trace): \(error)")
    }
  }
}

/// A file that is told each request and what came of it, without secrets.
private struct Trace {
  private let descriptor: FileDescriptor
  private let clock: () -> Int64

  init(_ path: String, clock: @escaping () -> Int64) throws {
    descriptor = try FileDescriptor.open(
      FilePath(path), .writeOnly, options: [.append, .create, .closeOnExec],
      permissions: .ownerReadWrite)
    self.clock = clock
  }

  func tell(_ line: String) {
    let time = Timestamp(ticks: clock() / 1_000_000 * 10_000)
    // A trace that can't be written is no reason to stop.
    _ = try? descriptor.writeAll(Array("\(time.text) \(line)\n".utf8))
  }
}

/// A terminal that doesn't show what is typed; standard input is known to be one.
private struct Echo {
  private var former = termios()

  /// Hides what is typed; Ctrl-Z is a character like others, for a tsync that is stopped would leave
  /// the terminal so.
  init() {
    guard tcgetattr(STDIN_FILENO, &former) == 0 else { return }
    var hidden = former
    hidden.c_lflag &= ~tcflag_t(ECHO)
    // 0 is no character (_POSIX_VDISABLE).
    withUnsafeMutableBytes(of: &hidden.c_cc) { $0[Int(VSUSP)] = 0 }
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &hidden)
  }

  /// Brings the terminal back to what it was.
  func restore() {
    var former = former
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &former)
  }
}

extension Output {
  /// Sets members of the JSON document.
  func set(_ object: JSONObject) {
    for member in object.members { set(member.name, member.value) }
  }
}
