package import CurlTransport
package import Remote
package import SystemPackage

/// All that a command may know of the world.
///
/// A command takes nothing from the process itself, so that any command line runs inside a test.
package struct Invocation {
  /// The current directory, an absolute path.
  package var directory: String
  /// The environment.
  package var environment: Environment
  /// The user's home; `nil` where there is none.
  package var home: String?
  /// The path of the running program; `nil` where it isn't known.
  package var executable: String?
  /// Standard input.
  package var input: Input
  /// Standard output.
  package var output: Sink
  /// Standard error.
  package var error: Sink
  /// Gives the time in nanoseconds since 1970.
  package var clock: () -> Int64
  /// Gives random bits, good enough for an id that nobody else may guess or repeat.
  package var random: () -> UInt64
  /// Gives the signal that asked the process to end; `nil` where none did.
  package var signal: () -> Int32?
  /// Runs a program and waits for its end.
  package var run: (Program) throws(Errno) -> Ending
  /// Waits so many milliseconds before a request is sent again.
  package var pause: (Int) -> Void = { Surroundings.sleep($0) }
  /// How large and how slow a server's answers may be.
  package var limits = TransportLimits()
  /// Gives the transport that requests go by, of the one that sends them through libcurl.
  package var line: (CurlTransport) -> any Transport = { $0 }

  /// Makes an invocation.
  package init(
    directory: String, environment: Environment, home: String?, executable: String?,
    input: Input, output: Sink, error: Sink, clock: @escaping () -> Int64,
    random: @escaping () -> UInt64, signal: @escaping () -> Int32?,
    run: @escaping (Program) throws(Errno) -> Ending
  ) {
    self.directory = directory
    self.environment = environment
    self.home = home
    self.executable = executable
    self.input = input
    self.output = output
    self.error = error
    self.clock = clock
    self.random = random
    self.signal = signal
    self.run = run
  }
}

extension Invocation {
  /// A stream that is written to.
  package struct Sink {
    /// Whether a person looks at it.
    package var isTerminal: Bool
    /// How many columns and lines a terminal shows.
    package var columns, lines: Int
    /// Writes bytes, all of them.
    package var write: ([UInt8]) throws(Errno) -> Void

    /// Makes a stream.
    package init(
      isTerminal: Bool = false, columns: Int = 80, lines: Int = 24,
      write: @escaping ([UInt8]) throws(Errno) -> Void
    ) {
      self.isTerminal = isTerminal
      self.columns = columns
      self.lines = lines
      self.write = write
    }
  }

  /// The stream that is read from; an object, because what was read is gone.
  package final class Input {
    /// Whether a person types into it.
    package let isTerminal: Bool
    private let read: () throws(Errno) -> [UInt8]
    private var rest: [UInt8] = []

    /// Makes a stream of a function that gives the next bytes, and none at the end.
    package init(isTerminal: Bool = false, read: @escaping () throws(Errno) -> [UInt8]) {
      self.isTerminal = isTerminal
      self.read = read
    }

    /// Reads a line, without its end; `nil` at the end of the stream.
    package func line() throws(Errno) -> [UInt8]? {
      while true {
        if let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
          let line = Array(rest[..<end])
          rest.removeSubrange(...end)
          return line
        }
        let more = try read()
        guard !more.isEmpty else {
          defer { rest = [] }
          return rest.isEmpty ? nil : rest
        }
        rest += more
      }
    }

    /// Reads everything up to the end.
    ///
    /// Where there is more than the limit, more is read than that, so that the caller sees it.
    ///
    /// - Parameter limit: How many bytes at most.
    /// - Returns: The bytes.
    /// - Throws: `Errno`.
    package func all(limit: Int = .max - 1) throws(Errno) -> [UInt8] {
      while rest.count <= limit {
        let more = try read()
        if more.isEmpty { break }
        rest += more
      }
      defer { rest = [] }
      return rest
    }
  }
}
