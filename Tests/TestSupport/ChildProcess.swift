package import Glibc
package import SystemPackage

/// A program in a process of its own, whose standard streams are files, or a terminal.
package final class ChildProcess {
  /// Its id.
  package let id: pid_t
  private let directory = TemporaryDirectory()
  /// The test's ends of its terminal and of its piped output; -1 where there is none.
  private let terminal, pipe: Int32
  private var shown: [UInt8] = []
  private var ended: Int32?

  /// Starts a program.
  ///
  /// - Parameters:
  ///   - words: Its path and its arguments.
  ///   - current: The directory it begins in.
  ///   - environment: Its environment's variables; `nil` for those of the tests.
  ///   - columns: The width of the terminal that it is at; `nil` where there is none.
  ///   - piped: Whether its standard output is a pipe, of which lines are read while it runs.
  /// - Throws: `Errno` where it can't be started.
  package init(
    _ words: [String], in current: String = "/",
    _ environment: [(name: String, value: String)]? = nil, columns: Int? = nil,
    piped: Bool = false
  ) throws(Errno) {
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
    var ends: [Int32] = [-1, -1]
    if piped {
      guard Glibc.pipe(&ends) == 0 else { throw Errno(rawValue: errno) }
      for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
      posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
    }
    defer { if piped { close(ends[1]) } }
    pipe = ends[0]
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
    var variables = (environment ?? []).map { strdup("\($0.name)=\($0.value)") } + [nil]
    defer { (arguments + variables).forEach { free($0) } }
    var id: pid_t = 0
    let error = variables.withUnsafeMutableBufferPointer {
      posix_spawn(
        &id, "/bin/sh", &actions, &attributes, &arguments,
        environment == nil ? environ : $0.baseAddress)
    }
    guard error == 0 else { throw Errno(rawValue: error) }
    self.id = id
  }

  deinit {
    if ended == nil {
      kill(id, SIGKILL)
      waitpid(id, nil, 0)
    }
    for descriptor in [terminal, pipe] where descriptor >= 0 { close(descriptor) }
  }

  private static func openTerminal(columns: Int) throws(Errno) -> (Int32, String) {
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
  package func signal(_ number: Int32) { kill(id, number) }

  private static func number(of status: Int32) -> Int32 {
    status & 0x7F != 0 ? 128 + (status & 0x7F) : status >> 8 & 0xFF
  }

  /// Whether the terminal hands over whole lines and shows what is typed, as at first.
  package var hasLines: Bool {
    var settings = termios()
    let flags = tcflag_t(ICANON) | tcflag_t(ECHO)
    return tcgetattr(terminal, &settings) == 0 && settings.c_lflag & flags == flags
  }

  /// Types at the terminal.
  package func type(_ text: String) {
    let bytes = Array(text.utf8)
    write(terminal, bytes, bytes.count)
  }

  /// Waits until the terminal has shown a text; answers whether it did before the program's end.
  package func waits(for text: String) -> Bool {
    while shown.firstRange(of: Array(text.utf8)) == nil {
      guard readTerminal() else { return false }
    }
    return true
  }

  private func readTerminal() -> Bool {
    let bytes = Self.read(terminal)
    shown += bytes
    return !bytes.isEmpty
  }

  /// Reads what there is; nothing at the end, or where nothing comes for two minutes.
  private static func read(_ descriptor: Int32) -> ArraySlice<UInt8> {
    var ready = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    var isReady: Int32 = 0
    repeat { isReady = poll(&ready, 1, 120_000) } while isReady < 0 && errno == EINTR
    guard isReady > 0 else { return [] }
    var buffer = [UInt8](repeating: 0, count: 65_536)
    // At the end of the last program at a terminal reading fails.
    let count = Glibc.read(descriptor, &buffer, buffer.count)
    return buffer.prefix(max(0, count))
  }

  /// Waits for the end, and returns the exit status, 128+n where signal n ended it, and what was
  /// written; to a terminal, all of it counts as output, its line ends as one byte.
  package func ending() -> (status: Int32, output: [UInt8], error: [UInt8]) {
    if terminal >= 0 { while readTerminal() {} }
    if ended == nil {
      var status: Int32 = 0
      // What doesn't end by itself is ended; its status tells.
      let end = ContinuousClock.now + .seconds(600)
      var pause: UInt32 = 100
      while waitpid(id, &status, WNOHANG) == 0 {
        if ContinuousClock.now > end { kill(id, SIGKILL) }
        usleep(pause)
        pause = min(2 * pause, 10_000)
      }
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
  package func outcome() -> Outcome {
    let ending = ending()
    return Outcome(
      status: ending.status, output: String(decoding: ending.output, as: UTF8.self),
      error: String(decoding: ending.error, as: UTF8.self))
  }

  /// Returns the next line of a piped output; `nil` at its end, or after two minutes without one.
  package func nextLine() -> String? {
    while true {
      if let end = shown.firstIndex(of: UInt8(ascii: "\n")) {
        defer { shown.removeFirst(end + 1) }
        return String(decoding: shown[..<end], as: UTF8.self)
      }
      let bytes = Self.read(pipe)
      guard !bytes.isEmpty else { return nil }
      shown += bytes
    }
  }
}

/// What a command line came to.
package struct Outcome: Equatable, Sendable {
  /// The exit status; 128+n where signal n ended it.
  package var status: Int32
  /// What it wrote to standard output.
  package var output: String
  /// What it wrote to standard error.
  package var error: String

  /// Makes an outcome.
  package init(status: Int32, output: String, error: String) {
    self.status = status
    self.output = output
    self.error = error
  }

  /// All that it wrote.
  package var text: String { output + error }
}

/// Where the programs that are tested lie.
package enum Programs {
  /// The directory that they lie in: the tests' own, where everything is built, or `TSYNC_BIN`.
  package static let directory: String = {
    if let directory = getenv("TSYNC_BIN") { return String(cString: directory) }
    guard let own = realpath("/proc/self/exe", nil) else { return "." }
    defer { free(own) }
    return FilePath(String(cString: own)).removingLastComponent().string
  }()

  /// Returns the path of one.
  package static func path(of name: String) -> String { "\(directory)/\(name)" }
}

/// Why a test can't go on.
package struct TestFailure: Error, CustomStringConvertible {
  /// What is wrong.
  package let description: String

  /// Says what is wrong.
  package init(_ description: String) { self.description = description }
}
