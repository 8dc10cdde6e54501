package import CurlTransport
package import Remote
package import SystemPackage

/// All that a command may know of the world.
///
/// A command uses nothing else of the process, so that any command line runs inside a test.
package struct Invocation {
  /// The current directory, an absolute path.
  package var directory: String
  /// The environment.
  package var environment: Environment
  /// The user's home; `nil` if there is none.
  package var home: String?
  /// The path of the running program; `nil` if it isn't known.
  package var executable: String?
  /// Standard input.
  package var input: Input
  /// Standard output.
  package var output: Sink
  /// Standard error.
  package var error: Sink
  /// Returns the time in nanoseconds since 1970.
  package var clock: () -> Int64
  /// Returns random bits for ids that no one can guess.
  package var random: () -> UInt64
  /// Returns the signal that asked the process to end; `nil` if there is none.
  package var signal: () -> Int32?
  /// Runs a program and waits for its end.
  package var run: (Program) throws(Errno) -> Ending
  /// Waits a number of milliseconds before a request is sent again.
  package var pause: (Int) -> Void = { Dependencies.sleep($0) }
  /// The limits for size and time of a server's answers.
  package var limits = TransportLimits()
  /// Returns the transport for requests, given the one that uses libcurl.
  package var line: (CurlTransport) -> any Transport = { $0 }

  /// Creates an invocation of the given parts.
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
  /// A stream to write to.
  package struct Sink {
    /// Whether a person looks at it.
    package var isTerminal: Bool
    /// How many columns and lines a terminal shows.
    package var columns, lines: Int
    /// Writes all bytes.
    package var write: ([UInt8]) throws(Errno) -> Void

    /// Creates a stream that writes by a function.
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

  /// A stream to read from; a class, because bytes can be read only once.
  package final class Input {
    /// Whether a person types into it.
    package let isTerminal: Bool
    private let read: () throws(Errno) -> [UInt8]
    private var rest: [UInt8] = []

    /// Creates a stream of a function that returns the next bytes, and none at the end.
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

    /// Reads all bytes; more than the limit if there are more, so that the caller notices.
    ///
    /// - Throws: `Errno` if reading fails.
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
