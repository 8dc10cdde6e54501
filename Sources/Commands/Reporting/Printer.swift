import SyncEngine
import SyncModel
import SystemPackage

/// The output of a command: results to standard output, all else to standard error.
///
/// It is a class because written bytes can't be taken back.
final class Printer {
  private let invocation: Invocation
  private let options: GlobalOptions
  private let command: String
  private let start: Int64
  private var buffer: [UInt8] = []
  private var isPaged = false
  private var shownProgress: String?
  /// How many items' lines tell of what went well, and the others' lines, which come last on a terminal.
  private var (wellCount, others): (Int, [Line]) = (0, [])
  /// The error that ended writing to standard output.
  private(set) var failure: Errno?

  var hintText: HintText
  /// The setting `color`; the option `--color` wins.
  var colorSetting: GlobalOptions.Color = .auto
  /// The most urgent exit status so far.
  private(set) var status = ExitStatus.done
  /// Printed at the end with `--json`.
  private var document: Document

  init(_ invocation: Invocation, _ options: GlobalOptions, command: String) {
    self.invocation = invocation
    self.options = options
    self.command = command
    hintText = HintText(option: options.directory, directory: invocation.directory)
    document = Document(schema: "tsync.\(command)/1")
    start = invocation.clock()
  }

  /// Sets the exit status, unless a more urgent one is set.
  func end(with status: ExitStatus) {
    self.status = self.status.or(status)
  }

  // MARK: Standard output

  /// Prints a line of the result; nothing with `--json`.
  func result(_ line: Line) {
    guard !options.json else { return }
    print(bytes: Array(rendered(line, on: invocation.output).utf8) + [0x0A])
  }

  /// Prints an item's line; nothing with `--json`.
  ///
  /// What went well is not printed with `-q`, and on a terminal only for the first items.
  func item(_ line: Line, isWell: Bool) {
    guard invocation.output.isTerminal, !options.verbose else {
      if !isWell || !options.quiet { result(line) }
      return
    }
    if !isWell {
      others.append(line)
    } else if !options.quiet {
      wellCount += 1
      if wellCount <= Self.wellShown { result(line) }
    }
  }

  /// How many items' lines that tell of what went well a terminal gets.
  private static let wellShown = 20

  /// Prints what follows the lines of items.
  func endItems() {
    let more = wellCount - Self.wellShown
    if more > 0 { result(Line("… and \(more) more (-v prints all)")) }
    others.forEach(result)
    (wellCount, others) = (0, [])
  }

  /// Prints a text of several lines that is safe, such as JSON; nothing with `--json`.
  func result(safe text: String) { result(bytes: Array(text.utf8)) }

  /// Prints bytes for a program, as they are; nothing with `--json`.
  func result(bytes: [UInt8]) {
    guard !options.json else { return }
    print(bytes: bytes)
  }

  /// Prints a record for programs, ended by a byte; nothing with `--json`.
  func record(_ text: String, end: UInt8) {
    guard !options.json else { return }
    print(bytes: Array(Terminal.safe(text).utf8) + [end])
  }

  private func print(bytes: [UInt8]) {
    clearProgress()
    buffer += bytes
    // A person sees each line as it comes; a program gets fewer, larger pieces.
    let isDue = invocation.output.isTerminal || buffer.count >= 64 << 10
    if isDue { flush() }
  }

  /// Writes the buffer, unless it waits for the pager.
  func flush() {
    guard !isPaged else { return }
    let bytes = buffer
    buffer = []
    guard !bytes.isEmpty, failure == nil else { return }
    do { try invocation.output.write(bytes) } catch { failure = error }
  }

  // MARK: The JSON document

  func set(_ name: Text, _ value: some JSONValue) { document.set(name, value.json) }

  /// Sets the members of a command's document, in this one or, if that is another's, in a member of it.
  func set(_ members: @autoclosure () -> JSONObject, of command: Text) {
    guard options.json else { return }
    let members = members()
    if command == Text(self.command) || command == "pull" && self.command == "clone" {
      for member in members.members { set(member.name, member.value) }
    } else {
      set(command, members)
    }
  }

  func append(_ element: some JSONValue, to list: Text) {
    if options.json { document.append(element.json, to: list) }
  }

  func begin(_ list: Text) { document.begin(list) }

  // MARK: Standard error

  /// Prints a line for people, whatever the options.
  func message(_ line: Line) {
    clearProgress()
    flush()
    write(rendered(line, on: invocation.error) + "\n")
  }

  /// Prints a summary, with the next step in the column for hints; nothing with `-q` or `--json`.
  func summary(_ line: Line, next: Hint? = nil) {
    endItems()
    guard !options.quiet, !options.json else { return }
    message(line.hinting(next.map(text)))
  }

  /// Prints a warning: `tsync: COMMAND: fact`.
  func warn(_ fact: Hint) {
    message(Line("tsync: \(command): \(text(of: fact))"))
  }

  func warn(_ fact: String) { warn("\(fact)" as Hint) }

  func text(of hint: Hint) -> String { hintText.text(of: hint) }

  /// Prints a problem, with its hints; the command goes on, and ends with its status.
  func warn(_ problem: Problem) {
    problem.lines(command: command, hintText).forEach(message)
    end(with: problem.status)
  }

  /// Prints that a file is invalid, and how to fix it.
  func warn(_ invalid: InvalidItem) { warn(Problem(invalid: invalid, .rejected)) }

  /// Prints a line with `-v`; nothing with `--json`.
  func detail(_ line: Line) {
    guard options.verbose, !options.json else { return }
    message(line)
  }

  /// Prints a question; the cursor stays behind it.
  func prompt(_ question: Line) {
    endItems()
    clearProgress()
    flush()
    let lines = Terminal.wrapped(question.text, to: invocation.error.columns)
    write(lines.joined(separator: "\n") + " ")
  }

  /// Shows progress on a terminal, once the command takes longer than half a second.
  func progress(_ text: @autoclosure () -> String) {
    guard invocation.error.isTerminal, !options.quiet, !options.json,
      invocation.clock() - start > 500_000_000
    else { return }
    let line = Terminal.cut(Terminal.safe(text()), to: max(10, invocation.error.columns - 1))
    guard line != shownProgress else { return }
    flush()
    shownProgress = line
    write("\r\u{1B}[K\(line)")
  }

  private func clearProgress() {
    guard shownProgress != nil else { return }
    shownProgress = nil
    write("\r\u{1B}[K")
  }

  private func write(_ text: String) {
    // If messages can't be written, there is no way to report it.
    try? invocation.error.write(Array(text.utf8))
  }

  // MARK: Looks

  private func rendered(_ line: Line, on sink: Invocation.Sink) -> String {
    isColoured(sink) ? line.coloured : line.text
  }

  private func isColoured(_ sink: Invocation.Sink) -> Bool {
    if let color = options.color, color != .auto { return color == .always }
    if invocation.environment.nonEmpty("NO_COLOR") != nil { return false }
    switch colorSetting {
    case .always: return true
    case .never: return false
    case .auto: return sink.isTerminal
    }
  }

  /// Sends a long result through the pager if a person reads it.
  func page() {
    isPaged = invocation.output.isTerminal && !options.noPager && !options.json
  }

  /// Gives the buffer to the pager if it is longer than the screen.
  private func flushThroughPager() {
    let lineCount = buffer.count { $0 == UInt8(ascii: "\n") }
    let command = pager ?? "less"
    let isLong = isPaged && lineCount >= invocation.output.lines
    isPaged = false
    guard isLong, !Text(command).isEmpty else { return flush() }
    var program = Program.shell(command, in: invocation)
    program.input = .bytes(buffer)
    if program.environment["LESS"] == nil {
      program.environment = program.environment.setting([("LESS", "FRX")])
    }
    // The shell ends with 126 or 127 if it can't run the pager.
    guard let ending = try? invocation.run(program), ![126, 127].contains(ending.status) else {
      return flush()
    }
    buffer = []
  }

  var pagerSetting: String?
  private var pager: String? {
    let environment = invocation.environment
    return environment["TSYNC_PAGER"] ?? pagerSetting ?? environment["PAGER"]
  }

  // MARK: The end

  /// Prints the problem that ended the command, if there is one, writes the buffer, and returns the exit status.
  func finish(_ problem: Problem?) -> ExitStatus {
    endItems()
    if let problem { end(with: problem.status) }
    if options.json, let text = document.text(error: problem?.json(command: command, hintText)) {
      print(bytes: text)
    }
    flushThroughPager()
    problem?.lines(command: command, hintText).forEach(message)
    guard let failure else { return status }
    // The reader has closed the pipe, which is no problem.
    if failure == .brokenPipe { return .signal(13) }
    message(Line("tsync: \(command): cannot write standard output: \(failure)"))
    return status.or(.damaged)
  }
}
