import SyncModel
import TestSupport
import Testing

@Suite("Parsing of JSON") struct JSONParsingTests {
  @Test(
    "a text is the value it stands for",
    arguments: [
      ("null", .null),
      ("[true,false]", [true, false]),
      ("-42", -42),
      (#""\"\\\/\b\f\n\r\t\u00e9\u00E9""#, "\"\\/\u{8}\u{C}\n\r\t\u{E9}\u{E9}"),
      (#""\u0000\ud83d\ude00""#, "\u{0}\u{1F600}"),
      (#"[[],{},"",{"a":1,"b":[true]}]"#, [[], .object(JSONObject()), "", ["a": 1, "b": [true]]]),
      ("{\"\u{E9}\":1,\"e\u{301}\":2}", ["\u{E9}": 1, "e\u{301}": 2]),
    ] as [(String, JSON)])
  func parses(_ text: String, _ value: JSON) throws {
    #expect(try JSON(text: text) == value)
  }

  @Test("members keep their order, and those that stand twice are kept and told")
  func keepsMembers() throws {
    let object = try #require(JSON(text: #"{"b":1,"a":2,"\u0062":3}"#).object)
    #expect(object.members.map(\.name) == ["b", "a", "b"])
    #expect(object.duplicate == "b")
    #expect(object["b"] == 3)
  }

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

  @Test("no beginning of a valid text is valid, and none traps")
  func refusesBeginnings() throws {
    let text = Array("{\"a\": [1.5e3, \"\u{E9}\\ud83d\\ude00\", {\"b\": null}], \"c\": true}".utf8)
    _ = try JSON(parsing: text)
    for count in text.indices {
      #expect(throws: JSONError.self) { try JSON(parsing: text[..<count]) }
    }
  }
}
