import ArgumentParser

/// The options that every command takes, before or after its name.
struct GlobalOptions: ParsableArguments {
  enum Color: String, ExpressibleByArgument, CaseIterable {
    case auto, always, never
  }

  @Option(
    name: .customShort("C"), help: ArgumentHelp("Run as if started in DIR.", valueName: "dir"))
  var directory: String?

  @Option(
    name: [.customShort("t"), .customLong("table")], parsing: .singleValue,
    help: "Use only this table.")
  var table: [String] = []

  @Flag(name: .shortAndLong, help: "Print no summaries, hints or progress.")
  var quiet = false

  @Flag(name: .shortAndLong, help: "Print more.")
  var verbose = false

  @Flag(name: .long, help: "Print one JSON document.")
  var json = false

  @Option(
    name: .long, help: ArgumentHelp("Print colors: auto, always or never.", valueName: "when"))
  var color: Color?

  @Flag(name: .customLong("no-pager"), help: "Don't use the pager.")
  var noPager = false

  @Flag(name: .customLong("no-input"), help: "Ask nothing.")
  var noInput = false

  @Option(
    name: .long, help: ArgumentHelp("Append a line for each request to FILE.", valueName: "file"))
  var trace: String?
}
