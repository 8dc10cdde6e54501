import ArgumentParser
import Testing

@testable import Commands

@Suite("The pages and the parser agree")
struct PageTests {
  /// The pages' directory, in the source tree that this file lies in.
  static let directory =
    PathName.absolute("../../../man", in: PathName.split(#filePath).directory + "/x")
  static let names = Tsync.commands.map { $0.name }

  /// Returns a page's lines.
  static func page(_ name: String) throws -> [Substring] {
    let bytes = try FileText.read("\(directory)/\(name).1")
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n")
  }

  /// Returns the flags in lines of mdoc: `.It Fl t , Fl -table Ar table` has `-t` and `--table`.
  static func flags(_ lines: some Sequence<Substring>, macro: String) -> Set<String> {
    var flags: Set<String> = []
    for line in lines where line.hasPrefix(".\(macro) ") {
      let words = line.split(separator: " ")
      for (index, word) in words.enumerated().dropFirst() where words[index - 1] == "Fl" {
        flags.insert("-\(word)")
      }
    }
    return flags
  }

  /// Returns the flags in a help text, where they begin lines: `  -t, --table <table>`.
  static func flags(help: String) -> Set<String> {
    var flags: Set<String> = []
    for line in help.split(separator: "\n") where line.hasPrefix("  -") {
      let column = line.dropFirst(2).firstRange(of: "  ").map { line[..<$0.lowerBound] } ?? line
      for word in column.split(whereSeparator: { " ,/".contains($0) }) where word.hasPrefix("-") {
        flags.insert(String(word))
      }
    }
    return flags
  }

  static let global = flags(help: GlobalOptions.helpMessage()).subtracting(["-h", "--help"])

  /// Returns the flags of a command and of those below it.
  static func flags(of type: any ParsableCommand.Type) -> Set<String> {
    type.configuration.subcommands.reduce(flags(help: type.helpMessage())) {
      $0.union(flags(of: $1))
    }.subtracting(["-h", "--help", "--version"])
  }

  @Test(
    "each flag of a command stands in its page, and each flag of the page is taken",
    arguments: names)
  func flags(name: String) throws {
    let type = try #require(Tsync.commands.first { $0.name == name })
    let written = Self.flags(try Self.page("tsync-\(name)"), macro: "It")
    let parsed = Self.flags(of: type)
    #expect(written.subtracting(parsed) == [])
    #expect(parsed.subtracting(Self.global).subtracting(written) == [])
  }

  @Test("each flag in a synopsis is explained below it", arguments: names)
  func synopsis(name: String) throws {
    let lines = try Self.page("tsync-\(name)")
    let shown = Self.flags(lines, macro: "Op").union(Self.flags(lines, macro: "Fl"))
    #expect(shown.subtracting(Self.flags(lines, macro: "It")) == [])
  }

  @Test("the options of all commands stand in tsync(1), and no others")
  func globalFlags() throws {
    let written = Self.flags(try Self.page("tsync"), macro: "It")
    #expect(written == Self.global.union(["--version", "--help", "-h"]))
  }

  @Test("tsync(1) lists the commands in their order")
  func commands() throws {
    let listed = try Self.page("tsync").filter { $0.hasPrefix(".It Cm ") }.map {
      String($0.dropFirst(7))
    }
    #expect(listed == Self.names)
  }

  @Test("a word of a page that mdoc(7) would take for a macro is none")
  func macros() throws {
    for page in ManualPage.all {
      let file = try #require(page.file(besides: "\(Self.directory)/../.build/release/tsync"))
      let lines = String(decoding: try FileText.read(file), as: UTF8.self).split(separator: "\n")
      for line in lines {
        #expect(!line.hasPrefix(".It No "), "\(page.title): \(line)")
        // The quote would end at the end of the line only.
        #expect(
          line.firstMatch(of: /\bQl \S+ (, \S|No (?!to Ar))/) == nil, "\(page.title): \(line)")
      }
    }
  }

  @Test("each page is found beside the program, in the source tree")
  func pages() throws {
    for page in ManualPage.all {
      let file = page.file(besides: "\(Self.directory)/../.build/release/tsync")
      #expect(file != nil, "\(page.title)")
    }
  }
}
