import Foundation
import Testing

/// Words that readers stumble over are kept out of the pages and of what the programs print.
@Suite("Plain words")
struct PlainWordsTests {
  private static let phrases = [
    "is told", "are told", "told again", "were it", "that which", "those which", "of which the",
    "wants to be known", "came about", "in whole", "none that", "'s affair", "goes before",
    "passed over", "counts no more", "a way on", "the way on", "lie", "lies", "lay", "laid",
    "(?:stand|stands|stood) (?:in|on|before|behind|beside|there|for)",
  ]

  /// One of these in a thousand words is enough.
  private static let rationed = [
    "what is", "what was", "what has", "what had", "what waits", "what they", "what it",
    "what others", "whose", "nobody", "somebody", "meanwhile",
  ]

  private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("../..").standardized

  /// Returns the places of words in a text, each with the words around it.
  private static func places(of words: [String], in text: String) throws -> [String] {
    let pattern = try Regex("(?i)(?:\\b|(?='))(?:\(words.joined(separator: "|")))\\b")
      .wordBoundaryKind(.simple)
    return text.matches(of: pattern).map { match in
      "\(text[..<match.range.lowerBound].suffix(30))\(text[match.range.lowerBound...].prefix(60))"
    }
  }

  /// Returns the text of a page on one line, without the names of macros.
  private static func text(of page: String) throws -> String {
    let source = try String(contentsOf: root.appendingPathComponent(page), encoding: .utf8)
    return source.split(separator: "\n").map { line in
      line.hasPrefix(".") ? line.drop { $0 != " " } : line
    }.joined(separator: " ")
  }

  private static func files() throws -> [String] {
    let names = try FileManager.default.contentsOfDirectory(
      atPath: root.appendingPathComponent("man").path)
    return ["README.md"] + names.sorted().map { "man/\($0)" }
  }

  /// Returns the texts in quotes of a source file, without its comments.
  private static func literals(in source: String) -> String {
    var isBlock = false
    return source.split(separator: "\n").map { line -> String in
      if line.contains("\"\"\"") { isBlock.toggle() }
      if isBlock { return String(line) }
      if line.drop(while: { $0 == " " }).hasPrefix("//") { return "" }
      return line.matches(of: /"(?:[^"\\]|\\.)*"/).map { String(line[$0.range]) }
        .joined(separator: " ")
    }.joined(separator: "\n")
  }

  @Test("pages have none of the words that readers stumble over", arguments: try files())
  func page(name: String) throws {
    let places = try Self.places(of: Self.phrases, in: Self.text(of: name))
    #expect(places == [])
  }

  @Test("all pages together have few of the words that hide what is meant")
  func rations() throws {
    let texts = try Self.files().map(Self.text)
    let places = try texts.flatMap { try Self.places(of: Self.rationed, in: $0) }
    let words = texts.map { $0.split(separator: " ").count }.reduce(0, +)
    #expect(places.count * 1_000 <= words, "\(places)")
  }

  @Test("messages and help have none of them either")
  func messages() throws {
    let sources = Self.root.appendingPathComponent("Sources")
    let files = FileManager.default.enumerator(atPath: sources.path)?.compactMap { $0 as? String }
    for file in try #require(files) where file.hasSuffix(".swift") {
      let source = try String(contentsOf: sources.appendingPathComponent(file), encoding: .utf8)
      let places = try Self.places(of: Self.phrases, in: Self.literals(in: source))
      #expect(places == [], "\(file)")
    }
  }

  @Test("a word is found in a page and in a text of the source, not in a comment or a name")
  func finds() throws {
    #expect(try Self.places(of: Self.phrases, in: "here it lies, and stands for b").count == 2)
    #expect(try Self.places(of: Self.phrases, in: "replies, layer, understands in") == [])
    let source = "// it lies\nlay(\"the file lies\")\nlet a = \"\"\"\n  laid\n  \"\"\"\n"
    #expect(try Self.places(of: Self.phrases, in: Self.literals(in: source)).count == 2)
  }
}
