import SyncModel
import TestSupport
import Testing

@Suite struct JSONEditTests {
  /// One rewriting: a text, the members to set (`nil` removes), and the text it becomes.
  struct Row: CustomTestStringConvertible, Sendable {
    let name: String
    let text: String
    let values: [(name: Text, value: JSON?)]
    let expected: String
    var testDescription: String { name }

    init(_ name: String, _ text: String, _ values: [(Text, JSON?)], _ expected: String) {
      self.name = name
      self.text = text
      self.values = values.map { (name: $0.0, value: $0.1) }
      self.expected = expected
    }
  }

  static let rows: [Row] = [
    // Values in place.
    Row("a value", #"{"a": 1}"#, [("a", 2)], #"{"a": 2}"#),
    Row("a number text that means the same", #"{"a": 1.0}"#, [("a", 1)], #"{"a": 1.0}"#),
    Row(
      "escapes beside", #"{"\u0061":"\u00e9\/","b":1}"#, [("b", 2)], #"{"\u0061":"\u00e9\/","b":2}"#
    ),
    Row("an escaped name", #"{"\u0061": 1}"#, [("a", 2)], #"{"\u0061": 2}"#),
    Row("odd blanks", "{ \"a\"\t:  1 ,\"b\" :2 }", [("a", 3)], "{ \"a\"\t:  3 ,\"b\" :2 }"),
    Row(
      "composed and decomposed é", "{\"\u{e9}\":1,\"e\u{301}\":2}", [("e\u{301}", 3)],
      "{\"\u{e9}\":1,\"e\u{301}\":3}"),
    // Removing.
    Row("the first goes", #"{"a": 1, "b": 2}"#, [("a", nil)], #"{"b": 2}"#),
    Row("the last goes", #"{"a": 1, "b": 2}"#, [("b", nil)], #"{"a": 1}"#),
    Row("the middle goes", #"{"a": 1, "b": 2, "c": 3}"#, [("b", nil)], #"{"a": 1, "c": 3}"#),
    Row("the only one goes", #"{ "a": 1 }"#, [("a", nil)], "{}"),
    Row("all go", "{\n  \"a\": 1,\n  \"b\": 2\n}\n", [("a", nil), ("b", nil)], "{}\n"),
    Row(
      "the first line goes", "{\n  \"a\": 1,\n  \"b\": 2\n}\n", [("a", nil)], "{\n  \"b\": 2\n}\n"),
    Row(
      "the last line goes", "{\n  \"a\": 1,\n  \"b\": 2\n}\n", [("b", nil)], "{\n  \"a\": 1\n}\n"),
    Row("blanks inside braces", #"{ "a": 1, "b": 2 }"#, [("b", nil)], #"{ "a": 1 }"#),
    Row(
      "commas at the front", "{ \"a\": 1\n, \"b\": 2\n, \"c\": 3\n}", [("b", nil)],
      "{ \"a\": 1\n, \"c\": 3\n}"),
    // Adding.
    Row("to one line with blanks", #"{"a": 1}"#, [("b", 2)], #"{"a": 1, "b": 2}"#),
    Row("to one line without blanks", #"{"a":1}"#, [("b", 2)], #"{"a":1,"b":2}"#),
    Row("to blanks inside braces", #"{ "a": 1 }"#, [("b", 2)], #"{ "a": 1, "b": 2 }"#),
    Row("to lines", "{\n  \"a\": 1\n}\n", [("b", 2)], "{\n  \"a\": 1,\n  \"b\": 2\n}\n"),
    Row("to lines by tabs", "{\n\t\"a\": 1\n}", [("b", 2)], "{\n\t\"a\": 1,\n\t\"b\": 2\n}"),
    Row(
      "to lines with CRLF", "{\r\n  \"a\": 1\r\n}\r\n", [("b", 2)],
      "{\r\n  \"a\": 1,\r\n  \"b\": 2\r\n}\r\n"),
    Row("to an empty object", "{}", [("a", 1)], "{\n  \"a\": 1\n}"),
    Row("to an empty object with a line in it", "{\n}\n", [("a", 1)], "{\n  \"a\": 1\n}\n"),
    Row("to an empty object with CRLF", "{\r\n}\r\n", [("a", 1)], "{\r\n  \"a\": 1\r\n}\r\n"),
    Row(
      "to lines with a blank line among them", "{\n  \"a\":1,\n\n  \"b\":2,\n  \"c\":3\n}",
      [("d", 4)], "{\n  \"a\":1,\n\n  \"b\":2,\n  \"c\":3,\n  \"d\":4\n}"),
    Row(
      "to commas at the front", "{ \"a\": 1\n, \"b\": 2\n}", [("c", 3)],
      "{ \"a\": 1\n, \"b\": 2\n, \"c\": 3\n}"),
    Row(
      "an array to lines", "{\n    \"a\": 1\n}", [("b", [1, "x"])],
      "{\n    \"a\": 1,\n    \"b\": [\n        1,\n        \"x\"\n    ]\n}"),
    Row(
      "an array to one line", #"{"a": 1}"#, [("b", [1, ["c": 2]])], #"{"a": 1, "b": [1, {"c": 2}]}"#
    ),
    Row(
      "an object with CRLF and tabs", "{\r\n\t\"a\" : 1\r\n}", [("b", ["c": 2])],
      "{\r\n\t\"a\" : 1,\r\n\t\"b\" : {\r\n\t\t\"c\" : 2\r\n\t}\r\n}"),
    Row("empty containers", #"{"a":1}"#, [("b", []), ("c", [:])], #"{"a":1,"b":[],"c":{}}"#),
    Row(
      "the same name twice: the last counts", #"{"a":1}"#, [("b", 2), ("b", 3)], #"{"a":1,"b":3}"#),
    Row(
      "one comes, all others go", "{\n  \"a\": 1\n}", [("a", nil), ("b", 2)], "{\n  \"b\": 2\n}"),
    // Composite values.
    Row(
      "an array on its line", "{\n  \"a\": [1, 2]\n}", [("a", [1, 2, 3])],
      "{\n  \"a\": [1, 2, 3]\n}"),
    Row(
      "an array over lines", "{\n  \"a\": [\n    1\n  ]\n}", [("a", [2, 3])],
      "{\n  \"a\": [\n    2,\n    3\n  ]\n}"),
    Row(
      "a member of an object", "{\n  \"o\": {\n    \"x\": 1.0,\n    \"y\": 2\n  }\n}",
      [("o", ["y": 3, "x": 1])], "{\n  \"o\": {\n    \"x\": 1.0,\n    \"y\": 3\n  }\n}"),
    Row(
      "a member into an object", "{\n  \"o\": {\n    \"x\": 1\n  }\n}",
      [("o", ["x": 1, "y": [2]])],
      "{\n  \"o\": {\n    \"x\": 1,\n    \"y\": [\n      2\n    ]\n  }\n}"),
    Row(
      "a member out of an object", #"{"o": {"x": 1, "y": 2}}"#, [("o", ["y": 2])],
      #"{"o": {"y": 2}}"#),
    Row(
      "null within is not absent", #"{"o": {"x": null, "y": 2}}"#, [("o", ["y": 2])],
      #"{"o": {"y": 2}}"#),
    Row(
      "into an empty object within lines", "{\n  \"o\": {}\n}", [("o", ["x": 1])],
      "{\n  \"o\": {\n    \"x\": 1\n  }\n}"),
    Row(
      "into an empty object within one line", #"{"o":{}}"#, [("o", ["x": 1, "y": 2])],
      #"{"o":{"x":1,"y":2}}"#),
    Row(
      "a text becomes an object", "{\n  \"o\": \"\"\n}", [("o", ["x": 1])],
      "{\n  \"o\": {\n    \"x\": 1\n  }\n}"),
    Row(
      "order alone is no change", #"{"o": {"x": 1, "y": 2}}"#, [("o", ["y": 2, "x": 1])],
      #"{"o": {"x": 1, "y": 2}}"#),
    // The text around.
    Row("a byte order mark", "\u{feff}{\"a\": 1}\n", [("a", 2)], "\u{feff}{\"a\": 2}\n"),
    Row("blanks around", "\n  {\"a\": 1}\n\n", [("a", 2)], "\n  {\"a\": 2}\n\n"),
    Row("a name that stands twice", #"{"a": 1, "b": 2, "a": 3}"#, [("a", 4)], #"{"b": 2, "a": 4}"#),
  ]

  @Test("Only what changes is rewritten", arguments: rows)
  func rewritesOnlyWhatChanges(row: Row) throws {
    let edit = try JSONEdit(Array(row.text.utf8))
    #expect(String(decoding: edit.setting(row.values), as: UTF8.self) == row.expected)
  }

  @Test("A text that holds no object is refused, with its place")
  func refusesWhatIsNoObject() {
    #expect(throws: JSONError(at: 3, of: [], "expected an object").at(2, 2)) {
      try JSONEdit(Array("\n [1]".utf8))
    }
    #expect(throws: JSONError.self) { try JSONEdit(Array("{\"a\": 1,}".utf8)) }
    #expect(throws: JSONError.self) { try JSONEdit([]) }
    #expect(throws: JSONError.self) { try JSONEdit([0xEF, 0xBB, 0xBF]) }
    #expect(throws: JSONError.self) { try JSONEdit(Array("\u{feff}\u{feff}{}".utf8)) }
  }

  @Test(
    "A member that stands twice is found at any depth",
    arguments: [
      (#"{"a": 1, "a": 2}"#, 1, 10, "a"),
      ("{\"a\": 1,\n \"\\u0061\": 2}", 2, 2, "a"),
      (#"{"o": [{"x": {"y": 1, "y": 2}}]}"#, 1, 23, "y"),
      ("\u{feff}{\"a\": 1, \"a\": 2}", 1, 10, "a"),
    ])
  func findsDuplicates(text: String, line: Int, column: Int, name: String) throws {
    let found = try #require(try JSONEdit(Array(text.utf8)).duplicate)
    #expect(found.line == line)
    #expect(found.column == column)
    #expect(found.message == "'\(name)' appears twice in the object")
  }

  @Test("The place of a member's value can be named")
  func namesPlaces() throws {
    let edit = try JSONEdit(Array("{\n  \"a\": 1,\n  \"b\":  2\n}".utf8))
    #expect(edit.error(at: "b", "no").description == "3:9: no")
    #expect(edit.error(at: "c", "no").description == "1:1: no")
  }

  @Test(
    "Whatever is edited, the text means what was asked for", arguments: 0..<300 as Range<UInt64>)
  func meansWhatWasAskedFor(seed: UInt64) throws {
    var random = RandomDocument(seed: seed)
    let old = random.object(depth: 3)
    let text = random.written(old)
    let new = random.changed(old)
    let values =
      new.members.map { (name: $0.name, value: Optional($0.value)) }
      + old.members.filter { new[$0.name] == nil }.map { (name: $0.name, value: nil) }
    let edited = try JSONEdit(text).setting(values)
    let parsed = try JSONEdit(edited)
    #expect(parsed.object == new, "seed \(seed)")
    // What was not touched stands there byte for byte, in its order.
    let kept = old.members.filter { new[$0.name] == $0.value }
    #expect(
      parsed.object.members.map(\.name).filter { name in kept.contains { $0.name == name } }
        == kept.map(\.name))
    for member in kept {
      #expect(
        try random.span(of: member.name, in: text) == random.span(of: member.name, in: edited),
        "seed \(seed), member \(member.name)")
    }
    // The same meaning again changes nothing.
    #expect(try JSONEdit(edited).setting(values) == edited, "seed \(seed)")
    // And the way back means the old object.
    let back =
      old.members.map { (name: $0.name, value: Optional($0.value)) }
      + new.members.filter { old[$0.name] == nil }.map { (name: $0.name, value: nil) }
    #expect(try JSONEdit(JSONEdit(edited).setting(back)).object == old, "seed \(seed)")
  }
}

extension JSONError {
  fileprivate func at(_ line: Int, _ column: Int) -> JSONError {
    var copy = self
    (copy.line, copy.column) = (line, column)
    return copy
  }
}

/// Random objects, texts and changes, by a seed.
private struct RandomDocument {
  private var numbers: SplitMix64

  init(seed: UInt64) { numbers = SplitMix64(seed: seed) }

  mutating func number(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &numbers) }

  mutating func object(depth: Int) -> JSONObject {
    var object = JSONObject()
    for _ in 0..<number(6) {
      let name = self.name()
      if object[name] == nil { object.append(name, value(depth: depth - 1)) }
    }
    return object
  }

  mutating func name() -> Text {
    ["a", "b", "c", "text", "due", "e\u{301}", "\u{e9}", "", "a\"b", "line\n"][number(10)]
  }

  mutating func value(depth: Int) -> JSON {
    switch number(depth > 0 ? 9 : 7) {
    case 0: return .null
    case 1: return true
    case 2: return .integer(number(100))
    case 3: return JSONNumber("1.50").map(JSON.number) ?? .null
    case 4: return "}{\",:[]\\"
    case 5: return "plain"
    case 6: return ""
    case 7: return .array((0..<number(3)).map { _ in value(depth: depth - 1) })
    default: return .object(object(depth: depth))
    }
  }

  mutating func changed(_ object: JSONObject) -> JSONObject {
    var result = object
    for member in object.members {
      switch number(4) {
      case 0: result[member.name] = nil
      case 1:
        if case .object(let inner) = member.value {
          result[member.name] = .object(changed(inner))
        } else {
          result[member.name] = value(depth: 2)
        }
      default: break
      }
    }
    for _ in 0..<number(3) { result[name()] = value(depth: 2) }
    return result
  }

  /// Writes an object with random blanks between the tokens.
  mutating func written(_ object: JSONObject) -> [UInt8] {
    var text: [UInt8] = number(5) == 0 ? [0xEF, 0xBB, 0xBF] : []
    let blanks: [String] = [
      ["", "", " "], ["\n  ", " ", "\n"], ["\r\n\t", " ", "\r\n"], ["", " ", "\n\n  ", "\t"],
    ][number(4)]
    write(.object(object), blanks, into: &text)
    return text
  }

  private mutating func write(_ value: JSON, _ blanks: [String], into text: inout [UInt8]) {
    func blank() -> [UInt8] { Array(blanks[number(blanks.count)].utf8) }
    switch value {
    case .object(let object):
      text.append(UInt8(ascii: "{"))
      for (index, member) in object.members.enumerated() {
        text += index == 0 ? blank() : [UInt8(ascii: ",")] + blank()
        member.name.writeQuoted(into: &text, asciiOnly: number(2) == 0)
        text += blank() + [UInt8(ascii: ":")] + blank()
        write(member.value, blanks, into: &text)
        text += blank()
      }
      text.append(UInt8(ascii: "}"))
    case .array(let elements):
      text.append(UInt8(ascii: "["))
      for (index, element) in elements.enumerated() {
        text += index == 0 ? blank() : [UInt8(ascii: ",")] + blank()
        write(element, blanks, into: &text)
      }
      text += blank() + [UInt8(ascii: "]")]
    default: value.write(into: &text)
    }
  }

  /// Returns a top-level member's bytes, from the name's quote to the value's end, found by cutting
  /// the text at each comma that stands between members.
  func span(of name: Text, in text: [UInt8]) throws -> [UInt8] {
    var depth = 0
    var inString = false
    var parts: [[UInt8]] = [[]]
    var index = 0
    while index < text.count {
      let byte = text[index]
      if inString, byte == UInt8(ascii: "\\") {
        parts[parts.count - 1] += [byte, text[index + 1]]
        index += 2
        continue
      }
      if byte == UInt8(ascii: "\"") { inString.toggle() }
      let opens = !inString && (byte == UInt8(ascii: "{") || byte == UInt8(ascii: "["))
      let closes = !inString && (byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]"))
      if closes { depth -= 1 }
      if depth == 0 && (opens || closes) {
        parts.append([])
      } else if depth == 1 && !inString && byte == UInt8(ascii: ",") {
        parts.append([])
      } else {
        parts[parts.count - 1].append(byte)
      }
      if opens { depth += 1 }
      index += 1
    }
    for part in parts {
      let blanks: Set<UInt8> = [0x20, 0x09, 0x0A, 0x0D]
      let trimmed = Array(
        part.drop { blanks.contains($0) }.reversed().drop { blanks.contains($0) }.reversed())
      let object = try? JSON(parsing: Array("{".utf8) + trimmed + Array("}".utf8))
      if object?.object?.members.first?.name == name { return trimmed }
    }
    return []
  }
}
