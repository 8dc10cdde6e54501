/// All that a command gets: the world, its options and its output.
struct Context {
  /// The world, in the directory of `-C`.
  let invocation: Invocation
  var options: GlobalOptions
  let command: String
  /// The words of the command line, the command's name first.
  let words: [String]
  /// The words for the history.
  let selection: [String]
  let printer: Printer

  var canAsk: Bool {
    invocation.input.isTerminal && invocation.error.isTerminal && !options.noInput
  }

  /// The words that repeat the command; hints add `-C` themselves.
  var again: [String] {
    var again = words
    if let option = words.prefix(optionCount).firstIndex(of: "-C") {
      again.removeSubrange(option...(option + 1))
    }
    return again
  }

  /// The number of words before `--`.
  private var optionCount: Int { words.firstIndex(of: "--") ?? words.count }

  /// The words that do what a dry run has printed.
  var inEarnest: [String] {
    let end = again.firstIndex(of: "--") ?? again.count
    let options = again.prefix(end).filter { $0 != "--dry-run" }.map { word in
      // `-nq` is `-n -q`.
      word.hasPrefix("-") && !word.hasPrefix("--") ? word.filter { $0 != "n" } : word
    }
    return options.filter { $0 != "-" } + again.dropFirst(end)
  }

  /// The time in seconds since 1970.
  var now: Int64 { invocation.clock() / 1_000_000_000 }

  /// Asks on standard error; returns the trimmed answer, or `nil` at the end of the input.
  func ask(_ question: Line) throws -> String? {
    printer.prompt(question)
    guard let answer = try invocation.input.line() else { return nil }
    let text = answer.drop { $0 <= 0x20 }.reversed().drop { $0 <= 0x20 }.reversed()
    return String(decoding: text, as: UTF8.self)
  }

  /// Throws the signal's failure if a signal came; a command calls it between items.
  func checkSignal() throws {
    if let signal = invocation.signal() { throw Problem.signal(signal) }
  }
}
