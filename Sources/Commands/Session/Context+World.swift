import Glibc
import Remote
import SyncModel
import SystemPackage
import Workspace

extension Context {
  func path(_ given: String) -> String { PathName.absolute(given, in: invocation.directory) }

  /// The user's settings directory; `nil` without `XDG_CONFIG_HOME` and `HOME`.
  var userDirectory: UserDirectory? {
    UserDirectory(configHome: invocation.environment["XDG_CONFIG_HOME"], home: invocation.home)
  }

  var credentials: Credentials? { userDirectory.map { Credentials(in: $0) } }

  /// Finds the workspace: from `-C`, `TSYNC_DIR` or the current directory upwards.
  func findWorkspace() throws -> String {
    if let directory = options.directory, access(invocation.directory, F_OK) != 0 {
      throw Problem.usage("there is no directory \(directory)")
    }
    // The invocation is in the directory of `-C` already.
    let named = options.directory == nil ? invocation.environment.nonEmpty("TSYNC_DIR") : "."
    let found = try Workspace.find(
      from: path(named ?? "."), home: invocation.home, isNamed: named != nil)
    printer.hintText.workspace = found
    return found
  }

  /// The command and its selection, for the history.
  var recorded: Text { Text(([command] + selection).joined(separator: " ")) }

  /// The words for the history of a push of the command's tables, within another command.
  var recordedPush: Text {
    Text((["push"] + options.table.flatMap { ["-t", $0] }).joined(separator: " "))
  }

  /// Asks a question on the terminal, which is standard input, and doesn't show the answer.
  func askSecretly(_ question: Line) throws -> [UInt8]? {
    var former = termios()
    tcgetattr(STDIN_FILENO, &former)
    var hidden = former
    hidden.c_lflag &= ~tcflag_t(ECHO)
    // Ctrl-Z would stop tsync, and leave the terminal so; 0 disables the character (_POSIX_VDISABLE).
    withUnsafeMutableBytes(of: &hidden.c_cc) { $0[Int(VSUSP)] = 0 }
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &hidden)
    defer {
      tcsetattr(STDIN_FILENO, TCSAFLUSH, &former)
      // The terminal didn't show the typed line end either.
      printer.message("")
    }
    printer.prompt(question)
    return try invocation.input.line()
  }

  /// The exchange's dependencies: requests go to `--trace`, notices to standard error.
  func dependencies() throws -> Dependencies {
    Dependencies(
      pause: invocation.pause,
      trace: try (options.trace ?? invocation.environment.nonEmpty("TSYNC_TRACE")).map(trace(to:)),
      notice: { [printer] in printer.warn($0) })
  }

  /// Opens the trace file; returns a function that adds a line without secrets.
  private func trace(to given: String) throws -> (String) -> Void {
    let file: FileDescriptor
    do {
      file = try FileDescriptor.open(
        FilePath(path(given)), .writeOnly, options: [.append, .create, .closeOnExec],
        permissions: .ownerReadWrite)
    } catch {
      throw Problem.usage("cannot write the trace to \(given): \(error)")
    }
    let clock = invocation.clock
    return { line in
      let time = Timestamp(ticks: clock() / 1_000_000 * 10_000)
      // A trace that can't be written is no reason to stop.
      _ = try? file.writeAll(Array("\(time.text) \(line)\n".utf8))
    }
  }
}

extension Printer {
  func apply(_ configuration: Configuration) {
    colorSetting = GlobalOptions.Color(rawValue: configuration.color.string) ?? .auto
    pagerSetting = configuration.text("pager")?.string
  }
}
