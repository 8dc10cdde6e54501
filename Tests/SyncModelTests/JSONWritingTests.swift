import SyncModel
import Testing

@Suite("Writing of JSON") struct JSONWritingTests {
  private func text(_ value: JSON, _ layout: JSON.Layout) -> String {
    String(decoding: value.encoded(layout), as: UTF8.self)
  }

  /// A value's text and the text that each layout gives it.
  struct Written: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let text: String
    let compact: String
    let indented: String
    let ascii: String

    init(
      _ name: String, _ text: String, compact: String, indented: String? = nil,
      ascii: String? = nil
    ) {
      testDescription = name
      self.text = text
      self.compact = compact
      self.indented = indented ?? compact
      self.ascii = ascii ?? compact
    }
  }

  static let table: [Written] = [
    Written("a number as it was written", " 1.50E+2 ", compact: "1.50E+2"),
    Written("quote and backslash", #""\u0022\u005c\/""#, compact: #""\"\\/""#),
    Written("the short escapes", #""\u000a\u000d\u0009""#, compact: #""\n\r\t""#),
    Written(
      "other control characters", #""\b\f\u0000\u001f""#, compact: #""\u0008\u000c\u0000\u001f""#),
    Written(
      "DEL and C1", #""\u007f\u009b""#, compact: "\"\u{7F}\u{9B}\"", ascii: #""\u007f\u009b""#),
    Written(
      "beyond ASCII", "\"\u{E9}\u{20AC}\"", compact: "\"\u{E9}\u{20AC}\"", ascii: #""\u00e9\u20ac""#
    ),
    Written("beyond 16 bits", "\"\u{1F600}\"", compact: "\"\u{1F600}\"", ascii: #""\ud83d\ude00""#),
    Written("an array", "[1, 2]", compact: "[1,2]", indented: "[\n  1,\n  2\n]"),
    Written(
      "an object in its order", #"{"b": 1, "a": 2}"#, compact: #"{"b":1,"a":2}"#,
      indented: "{\n  \"b\": 1,\n  \"a\": 2\n}"),
    Written(
      "parts within parts", #"{"a":[1,{"b":[]}],"c":{}}"#, compact: #"{"a":[1,{"b":[]}],"c":{}}"#,
      indented: """
        {
          "a": [
            1,
            {
              "b": []
            }
          ],
          "c": {}
        }
        """),
    Written(
      "a name is escaped", #"{"\n":1}"#, compact: #"{"\n":1}"#, indented: "{\n  \"\\n\": 1\n}"),
    Written(
      "a name beyond ASCII", "{\"\u{E9}\":1}", compact: "{\"\u{E9}\":1}",
      indented: "{\n  \"\u{E9}\": 1\n}", ascii: #"{"\u00e9":1}"#),
    Written(
      "members that stand twice", #"{"a":1,"a":2}"#, compact: #"{"a":1,"a":2}"#,
      indented: "{\n  \"a\": 1,\n  \"a\": 2\n}"),
  ]

  @Test("each layout writes a value in one way", arguments: table)
  func layouts(_ row: Written) throws {
    let value = try JSON(text: row.text)
    #expect(text(value, .compact) == row.compact)
    #expect(text(value, .indented()) == row.indented)
    #expect(text(value, .compactASCII) == row.ascii)
  }

  @Test("an indented value may begin some levels in")
  func levels() {
    #expect(text([1], .indented(level: 2)) == "[\n      1\n    ]")
  }

  @Test("a value can be appended to a text")
  func appends() {
    var text = Array("x".utf8)
    JSON.bool(true).write(into: &text)
    #expect(text == Array("xtrue".utf8))
  }
}
