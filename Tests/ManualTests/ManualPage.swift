import Foundation
import Testing

/// A page of the manual, as far as it shows commands and what they print.
struct ManualPage: CustomTestStringConvertible, Sendable {
  /// A command line and the lines that the page shows below it.
  struct Step: Equatable, Sendable {
    var command: String
    var expected: [String]
  }

  /// The file's name: `tsync-push.1`.
  let name: String
  /// The blocks that begin with a command, in the page's order.
  let sessions: [[Step]]

  var testDescription: String { name }

  /// The pages' directory, in the source tree that this file lies in.
  private static let directory = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("../../man").standardized

  /// Returns all pages, in the order of their names.
  static func all() throws -> [ManualPage] {
    try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted().map { name in
      let source = try Data(contentsOf: directory.appendingPathComponent(name))
      return ManualPage(name: name, source: String(decoding: source, as: UTF8.self))
    }
  }

  /// Reads a page's source.
  ///
  /// Sessions stand under EXAMPLES; the tutorial is one from its first line to its last.
  init(name: String, source: String) {
    self.name = name
    var sessions: [[Step]] = []
    var block: [String]?
    var counts = name == "tsync-tutorial.7"
    for line in source.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.hasPrefix(".Bd -literal") {
        block = counts ? [] : nil
      } else if line == ".Ed" {
        let steps = Self.steps(block ?? [])
        if !steps.isEmpty { sessions.append(steps) }
        block = nil
      } else if block != nil {
        block?.append(Self.plain(line))
      } else if line.hasPrefix(".Sh "), name != "tsync-tutorial.7" {
        counts = line == ".Sh EXAMPLES"
      }
    }
    self.sessions = sessions
  }

  /// Returns the commands of a block; none where it doesn't begin with one.
  private static func steps(_ block: [String]) -> [Step] {
    guard block.first?.hasPrefix("$ ") == true else { return [] }
    return block.reduce(into: []) { steps, line in
      if line.hasPrefix("$ ") {
        steps.append(Step(command: String(line.dropFirst(2)), expected: []))
      } else {
        steps[steps.count - 1].expected.append(line)
      }
    }
  }

  /// Returns a line of mdoc as a reader sees it.
  private static func plain(_ line: Substring) -> String {
    [(#"\(aq"#, "'"), (#"\(dq"#, "\""), (#"\(pc"#, "·"), (#"\&"#, ""), (#"\e"#, #"\"#)]
      .reduce(String(line)) { $0.replacingOccurrences(of: $1.0, with: $1.1) }
  }
}
