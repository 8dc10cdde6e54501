import ArgumentParser
import SyncModel

/// A command line before parsing: the command's name, and the words for the command.
///
/// Options before the command's name are moved behind it.
struct CommandLineWords {
  let name: String?
  let rest: [String]
  /// The value of `-C` before the command's name.
  let directory: String?
  let asksForVersion: Bool
  let asksForHelp: Bool

  init(_ words: [String]) {
    var before: [String] = []
    var words = words[...]
    while let word = words.first, word.utf8.first == UInt8(ascii: "-"), word.utf8.count > 1 {
      before.append(words.removeFirst())
      let takesValue = ["-C", "-t", "--table", "--color", "--trace"].contains(word)
      if takesValue, let value = words.popFirst() { before.append(value) }
    }
    name = words.popFirst()
    directory = before.lastIndex(of: "-C").flatMap { before.dropFirst($0 + 1).first }
    // The words behind `serve` are for tsync-server.
    let isPassedOn = name.map { Text($0) } == "serve"
    rest = (isPassedOn ? [] : before) + words
    let own = isPassedOn ? Array(words.prefix(1)) : before + words.prefix { $0 != "--" }
    asksForVersion = before.contains("--version")
    // Behind a command's name, the parser decides whether -h is an option or a value.
    asksForHelp = own.contains("--help") || name == nil && own.contains("-h")
  }

  /// Returns the options for printing a failure if no command was parsed.
  func options() throws -> GlobalOptions {
    let known = ["--json", "-q", "--quiet"]
    return try GlobalOptions.parse(rest.prefix { $0 != "--" }.filter(known.contains))
  }
}
