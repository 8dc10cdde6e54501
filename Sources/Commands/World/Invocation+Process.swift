import CLinux
import Glibc
import SyncModel
import Synchronization
import SystemPackage
import Workspace

extension Invocation {
  /// Returns the invocation of this process, and prepares the process for it.
  ///
  /// The command sees a signal that asks it to end. A second signal, or two seconds, end the
  /// process at once: the files on the disk are safe at any time.
  package static func process() -> Invocation {
    occupyStandardStreams()
    let environment = processEnvironment()
    prepareSignals()
    preventCoreFiles()
    return Invocation(
      directory: UserDirectory.resolved(".") ?? environment["PWD"] ?? "/", environment: environment,
      home: environment.nonEmpty("HOME"), executable: UserDirectory.resolved("/proc/self/exe"),
      input: Input(isTerminal: isatty(STDIN_FILENO) == 1) { () throws(Errno) in
        try ProcessStream.read(STDIN_FILENO)
      },
      output: sink(STDOUT_FILENO), error: sink(STDERR_FILENO),
      clock: {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
      },
      random: { UInt64.random(in: 0...UInt64.max) },
      signal: {
        let number = receivedSignal.load(ordering: .relaxed)
        return number == 0 ? nil : number
      },
      run: { program throws(Errno) in try ProgramRun(program).ending() })
  }

  /// Keeps files and sockets from getting the number of a closed standard stream, and its messages.
  ///
  /// The streams are opened the wrong way round, so that using them fails as if they were closed.
  private static func occupyStandardStreams() {
    for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO]
    where fcntl(descriptor, F_GETFD) < 0 {
      // open(2) takes the lowest free number, which is this one.
      _ = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
    }
  }

  private static func sink(_ descriptor: Int32) -> Sink {
    var size = winsize()
    let isTerminal = isatty(descriptor) == 1
    let isKnown = isTerminal && ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
    return Sink(
      isTerminal: isTerminal, columns: isKnown ? Int(size.ws_col) : 80,
      lines: isKnown ? Int(size.ws_row) : 24
    ) { bytes throws(Errno) in
      try ProcessStream.write(bytes, to: descriptor)
    }
  }

  /// Reads the environment from the kernel, so that no name is lost or found twice.
  private static func processEnvironment() -> Environment {
    let bytes = (try? FileText.read("/proc/self/environ")) ?? []
    return Environment(
      bytes.split(separator: 0).compactMap { line in
        guard let sign = line.firstIndex(of: UInt8(ascii: "=")), sign > line.startIndex,
          let name = Text(validating: line[..<sign]),
          let value = Text(validating: line[(sign + 1)...])
        else { return nil }
        return (name, value)
      })
  }

  /// Prevents core files, which could hold a token.
  private static func preventCoreFiles() {
    var limit = rlimit()
    let core: __rlimit_resource_t = numericCast(RLIMIT_CORE.rawValue)
    guard getrlimit(core, &limit) == 0 else { return }
    limit.rlim_cur = 0
    setrlimit(core, &limit)
  }

  private static func prepareSignals() {
    // Swift's report of a crash prints memory, which may hold a token.
    for number in [SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT] {
      Glibc.signal(number, SIG_DFL)
    }
    // A failing write shows that the reader of the output has gone.
    Glibc.signal(SIGPIPE, SIG_IGN)
    // It also shows that a file has reached the size limit.
    Glibc.signal(SIGXFSZ, SIG_IGN)
    _ = receivedSignal.load(ordering: .relaxed)
    for number in endingSignals + [SIGALRM] {
      var former = sigaction()
      sigaction(number, nil, &former)
      // nohup(1), and shells for background jobs, ignore signals on purpose.
      let isIgnored = unsafeBitCast(former.__sigaction_handler.sa_handler, to: Int.self) == 1
      if isIgnored, number != SIGALRM { continue }
      var action = sigaction()
      action.__sigaction_handler.sa_handler = endBySignal
      sigaction(number, &action, nil)
    }
  }
}

/// The signals that end the process; on `SIGQUIT`, Swift itself would print a report and go on.
private let endingSignals = [SIGINT, SIGTERM, SIGHUP, SIGQUIT]

/// The signal that asked the process to end; 0 if there is none.
private let receivedSignal = Atomic<Int32>(0)

/// Keeps the first signal and gives the command two seconds; the second one ends the process.
///
/// It calls only functions that are safe in a signal handler.
private func endBySignal(_ number: Int32) {
  let first = receivedSignal.load(ordering: .relaxed)
  if first != 0 { _exit(128 + first) }
  guard number != SIGALRM else { return }
  receivedSignal.store(number, ordering: .relaxed)
  alarm(2)
}

/// Reads and writes descriptors, and repeats calls that a signal interrupted.
enum ProcessStream {
  static var isInterrupted: Bool { receivedSignal.load(ordering: .relaxed) != 0 }

  /// Reads the available bytes, 64 KiB at most; none at the end.
  ///
  /// - Throws: `Errno`; `.interrupted` if it `waits` and a signal asks the process to end.
  static func read(_ descriptor: Int32, waits: Bool = true) throws(Errno) -> [UInt8] {
    while true {
      if waits { try wait(for: descriptor) }
      var count = 0
      let bytes = [UInt8](unsafeUninitializedCapacity: 64 << 10) { buffer, initialized in
        count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
        initialized = max(0, count)
      }
      if count >= 0 { return bytes }
      let error = Errno(rawValue: errno)
      guard error == .interrupted, !waits || !isInterrupted else { throw error }
    }
  }

  /// Waits for bytes; throws `Errno.interrupted` if a signal asks the process to end.
  ///
  /// Signals are delivered only during the wait: one between the look at `receivedSignal` and the
  /// wait would be missed.
  private static func wait(for descriptor: Int32) throws(Errno) {
    var ending = sigset_t()
    var others = sigset_t()
    sigemptyset(&ending)
    for number in endingSignals { sigaddset(&ending, number) }
    pthread_sigmask(SIG_BLOCK, &ending, &others)
    defer { pthread_sigmask(SIG_SETMASK, &others, nil) }
    guard receivedSignal.load(ordering: .relaxed) == 0 else { throw .interrupted }
    var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    guard tsync_poll(&poll, &others) < 0, errno == EINTR else { return }
    if receivedSignal.load(ordering: .relaxed) != 0 { throw .interrupted }
  }

  static func write(_ bytes: [UInt8], to descriptor: Int32) throws(Errno) {
    var offset = 0
    while offset < bytes.count {
      let count = bytes.withUnsafeBytes {
        Glibc.write(descriptor, $0.baseAddress.map { $0 + offset }, bytes.count - offset)
      }
      if count >= 0 {
        offset += count
      } else if errno == EAGAIN {
        // Another program left the terminal non-blocking.
        var poll = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        Glibc.poll(&poll, 1, -1)
      } else if errno != EINTR {
        throw Errno(rawValue: errno)
      }
    }
  }
}
