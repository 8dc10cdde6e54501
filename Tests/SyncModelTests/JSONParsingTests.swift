import SyncModel
import TestSupport
import Testing

@Suite("Parsing of JSON") struct JSONParsingTests {
  @Test("a part of a text is counted from its own beginning")
  func countsFromTheSlice() {
    let text = Array("\n\n[1,]".utf8)
    #expect(throws: JSONError(at: 3, of: "[1,]".utf8, "expected a value")) {
      try JSON(parsing: text[2...])
    }
  }

  static let places: [JSONRow] = [
    .no("{\n  \"a\": 1,\n  \"b\" 2\n}", "3:7: expected ':' after a member name"),
    .no("{\n  \"a\": 1\n  \"b\": 2\n}", "3:3: expected ',' or '}' after a value"),
    .no("[1,\r\n 2,\r\n x]", "3:2: expected a value"),
    .no("[\"\u{E9}\u{1F600}\", x]", "1:8: expected a value"),
    .no("[\"e\u{301}\", x]", "1:8: expected a value"),
    .no(bytes: "\"\u{C3}\u{A9}\u{F0}\u{9F}\u{98}\u{80}\u{FF}\"", "1:4: not valid UTF-8"),
    .no(bytes: "\"\\n\\u0041\u{FF}\"", "1:10: not valid UTF-8"),
    .no(bytes: "{\n\"ab\u{FF}\":1}", "2:4: not valid UTF-8"),
  ]

  @Test("a fault is told with its line and its column, which counts scalars", arguments: places)
  func refuses(_ row: JSONRow) {
    let error = #expect(throws: JSONError.self) { try JSON(parsing: row.text) }
    #expect(error?.description == row.fault)
  }
}
