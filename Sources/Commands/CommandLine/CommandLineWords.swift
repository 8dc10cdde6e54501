import ArgumentParser

/// A command line before it is parsed: which command, and which words are for it.
///
/// The options that every command takes may stand before the command's name; they are moved behind
/// it.
struct CommandLineWords {
  /// The command's name; `nil` where there is none.
  let name: String?
  /// The words for the command.
  let rest: [String]
  /// What `-C` before the command's name says; `nil` where it isn't there.
  let directory: String?
  /// Whether only the version is asked for.
  let asksForVersion: Bool
  /// Whether the command's page is asked for.
  let asksForHelp: Bool

  /// Sorts words.
  init(_ words: [String]) {
    var before: [String] = []
    var words = words[...]
    while let word = words.first, word.utf8.first == UInt8(ascii: "-"), word.utf8.count > 1 {
      before.append(word)
      words.removeFirst()
      if Self.takesValue(word), let value = words.popFirst() { before.append(value) }
    }
    name = words.popFirst()
    directory = before.lastIndex(of: "-C").flatMap { before.dropFirst($0 + 1).first }
    // All that follows `serve` is another program's.
    let isPassedOn = name?.utf8.elementsEqual("serve".utf8) ?? false
    rest = (isPassedOn ? [] : before) + words
    let own = isPassedOn ? Array(words.prefix(1)) : before + Self.options(in: Array(words))
    asksForVersion = before.contains("--version")
    // Behind a command's name the parser tells -h from an option's value.
    asksForHelp = own.contains("--help") || name == nil && own.contains("-h")
  }

  /// Returns the options for telling a failure before there is a command.
  func options() throws -> GlobalOptions {
    let known = ["--json", "-q", "--quiet"]
    return try GlobalOptions.parse(Self.options(in: rest).filter(known.contains))
  }

  private static func options(in words: [String]) -> ArraySlice<String> {
    words.prefix { $0 != "--" }
  }

  /// Whether the word after an option is its value.
  private static func takesValue(_ word: String) -> Bool {
    ["-C", "-t", "--table", "--color", "--trace"].contains(word)
  }
}
