/// What one run of a command has at hand: the world, the options, and where its words go.
struct Context {
  /// The world; its directory is where `-C` leads.
  let invocation: Invocation
  /// The options that all commands have.
  var options: GlobalOptions
  /// The command's name.
  let command: String
  /// The words of the command line, the command's name first.
  let words: [String]
  /// The words that say what the command is about.
  let selection: [String]
  /// Where results and messages go.
  let output: Output

  /// Whether a person is there to be asked.
  var canAsk: Bool {
    invocation.input.isTerminal && invocation.error.isTerminal && !options.noInput
  }

  /// The time in seconds since 1970.
  var now: Int64 { invocation.clock() / 1_000_000_000 }

  /// Asks a question on standard error and returns the line that was typed, without blanks around
  /// it; `nil` at the end of the input.
  func ask(_ question: Line) throws -> String? {
    output.prompt(question)
    guard let answer = try invocation.input.line() else { return nil }
    let text = answer.drop { $0 <= 0x20 }.reversed().drop { $0 <= 0x20 }.reversed()
    return String(decoding: text, as: UTF8.self)
  }

  /// Ends the command where a signal asked for it; to be called between items.
  ///
  /// - Throws: ``Failure``, with the signal's status.
  func checkSignal() throws {
    if let signal = invocation.signal() { throw Failure.signal(signal) }
  }
}
