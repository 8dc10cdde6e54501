import Glibc
import SyncModel
import SystemPackage
import TestSupport

@testable import Commands

/// A program in a process of its own, whose standard streams are files, or a terminal.
final class ChildProcess {
  /// Its id.
  let id: pid_t
  private let directory = TemporaryDirectory()
  private let terminal: Int32
  private var shown: [UInt8] = []
  private var ended: Int32?

  /// Starts a program.
  ///
  /// - Parameters:
  ///   - words: Its path and its arguments.
  ///   - current: The directory it begins in.
  ///   - environment: Its environment's variables.
  ///   - columns: The width of the terminal that it is at; `nil` where there is none.
  /// - Throws: `Errno`.
  init(
    _ words: [String], in current: String, _ environment: [(name: String, value: String)],
    columns: Int? = nil
  ) throws {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    if let columns {
      let name: String
      (terminal, name) = try Self.openTerminal(columns: columns)
      posix_spawn_file_actions_addopen(&actions, 0, name, O_RDWR, 0)
      posix_spawn_file_actions_adddup2(&actions, 0, 1)
      posix_spawn_file_actions_adddup2(&actions, 0, 2)
    } else {
      terminal = -1
      let flags = O_WRONLY | O_CREAT | O_APPEND
      posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
      posix_spawn_file_actions_addopen(&actions, 1, directory.path(of: "output"), flags, 0o600)
      posix_spawn_file_actions_addopen(&actions, 2, directory.path(of: "error"), flags, 0o600)
    }
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    sigemptyset(&signals)
    // The tests' threads block signals, and what they start would, too.
    posix_spawnattr_setsigmask(&attributes, &signals)
    for number in [SIGPIPE, SIGINT, SIGQUIT] { sigaddset(&signals, number) }
    posix_spawnattr_setsigdefault(&attributes, &signals)
    // A session of its own (0x80), so that the terminal becomes its own, with Ctrl-C.
    let flags = POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | 0x80
    posix_spawnattr_setflags(&attributes, Int16(flags))
    // The shell changes the directory and then replaces itself.
    let line = ["/bin/sh", "-c", "cd \"$0\" && exec \"$@\"", current] + words
    var arguments = line.map { strdup($0) } + [nil]
    var variables = environment.map { strdup("\($0.name)=\($0.value)") } + [nil]
    defer { (arguments + variables).forEach { free($0) } }
    var id: pid_t = 0
    let error = posix_spawn(&id, "/bin/sh", &actions, &attributes, &arguments, &variables)
    guard error == 0 else { throw Errno(rawValue: error) }
    self.id = id
  }

  deinit {
    if ended == nil {
      kill(id, SIGKILL)
      waitpid(id, nil, 0)
    }
    if terminal >= 0 { close(terminal) }
  }

  private static func openTerminal(columns: Int) throws -> (Int32, String) {
    let terminal = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
    var (number, isLocked): (UInt32, Int32) = (0, 0)
    // TIOCSPTLCK and TIOCGPTN, which the module doesn't show.
    guard terminal >= 0, ioctl(terminal, 0x4004_5431, &isLocked) == 0,
      ioctl(terminal, 0x8004_5430, &number) == 0
    else { throw Errno(rawValue: errno) }
    var size = winsize(ws_row: 24, ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
    _ = ioctl(terminal, UInt(TIOCSWINSZ), &size)
    return (terminal, "/dev/pts/\(number)")
  }

  /// Sends a signal.
  func signal(_ number: Int32) { kill(id, number) }

  private static func number(of status: Int32) -> Int32 {
    status & 0x7F != 0 ? 128 + (status & 0x7F) : status >> 8 & 0xFF
  }

  /// Whether the terminal hands over whole lines and shows what is typed, as at first.
  var hasLines: Bool {
    var settings = termios()
    let flags = tcflag_t(ICANON) | tcflag_t(ECHO)
    return tcgetattr(terminal, &settings) == 0 && settings.c_lflag & flags == flags
  }

  /// Types at the terminal.
  func type(_ text: String) {
    let bytes = Array(text.utf8)
    write(terminal, bytes, bytes.count)
  }

  /// Waits until the terminal has shown a text; answers whether it did before the program's end.
  func waits(for text: String) -> Bool {
    while shown.firstRange(of: Array(text.utf8)) == nil {
      guard readTerminal() else { return false }
    }
    return true
  }

  private func readTerminal() -> Bool {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    // At the end of the last program at a terminal reading fails.
    var count = 0
    repeat { count = read(terminal, &buffer, buffer.count) } while count < 0 && errno == EINTR
    guard count > 0 else { return false }
    shown += buffer[..<count]
    return true
  }

  /// Waits for the end, and returns the exit status, 128+n where signal n ended it, and what was
  /// written; to a terminal, all of it counts as output, its line ends as one byte.
  func ending() -> (status: Int32, output: [UInt8], error: [UInt8]) {
    if terminal >= 0 { while readTerminal() {} }
    if ended == nil {
      var status: Int32 = 0
      while waitpid(id, &status, 0) < 0, errno == EINTR {}
      ended = Self.number(of: status)
    }
    guard terminal < 0 else {
      return (ended ?? -1, shown.indices.filter(isKept).map { shown[$0] }, [])
    }
    return (ended ?? -1, directory.read("output") ?? [], directory.read("error") ?? [])
  }

  /// Whether a byte is none of those that the terminal's driver puts before line ends.
  private func isKept(_ index: Int) -> Bool {
    !(shown[index] == 0x0D && index + 1 < shown.count && shown[index + 1] == 0x0A)
  }
}

extension ChildProcess {
  /// Waits for the end, and returns what it came to as texts.
  func outcome() -> Outcome {
    let ending = ending()
    return Outcome(
      status: ending.status, output: String(decoding: ending.output, as: UTF8.self),
      error: String(decoding: ending.error, as: UTF8.self))
  }
}

extension Person {
  /// The environment of a program that the person starts.
  var variables: [(name: String, value: String)] {
    environment + Sanitizer.variables + [
      ("XDG_CONFIG_HOME", directory.path(of: "config")), ("HOME", directory.path),
      ("PATH", "\(Programs.directory):/usr/bin:/bin"), ("TZ", "UTC"), ("TERM", "xterm"),
    ]
  }

  /// Starts tsync as a process of its own in the person's workspace.
  ///
  /// - Throws: `Errno`.
  func start(_ words: [String], columns: Int? = nil) throws -> ChildProcess {
    try ChildProcess(
      ["\(Programs.directory)/tsync"] + words, in: directory.path(of: "list"), variables,
      columns: columns)
  }

  /// Runs a line of the shell's in the person's workspace, as a process of its own.
  ///
  /// - Throws: `Errno`.
  func shell(_ line: String) throws -> Outcome {
    try ChildProcess(["sh", "-c", line], in: directory.path(of: "list"), variables).outcome()
  }
}
