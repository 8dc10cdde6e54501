import CommandSupport
import Commands
import Glibc
import SyncModel
import TestSupport

/// A session as a text: lines that are run, then the files that they begin with.
///
/// ```
///   # what is told after '#' is for readers
///   tsync new -s id=milk 'Buy milk'      ends with 0
///   ! tsync show nothing                 ends with anything else
///   status 2                             … exactly so
///   stdout 'added milk'                  a regular expression, in what was written
///   ! stderr .                           nothing was written there
///   cmp stdout expected                  the whole of it, $WORK standing for the directory
///   exists PATH      ! exists PATH
///   sound                                nothing is left to exchange, and doctor finds nothing
///   sh 'jq . x.json'                     the shell, in the current directory
///   stdin FILE       terminal 'c'        what the next command reads; on a terminal, if so
///   cd DIR           env NAME=VALUE      clock SECONDS
///   server start [OPTION...]             its address is $URL
///   -- expected --
///   the file's text
/// ```
struct Script {
  /// One line.
  struct Line: Equatable {
    let number: Int
    let isNegated: Bool
    let words: [String]
  }

  /// The lines.
  private(set) var lines: [Line] = []
  /// The files, by name.
  private(set) var files: [(name: String, text: String)] = []

  /// Reads a script.
  init(_ text: String) throws {
    var isFile = false
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
    {
      if line.hasPrefix("-- "), line.hasSuffix(" --") {
        files.append((String(line.dropFirst(3).dropLast(3)), ""))
        isFile = true
      } else if isFile {
        files[files.count - 1].text += line + "\n"
      } else if let words = try Self.words(String(line), index + 1), let first = words.first {
        let isNegated = first == "!"
        lines.append(
          Line(
            number: index + 1, isNegated: isNegated,
            words: isNegated ? Array(words.dropFirst()) : words))
      }
    }
    // The text's last line end belongs to the text's end, not to the last file.
    for index in files.indices where files[index].text.hasSuffix("\n\n") {
      files[index].text.removeLast()
    }
  }

  /// Splits a line at its blanks, which quotes keep; nothing for a comment.
  private static func words(_ line: String, _ number: Int) throws -> [String]? {
    var words: [String] = []
    var word: String?
    var quote: Character?
    for character in line {
      if let open = quote {
        if character == open { quote = nil } else { word? += String(character) }
      } else if character == "'" || character == "\"" {
        quote = character
        word = word ?? ""
      } else if character == " " {
        if let whole = word { words.append(whole) }
        word = nil
      } else if character == "#", word == nil {
        break
      } else {
        word = (word ?? "") + String(character)
      }
    }
    guard quote == nil else { throw ScriptError("line \(number): a quote is open") }
    if let word { words.append(word) }
    return words.isEmpty ? nil : words
  }
}

/// What a script found to be otherwise than it says.
struct ScriptError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}

/// Runs a script.
struct ScriptRun {
  private let script: Script
  private let world = ScriptWorld()
  private var server: RunningServer?
  /// What the commands wrote and ended with, the directory and the server's address by their names.
  private(set) var transcript = ""

  init(_ script: Script) {
    self.script = script
    for file in script.files {
      world.directory.write(file.text, to: "work/\(file.name)")
    }
  }

  /// Runs all lines.
  ///
  /// - Throws: ``ScriptError``, at the first that is not as it says.
  mutating func run() throws {
    for line in script.lines {
      do {
        try run(line)
      } catch {
        throw ScriptError(
          """
          line \(line.number): \(line.words.joined(separator: " ")): \(error)
          --- stdout (status \(world.status))
          \(world.output)--- stderr
          \(world.error)
          """)
      }
    }
  }

  private mutating func run(_ line: Script.Line) throws {
    let words = line.words.map(expanded)
    let rest = Array(words.dropFirst())
    let first = rest.first ?? ""
    switch words[0] {
    case "tsync":
      let status = world.tsync(rest)
      transcript +=
        "$ \(line.words.joined(separator: " "))\n" + named(world.output)
        + "--- \(status)\n" + named(world.error)
      guard (status == 0) != line.isNegated else { throw ScriptError("ended with \(status)") }
      world.isTerminal = false
    case "sh":
      try world.shell(first)
      guard (world.status == 0) != line.isNegated else {
        throw ScriptError("ended with \(world.status)")
      }
    case "status":
      guard world.status == Int32(first) else { throw ScriptError("ended with \(world.status)") }
    case "stdout": try match(first, world.output, line.isNegated)
    case "stderr": try match(first, world.error, line.isNegated)
    case "cmp": try compare(rest[0], rest[1])
    case "exists":
      guard (access(world.path(first), F_OK) == 0) != line.isNegated else {
        throw ScriptError(line.isNegated ? "it is there" : "it is missing")
      }
    case "sound":
      for words in [["pull"], ["push"], ["status", "--porcelain"], ["doctor"]] {
        guard world.tsync(words) == 0, words[0] != "push" || world.error == "nothing to push\n",
          words[0] != "status" || world.output == "# tsync.status 1\n"
        else { throw ScriptError("\(words[0]) isn't quiet") }
      }
    default: try prepare(words[0], rest)
    }
  }

  private mutating func prepare(_ verb: String, _ words: [String]) throws {
    let first = words.first ?? ""
    switch verb {
    case "cd": world.current = world.path(first)
    case "stdin": world.input = Array((world.text(first) ?? "").utf8)
    case "terminal":
      world.isTerminal = true
      world.input = Array(words.map { "\($0)\n" }.joined().utf8)
    case "clock": world.now += (Int64(first) ?? 0) * 1_000_000_000
    case "env":
      let parts = first.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      world.environment[String(parts[0])] = parts.count > 1 ? String(parts[1]) : ""
    case "server":
      let server = try RunningServer(["--no-auth"] + words.dropFirst())
      self.server = server
      world.environment["URL"] = server.url
    default: throw ScriptError("there is no such verb")
    }
  }

  private func expanded(_ word: String) -> String {
    word.replacing("$WORK", with: world.directory.path(of: "work"))
      .replacing("$URL", with: world.environment["URL"] ?? "$URL")
  }

  private func named(_ text: String) -> String {
    text.replacing(world.directory.path(of: "work"), with: "$WORK")
      .replacing(world.environment["URL"] ?? "$URL", with: "$URL")
  }

  private func match(_ pattern: String, _ text: String, _ isNegated: Bool) throws {
    let regex = try Regex(pattern).anchorsMatchLineEndings()
    guard (text.firstMatch(of: regex) != nil) != isNegated else {
      throw ScriptError(isNegated ? "it is there" : "it isn't there")
    }
  }

  private func compare(_ one: String, _ other: String) throws {
    guard let left = world.text(one), let right = world.text(other) else {
      throw ScriptError("one of them is missing")
    }
    guard expanded(left) == expanded(right) else {
      throw ScriptError("they differ:\n--- \(one)\n\(left)--- \(other)\n\(right)")
    }
  }
}
