import SyncModel
import Testing

@Suite("Parsing of JSON") struct JSONParsingTests {
  /// A text and the value it stands for.
  struct Valid: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let text: String
    let value: JSON

    init(_ name: String, _ text: String, _ value: JSON) {
      testDescription = name
      self.text = text
      self.value = value
    }
  }

  static let valid: [Valid] = [
    Valid("null", "null", .null),
    Valid("true", "true", true),
    Valid("false", "false", false),
    Valid("zero", "0", 0),
    Valid("minus zero", "-0", 0),
    Valid("an integer", "42", 42),
    Valid("a negative integer", "-42", -42),
    Valid("blanks of all four kinds around", " \t\r\n1 \t\r\n", 1),
    Valid("the empty string", #""""#, ""),
    Valid("a string", #""abc""#, "abc"),
    Valid("each short escape", #""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{C}\n\r\t"),
    Valid("an escaped letter", #""\u0041""#, "A"),
    Valid("hexadecimal digits of both cases", #""\u00e9\u00E9""#, "\u{E9}\u{E9}"),
    Valid("an escaped NUL", #""\u0000""#, "\u{0}"),
    Valid("an escaped surrogate pair", #""\ud83d\ude00""#, "\u{1F600}"),
    Valid("the first and the last pair", #""\ud800\udc00\udbff\udfff""#, "\u{10000}\u{10FFFF}"),
    Valid("the noncharacter U+FFFF", #""\uffff""#, "\u{FFFF}"),
    Valid("two bytes a scalar", "\"\u{E9}\"", "\u{E9}"),
    Valid("three bytes a scalar", "\"\u{20AC}\"", "\u{20AC}"),
    Valid("four bytes a scalar", "\"\u{1F600}\"", "\u{1F600}"),
    Valid("escapes beside more bytes a scalar", "\"\u{E9}\\n\u{20AC}\"", "\u{E9}\n\u{20AC}"),
    Valid("a decomposed letter stays decomposed", "\"e\u{301}\"", "e\u{301}"),
    Valid("DEL needs no escape", "\"\u{7F}\"", "\u{7F}"),
    Valid("a byte order mark within a string", "\"\u{FEFF}\"", "\u{FEFF}"),
    Valid("a line separator in a string", "\"\u{2028}\"", "\u{2028}"),
    Valid("the empty array", "[]", []),
    Valid("the empty array with a blank", "[ ]", []),
    Valid("an array", "[1,2]", [1, 2]),
    Valid("blanks in an array", "[ 1 , 2 ]", [1, 2]),
    Valid("arrays in arrays", "[[],[[1]]]", [[], [[1]]]),
    Valid("the empty object", "{}", .object(JSONObject())),
    Valid("the empty object with a line end", "{\n}", .object(JSONObject())),
    Valid("an object", #"{"a":1,"b":[true]}"#, ["a": 1, "b": [true]]),
    Valid("blanks in an object", #"{ "a" : 1 , "b" : 2 }"#, ["a": 1, "b": 2]),
    Valid("objects in objects", #"{"a":{"b":{}}}"#, ["a": ["b": .object(JSONObject())]]),
    Valid("the empty name", #"{"":1}"#, ["": 1]),
    Valid("an escaped name", #"{"\u0061":1}"#, ["a": 1]),
    Valid(
      "names that only look alike", "{\"\u{E9}\":1,\"e\u{301}\":2}", ["\u{E9}": 1, "e\u{301}": 2]),
    Valid("brackets in a string", #"["]","}{"]"#, ["]", "}{"]),
    Valid("an object after an array's end", #"[[1],{"a":[]},2]"#, [[1], ["a": []], 2]),
  ]

  @Test("a valid text is the value it stands for", arguments: valid)
  func accepts(_ row: Valid) throws {
    #expect(try JSON(text: row.text) == row.value)
  }

  @Test(
    "a number is kept as it was written",
    arguments: [
      "-0", "0.0", "1.10", "1e5", "1E+5", "1e-05", "-1.5e10", "1e400", "9007199254740993",
      "1.7976931348623157e309", "0e0", "123456789012345678901234567890",
    ])
  func keepsNumbers(_ text: String) throws {
    guard case .number(let number) = try JSON(text: text) else {
      Issue.record("not a number")
      return
    }
    #expect(number.text == text)
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

  // MARK: - Faults

  /// A text and its first fault.
  struct Invalid: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let text: [UInt8]
    let fault: String

    init(_ name: String, _ text: String, _ fault: String) {
      self.init(name, Array(text.utf8), fault)
    }

    init(_ name: String, _ text: [UInt8], _ fault: String) {
      testDescription = name
      self.text = text
      self.fault = fault
    }
  }

  static let faults: [Invalid] = [
    Invalid("nothing", "", "1:1: the text ends where a value is expected"),
    Invalid("blanks only", " \n ", "2:2: the text ends where a value is expected"),
    Invalid("a word", "nul", "1:1: expected a value"),
    Invalid("a word in capitals", "True", "1:1: expected a value"),
    Invalid("a word that goes on", "nullx", "1:5: nothing may follow the value"),
    Invalid("two values", "1 2", "1:3: nothing may follow the value"),
    Invalid("a second object", "{}\n{}", "2:1: nothing may follow the value"),
    Invalid("a closing bracket too many", "[]]", "1:3: nothing may follow the value"),
    Invalid("a byte order mark", [0xEF, 0xBB, 0xBF, 0x31], "1:1: expected a value"),
    Invalid("UTF-16", [0xFF, 0xFE, 0x31, 0x00], "1:1: expected a value"),
    Invalid("a form feed as blank", "[\u{C}1]", "1:2: expected a value"),
    Invalid("a no-break space as blank", "[\u{A0}1]", "1:2: expected a value"),
    Invalid("NaN", "NaN", "1:1: expected a value"),
    Invalid("Infinity", "-Infinity", "1:2: expected a digit"),
    Invalid("a comment", "1 // one", "1:3: nothing may follow the value"),
    Invalid("single quotes", "{'a': 1}", "1:2: expected a member name in quotes"),
    // Numbers.
    Invalid("a plus", "+1", "1:1: expected a value"),
    Invalid("a minus alone", "-", "1:2: expected a digit"),
    Invalid("two minuses", "--1", "1:2: expected a digit"),
    Invalid("a leading zero", "01", "1:2: a number may not begin with 0"),
    Invalid("a negative leading zero", "[-012]", "1:4: a number may not begin with 0"),
    Invalid("a hexadecimal number", "0x1", "1:2: nothing may follow the value"),
    Invalid("no digit before the point", ".5", "1:1: expected a value"),
    Invalid("no digit after the point", "1.", "1:3: expected a digit"),
    Invalid("an exponent right after the point", "1.e5", "1:3: expected a digit"),
    Invalid("no digit in the exponent", "1e", "1:3: expected a digit"),
    Invalid("a sign without a digit", "1e+", "1:4: expected a digit"),
    Invalid("a broken exponent", "[1e1.5]", "1:5: expected ',' or ']' after a value"),
    Invalid("a full-width digit", "\u{FF11}", "1:1: expected a value"),
    // Strings.
    Invalid("a string without its end", "\"abc", "1:1: a string is not closed"),
    Invalid("a quote alone", "[\"", "1:2: a string is not closed"),
    Invalid("an end after a backslash", #"["a\"#, "1:2: a string is not closed"),
    Invalid("an escaped quote is no end", #"["a\"]"#, "1:2: a string is not closed"),
    Invalid("an unknown escape", #""a\x41""#, "1:3: not an escape"),
    Invalid("an escaped single quote", #""\'""#, "1:2: not an escape"),
    Invalid("an escape in capitals", #""\N""#, "1:2: not an escape"),
    Invalid("three digits", #""\u00e""#, "1:2: expected four hexadecimal digits after \\u"),
    Invalid("no digit", #""\uxyzw""#, "1:2: expected four hexadecimal digits after \\u"),
    Invalid(
      "an end among the digits", #""\u00"#, "1:2: expected four hexadecimal digits after \\u"),
    Invalid("a high surrogate alone", #""ab\ud800""#, "1:4: half of a surrogate pair"),
    Invalid("a high surrogate before a letter", #""\ud800x""#, "1:2: half of a surrogate pair"),
    Invalid("a high surrogate before an escape", #""\ud800\n""#, "1:2: half of a surrogate pair"),
    Invalid(
      "a high surrogate before a scalar", #""\ud800\u0041""#, "1:2: half of a surrogate pair"),
    Invalid("two high surrogates", #""\ud800\ud800""#, "1:2: half of a surrogate pair"),
    Invalid("a low surrogate alone", #""\udc00""#, "1:2: half of a surrogate pair"),
    Invalid("a pair in the wrong order", #""\ude00\ud83d""#, "1:2: half of a surrogate pair"),
    Invalid(
      "a broken second half", #""\ud83d\ude0""#,
      "1:2: expected four hexadecimal digits after \\u"),
    Invalid("a tab", "\"a\tb\"", "1:3: a control character in a string must be escaped"),
    Invalid(
      "a line end", "{\"a\": \"b\nc\"}", "1:9: a control character in a string must be escaped"),
    Invalid("a NUL", "\"\u{0}\"", "1:2: a control character in a string must be escaped"),
    Invalid(
      "a control character in a name", "{\"\u{1F}\":1}",
      "1:3: a control character in a string must be escaped"),
    // Arrays.
    Invalid("an array without its end", "[1", "1:3: expected ',' or ']' after a value"),
    Invalid("an empty array without its end", "[", "1:2: the text ends where a value is expected"),
    Invalid("a comma at the end", "[1,]", "1:4: expected a value"),
    Invalid("a comma at the beginning", "[,1]", "1:2: expected a value"),
    Invalid("two commas", "[1,,2]", "1:4: expected a value"),
    Invalid("no comma", "[1 2]", "1:4: expected ',' or ']' after a value"),
    Invalid("a brace for a bracket", "[1}", "1:3: expected ',' or ']' after a value"),
    Invalid("a colon in an array", #"["a":1]"#, "1:5: expected ',' or ']' after a value"),
    // Objects.
    Invalid("an object without its end", #"{"a":1"#, "1:7: expected ',' or '}' after a value"),
    Invalid("a brace alone", "{", "1:2: expected a member name in quotes"),
    Invalid("no value", #"{"a":}"#, "1:6: expected a value"),
    Invalid(
      "an end where a value is due", #"{"a":"#, "1:6: the text ends where a value is expected"),
    Invalid("no colon", #"{"a" 1}"#, "1:6: expected ':' after a member name"),
    Invalid("a comma for a colon", #"{"a",1}"#, "1:5: expected ':' after a member name"),
    Invalid("two colons", #"{"a"::1}"#, "1:6: expected a value"),
    Invalid("a name without quotes", "{a:1}", "1:2: expected a member name in quotes"),
    Invalid("a number as name", "{1:1}", "1:2: expected a member name in quotes"),
    Invalid("a comma at an object's end", #"{"a":1,}"#, "1:8: expected a member name in quotes"),
    Invalid(
      "a comma at an object's beginning", #"{,"a":1}"#, "1:2: expected a member name in quotes"),
    Invalid(
      "no comma between members", #"{"a":1 "b":2}"#, "1:8: expected ',' or '}' after a value"),
    Invalid("a bracket for a brace", #"{"a":1]"#, "1:7: expected ',' or '}' after a value"),
    // Lines and columns.
    Invalid(
      "a fault in line 3", "{\n  \"a\": 1,\n  \"b\" 2\n}", "3:7: expected ':' after a member name"),
    Invalid("a fault after CRLF", "[1,\r\n 2,\r\n x]", "3:2: expected a value"),
    Invalid("columns count scalars", "[\"\u{E9}\u{1F600}\", x]", "1:8: expected a value"),
    Invalid("columns count combining scalars", "[\"e\u{301}\", x]", "1:8: expected a value"),
    Invalid(
      "a missing comma before a line", "{\n  \"a\": 1\n  \"b\": 2\n}",
      "3:3: expected ',' or '}' after a value"),
    // UTF-8.
    Invalid("Latin-1", Array("[\"caf".utf8) + [0xE9] + Array("\"]".utf8), "1:6: not valid UTF-8"),
    Invalid("a stray continuation byte", Array("\"a".utf8) + [0x80, 0x22], "1:3: not valid UTF-8"),
    Invalid("a scalar cut short", Array("\"".utf8) + [0xE2, 0x82, 0x22], "1:2: not valid UTF-8"),
    Invalid("an overlong slash", Array("\"".utf8) + [0xC0, 0xAF, 0x22], "1:2: not valid UTF-8"),
    Invalid("an overlong NUL", Array("\"".utf8) + [0xC0, 0x80, 0x22], "1:2: not valid UTF-8"),
    Invalid(
      "an encoded surrogate", Array("\"".utf8) + [0xED, 0xA0, 0x80, 0x22], "1:2: not valid UTF-8"),
    Invalid(
      "beyond U+10FFFF", Array("\"".utf8) + [0xF4, 0x90, 0x80, 0x80, 0x22], "1:2: not valid UTF-8"),
    Invalid("the byte FF", Array("\"ab".utf8) + [0xFF, 0x22], "1:4: not valid UTF-8"),
    Invalid(
      "a fault after other scalars", Array("\"\u{E9}\u{1F600}".utf8) + [0xFF, 0x22],
      "1:4: not valid UTF-8"),
    Invalid(
      "a fault after an escape", Array(#""\n\u0041"#.utf8) + [0xFF, 0x22], "1:10: not valid UTF-8"),
    Invalid(
      "a fault in a name in line 2", Array("{\n\"ab".utf8) + [0xFF] + Array("\":1}".utf8),
      "2:4: not valid UTF-8"),
    Invalid("a fault outside strings", Array("[1,".utf8) + [0xFF, 0x5D], "1:4: expected a value"),
  ]

  @Test("a fault is told with its line and column", arguments: faults)
  func refuses(_ row: Invalid) {
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
