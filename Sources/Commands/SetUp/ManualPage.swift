import ArgumentParser
import Glibc
import SyncModel

struct ManualPage: Equatable {
  /// The word after `tsync help`.
  let topic: String
  var section = 1

  /// All pages, those of the commands first.
  static let all =
    [ManualPage(topic: "tsync")] + Tsync.commands.map { ManualPage(topic: $0.name) }
    + ["config", "json", "log-format", "workspace"].map { ManualPage(topic: $0, section: 5) }
    + ["conflicts", "data-model", "filter", "glossary", "safety", "tutorial"].map {
      ManualPage(topic: $0, section: 7)
    } + [ManualPage(topic: "server", section: 8)]

  private var isAboutAll: Bool { Text(topic) == "tsync" }
  /// The page's name, such as `tsync-push`.
  var name: String { isAboutAll ? topic : "tsync-\(topic)" }
  /// The name with the section, such as `tsync-push(1)`.
  var title: String { "\(name)(\(section))" }

  /// Shows the page by man(1); returns whether that worked.
  func open(in context: Context) throws -> Bool {
    let world = context.invocation
    let path = world.executable.flatMap { file(besides: $0) }
    var arguments = path.map { ["-l", $0] } ?? ["\(section)", name]
    if !world.output.isTerminal || context.options.noPager {
      arguments = ["-P", "cat"] + arguments
    }
    // The summary replaces the messages of man(1).
    let program = Program(
      "sh", ["-c", "command -v man >/dev/null && exec man \"$@\" 2>/dev/null", "man"] + arguments,
      directory: world.directory, environment: world.environment)
    return try world.run(program).status == 0
  }

  /// Returns the page's file: in `share/man` beside the program, or in the source tree.
  func file(besides executable: String) -> String? {
    var directory = PathName.split(executable).directory
    let installed =
      "\(PathName.split(directory).directory)/share/man/man\(section)/\(name).\(section)"
    var places = [installed, "\(installed).gz"]
    for _ in 0..<4 {
      places.append("\(directory)/man/\(name).\(section)")
      directory = PathName.split(directory).directory
    }
    return places.first { access($0, R_OK) == 0 }
  }

  /// The text without man(1): a command's usage, or all commands; `nil` for other pages.
  var summary: String? {
    if isAboutAll { return Tsync.overview }
    guard section == 1, let type = Tsync.command(named: topic) else { return nil }
    let help = type.helpMessage()
    guard let start = help.utf8.firstRange(of: "USAGE: ".utf8) else { return "\(help)\n" }
    return help[..<start.upperBound] + "tsync " + help[start.upperBound...] + "\n"
  }
}
