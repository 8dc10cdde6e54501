import CommandSupport
import TestSupport
import Testing

/// Colour as people have it who say nothing about it, at a terminal and elsewhere.
@Suite struct ColourTests {
  private let anna = Person()
  private static let commands = [["status"], ["list", "-a"], ["diff"]]

  init() {
    anna.run("init", "list")
    anna.run("new", "-s", "id=milk", "Buy milk")
    anna.run("new", "-s", "id=bread", "-s", "complete:=true", "Buy bread")
    anna.directory.write("{", to: "list/.todosync/items/todoitem/bad.json")
  }

  /// Runs a command line that says nothing of colour.
  private func shown(_ words: [String], isTerminal: Bool = true) throws -> String {
    try anna.start(words, columns: isTerminal ? 80 : nil).outcome().output
  }

  @Test("what is pending, done, changed or wrong is coloured on a terminal")
  func onATerminal() throws {
    let status = try shown(["status"])
    #expect(status.contains("\u{1B}[1mto push\u{1B}[0m"))
    #expect(status.contains("\u{1B}[32mA ") && status.contains("\u{1B}[31m!!"))
    #expect(try shown(["list", "-a"]).contains("\u{1B}[2mdone\u{1B}[0m"))
    let diff = try shown(["diff"])
    #expect(diff.contains("\u{1B}[32mA \u{1B}[0m") && diff.contains("\u{1B}[32mBuy milk\u{1B}[0m"))
  }

  @Test(
    "there is no colour where it isn't wanted, and the words are the same",
    arguments: [
      ("", "", "auto", false), ("1", "", "auto", true), ("0", "", "auto", true),
      ("", "never", "auto", true), ("", "", "never", true), ("", "never", "always", true),
    ])
  func without(variable: String, option: String, setting: String, isTerminal: Bool) throws {
    let coloured = try Self.commands.map { try shown($0) }
    anna.environment.append(("NO_COLOR", variable))
    anna.run("config", "color", setting)
    for (words, coloured) in zip(Self.commands, coloured) {
      let option = option == "never" ? ["--color", option] : []
      let text = try shown(option + words, isTerminal: isTerminal)
      #expect(!text.contains("\u{1B}"), "\(words)")
      #expect(text.contains("milk") && Self.plain(coloured).contains(text), "\(words)")
    }
  }

  @Test("colour that is asked for is there without a terminal", arguments: ["option", "setting"])
  func asked(place: String) throws {
    if place == "setting" { anna.run("config", "color", "always") }
    for words in Self.commands {
      let option = place == "option" ? ["--color", "always"] : []
      #expect(try shown(option + words, isTerminal: false).contains("\u{1B}["), "\(words)")
    }
    // The option goes before the variable, whose empty value says nothing.
    anna.environment.append(("NO_COLOR", place == "option" ? "1" : ""))
    let option = place == "option" ? ["--color", "always"] : []
    #expect(try shown(option + ["status"], isTerminal: false).contains("\u{1B}["))
  }

  /// A text without its colours.
  private static func plain(_ text: String) -> String {
    text.split(separator: "\u{1B}[", omittingEmptySubsequences: false).enumerated()
      .map { $0 == 0 ? $1 : $1.drop { $0 != "m" }.dropFirst() }.joined()
  }
}
