import ArgumentParser
import Glibc

struct ManualPage: Equatable {
  /// The page's name, such as `tsync-push`.
  let name: String
  let section: Int
  private let command: String?

  /// The pages that are not about a command.
  private static let others: [(topic: String, section: Int)] = [
    ("conflicts", 7), ("filter", 7), ("safety", 7), ("server", 8), ("tutorial", 7),
    ("workspace", 5),
  ]

  static var topics: [String] { Tsync.commands.map { $0.name } + others.map(\.topic) }

  /// Finds the page about a command or another topic; without one, tsync(1).
  init?(about topic: String?) {
    guard let topic, !topic.utf8.elementsEqual("tsync".utf8) else {
      (name, section, command) = ("tsync", 1, nil)
      return
    }
    if Tsync.commands.contains(where: { $0.name.utf8.elementsEqual(topic.utf8) }) {
      (name, section, command) = ("tsync-\(topic)", 1, topic)
    } else if let other = Self.others.first(where: { $0.topic.utf8.elementsEqual(topic.utf8) }) {
      (name, section, command) = ("tsync-\(topic)", other.section, nil)
    } else {
      return nil
    }
  }

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
    guard
      let type = Tsync.commands.first(where: { $0.name.utf8.elementsEqual((command ?? "").utf8) })
    else {
      return name.utf8.elementsEqual("tsync".utf8) ? Tsync.overview : nil
    }
    let help = type.helpMessage()
    let start = "USAGE: "
    let isUsual = help.utf8.contains(UInt8(ascii: ":"))
    guard isUsual, let range = help.utf8.firstRange(of: start.utf8) else { return "\(help)\n" }
    return help[..<range.upperBound] + "tsync " + help[range.upperBound...] + "\n"
  }
}
