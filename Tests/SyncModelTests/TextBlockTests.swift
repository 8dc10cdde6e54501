import SyncModel
import TestSupport
import Testing

@Suite("Texts of several lines in documents") struct TextBlockTests {
  /// A JSON text, and the document for it; `nil` where it stays as it is.
  struct Case: CustomTestStringConvertible, Sendable {
    let testDescription, json: String
    let document: String?

    init(_ name: String, _ json: String, _ document: String? = nil) {
      (testDescription, self.json, self.document) = (name, json, document)
    }
  }

  static let written = [
    Case(
      "an empty line, blanks, an end", "{\n  \"t\": \"a\\n\\n  x\\n\\tb\\n\",\n  \"n\": 1\n}",
      "{\n  \"t\": \"\"\"\n    a\n\n      x\n    \tb\n\n    \"\"\",\n  \"n\": 1\n}"),
    Case(
      "one line for all", #"{"a": "x\ny", "b": "\n"}"#,
      "{\"a\": \"\"\"\n  x\n  y\n  \"\"\", \"b\": \"\"\"\n\n\n  \"\"\"}"),
    Case(
      "lists, a tab, CR LF", "[\r\n\t\"x\\ny\", [\"z\", \"u\\nv\"]\r\n]",
      "[\r\n\t\"\"\"\n\t  x\n\t  y\n\t  \"\"\", [\"z\", \"\"\"\n\t  u\n\t  v\n\t  \"\"\"]\r\n]"),
    Case(
      "quotes, escapes, marks, what some call a line end", #""\" \"\"\" \u0041\\n\n===\u2028""#,
      "\"\"\"\n  \" \"\"\" A\\n\n  ===\u{2028}\n  \"\"\""),
    Case("one line, and names", "{\"a\\nb\": \"a\", \"c\\nd\"\r\n\t : \"\"}"),
    Case("a line that would close", #"["a\n\"\"\"", "\"\"\"x\n", "a\n \t\"\"\" x"]"#),
    Case("blanks at the end of a line", #"["a \nb", "a\n\t\nb", "a\nb "]"#),
    Case("a marker", #"["a\n<<<<<<< client", "  >>>>>>> server\n", "||||||| base:\nb"]"#),
    Case("control characters", #"["a\r\nb", "a\n\u0001", "a\n\u007f", "a\n\u0085"]"#),
  ]

  @Test("a text is a block where it can be one, and comes back", arguments: written)
  func writes(_ row: Case) throws {
    let json = Array(row.json.utf8)
    let document = TextBlock.blocks(in: json)
    #expect(String(decoding: document, as: UTF8.self) == row.document ?? row.json)
    let strings = try TextBlock.strings(in: document)
    #expect((try? JSON(parsing: strings)) == (try? JSON(parsing: json)))
  }

  /// Documents as people leave them, and the texts that they hold.
  static let left = [
    Case("CR LF", "a\n\tb\n", "\"\"\" \r\n  a\r\n  \tb\r\n\r\n  \"\"\""),
    Case("tabs as margin", "a\n b\n\tc", "\"\"\"\n\ta\n\t b\n\t\tc\n\t\"\"\""),
    Case("no margin", " a\\\n\n b", "\"\"\"\n a\\\n\n b\n\"\"\""),
    Case("fewer blanks", "a\n\n\n b", "\"\"\"\t\n  a\n \n\t\n   b\n  \"\"\""),
    Case("nothing", "", "\"\"\"\n    \"\"\""),
    Case("one line", "a", "\"\"\"\n a\n \"\"\""),
    Case("a mark that is escaped", "\"\"\"", #""\"\"\"""#),
  ]

  @Test("what stands between the marks is the text", arguments: left)
  func reads(_ row: Case) throws {
    let strings = try TextBlock.strings(in: Array((row.document ?? "").utf8))
    #expect(try JSON(parsing: strings).text == Text(row.json))
  }

  @Test("a block of bytes that are no UTF-8 is a mistake")
  func refusesBytes() {
    #expect(throws: JSONError(at: 0, of: [], "the text is not valid UTF-8")) {
      try TextBlock.strings(in: TextBlock.mark + [0x0A, 0xFF, 0x0A] + TextBlock.mark)
    }
  }

  @Test("any text comes back byte by byte, with any line ends around it")
  func comesBack() throws {
    for seed in UInt64(0)..<2_000 {
      var draw = RandomItems(seed: seed)
      let text = draw.word()
      try #require(text.isBlock == Self.canBeBlock(text), "seed \(seed): \(text)")
      let value: JSON = ["text": .string(text), "more": .object(draw.object(depth: 2))]
      for json in [value.encoded(), value.encoded(.indented())] {
        let document = TextBlock.blocks(in: json)
        let lines = document.split(separator: 0x0A, omittingEmptySubsequences: false)
        for newLine in ["\n", "\r\n"] {
          let strings = try TextBlock.strings(in: Array(lines.joined(separator: newLine.utf8)))
          try #require(JSON(parsing: strings) == value, "seed \(seed)")
          let count = strings.count { $0 == 0x0A }
          try #require(count == lines.count - 1, "seed \(seed): a line has moved")
        }
      }
    }
  }

  private static func canBeBlock(_ text: Text) -> Bool {
    let lines = text.bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
    return lines.count > 1
      && !text.string.unicodeScalars.contains {
        ($0.value < 0x20 && $0 != "\n" && $0 != "\t") || (0x7F...0x9F).contains($0.value)
      }
      && !lines.contains { line in
        let bare = line.drop { $0 == 0x20 || $0 == 0x09 }
        let marks = ["\"\"\"", "<<<<<<< client", "||||||| base", ">>>>>>> server"]
        return marks.contains { bare.starts(with: $0.utf8) } || [0x20, 0x09].contains(line.last)
      }
  }
}
