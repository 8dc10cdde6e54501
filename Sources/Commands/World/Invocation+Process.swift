import Glibc
import SyncModel
import Synchronization
import SystemPackage

extension Invocation {
  /// Makes the invocation of this process, and prepares the process for it.
  ///
  /// A signal that asks it to end is kept for the command to see; a second one, or two seconds, end
  /// it at once: whatever lies on the disk then is safe to die in.
  package static func process() -> Invocation {
    occupyStandardStreams()
    let environment = processEnvironment()
    prepareSignals()
    preventCoreFiles()
    return Invocation(
      directory: currentDirectory() ?? environment["PWD"] ?? "/", environment: environment,
      home: environment.nonEmpty("HOME"), executable: link(at: "/proc/self/exe"),
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

  /// Makes sure that no file or socket gets the number of a standard stream that is closed: what is
  /// said would be written into it.
  ///
  /// To write to what is opened instead fails as it does where nothing is open, and so does reading.
  private static func occupyStandardStreams() {
    for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO]
    where fcntl(descriptor, F_GETFD) < 0 {
      // The lowest number that is free, which is this one.
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

  private static func currentDirectory() -> String? {
    guard let path = getcwd(nil, 0) else { return nil }
    defer { free(path) }
    return String(cString: path)
  }

  private static func link(at path: String) -> String? {
    guard let target = realpath(path, nil) else { return nil }
    defer { free(target) }
    return String(cString: target)
  }

  /// Reads the environment as the kernel has it, so that no name is lost or found twice.
  private static func processEnvironment() -> Environment {
    let descriptor = open("/proc/self/environ", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return Environment([]) }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    while let more = try? ProcessStream.read(descriptor), !more.isEmpty { bytes += more }
    return Environment(
      bytes.split(separator: 0).compactMap { line in
        guard let sign = line.firstIndex(of: UInt8(ascii: "=")), sign > line.startIndex,
          let name = Text(validating: line[..<sign]),
          let value = Text(validating: line[(sign + 1)...])
        else { return nil }
        return (name, value)
      })
  }

  /// Makes sure that no token ends up in a core file (safety.md §2.2 W11).
  private static func preventCoreFiles() {
    var limit = rlimit()
    let core: __rlimit_resource_t = numericCast(RLIMIT_CORE.rawValue)
    guard getrlimit(core, &limit) == 0 else { return }
    limit.rlim_cur = 0
    setrlimit(core, &limit)
  }

  private static func prepareSignals() {
    // Swift's report of a crash prints memory, and so a token (safety.md §2.2 W11).
    for number in [SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT] {
      Glibc.signal(number, SIG_DFL)
    }
    // A reader of the output that goes away is noticed by the failing write.
    Glibc.signal(SIGPIPE, SIG_IGN)
    // So is a limit of the files' size.
    Glibc.signal(SIGXFSZ, SIG_IGN)
    _ = receivedSignal.load(ordering: .relaxed)
    for number in endingSignals + [SIGALRM] {
      var former = sigaction()
      sigaction(number, nil, &former)
      // nohup(1) and shells' background jobs say so by ignoring.
      let isIgnored = unsafeBitCast(former.__sigaction_handler.sa_handler, to: Int.self) == 1
      if isIgnored, number != SIGALRM { continue }
      var action = sigaction()
      action.__sigaction_handler.sa_handler = endBySignal
      sigaction(number, &action, nil)
    }
  }
}

/// The signals that ask the process to end; without a handler of its own, Swift would write a long
/// report of where a process is that gets `SIGQUIT`, and go on.
private let endingSignals = [SIGINT, SIGTERM, SIGHUP, SIGQUIT]

/// The signal that asked the process to end; 0 where none did.
private let receivedSignal = Atomic<Int32>(0)

/// Keeps the first signal and gives the command two seconds; the second one ends the process.
///
/// Only what may be called in a signal handler is called here.
private func endBySignal(_ number: Int32) {
  let first = receivedSignal.load(ordering: .relaxed)
  if first != 0 { _exit(128 + first) }
  guard number != SIGALRM else { return }
  receivedSignal.store(number, ordering: .relaxed)
  alarm(2)
}

/// Reading and writing a descriptor of the process, again where a signal interrupts it.
enum ProcessStream {
  /// Whether a signal asks the process to end.
  static var isInterrupted: Bool { receivedSignal.load(ordering: .relaxed) != 0 }

  /// Reads what is there, 64 KiB at most; nothing at the end.
  ///
  /// - Throws: `Errno`; `.interrupted` where it `waits` and the signal asks the process to end.
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

  /// Waits until there is something to read, or until a signal asks the process to end.
  ///
  /// Signals come in while it waits, and only then: one that came between a look at
  /// `receivedSignal` and the waiting would leave it waiting.
  ///
  /// - Throws: `Errno.interrupted`.
  private static func wait(for descriptor: Int32) throws(Errno) {
    var ending = sigset_t()
    var others = sigset_t()
    sigemptyset(&ending)
    for number in endingSignals { sigaddset(&ending, number) }
    pthread_sigmask(SIG_BLOCK, &ending, &others)
    defer { pthread_sigmask(SIG_SETMASK, &others, nil) }
    guard receivedSignal.load(ordering: .relaxed) == 0 else { throw .interrupted }
    var set = fd_set()
    guard descriptor < 8 * MemoryLayout<fd_set>.size else { return }
    // As C's FD_SET does it on little-endian machines; it is one of the first descriptors.
    withUnsafeMutableBytes(of: &set) { $0[Int(descriptor) / 8] |= 1 << (descriptor % 8) }
    guard pselect(descriptor + 1, &set, nil, nil, nil, &others) < 0, errno == EINTR else { return }
    if receivedSignal.load(ordering: .relaxed) != 0 { throw .interrupted }
  }

  /// Writes all bytes.
  ///
  /// - Throws: `Errno`.
  static func write(_ bytes: [UInt8], to descriptor: Int32) throws(Errno) {
    var offset = 0
    while offset < bytes.count {
      let count = bytes.withUnsafeBytes {
        Glibc.write(descriptor, $0.baseAddress.map { $0 + offset }, bytes.count - offset)
      }
      if count >= 0 {
        offset += count
      } else if errno == EAGAIN {
        // A terminal that was left non-blocking by another program.
        var poll = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        Glibc.poll(&poll, 1, -1)
      } else if errno != EINTR {
        throw Errno(rawValue: errno)
      }
    }
  }
}
