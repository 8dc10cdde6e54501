import SyncModel
import Testing

@Suite("Equality in meaning") struct JSONEqualityTests {
  /// Two texts, and whether they mean the same.
  struct Pair: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let one, other: String
    let equal: Bool

    init(_ name: String, _ one: String, _ other: String, _ equal: Bool) {
      testDescription = name
      (self.one, self.other, self.equal) = (one, other, equal)
    }
  }

  static let values: [Pair] = [
    Pair("blanks", #"{"a":[1,2]}"#, "{ \"a\" : [ 1 ,\n2 ] }", true),
    Pair("the order of members", #"{"a":1,"b":2}"#, #"{"b":2,"a":1}"#, true),
    Pair("the order of members within", #"[{"a":1,"b":2}]"#, #"[{"b":2,"a":1}]"#, true),
    Pair("the order of elements", "[1,2]", "[2,1]", false),
    Pair("the way a number is written", "[1.0]", "[1]", true),
    Pair("the way a string is written", #""\u0041\/""#, #""A/""#, true),
    Pair("composed and decomposed", "\"\u{E9}\"", "\"e\u{301}\"", false),
    Pair("composed and decomposed names", "{\"\u{E9}\":1}", "{\"e\u{301}\":1}", false),
    Pair("upper and lower case", #""A""#, #""a""#, false),
    Pair("a number and a string", "1", #""1""#, false),
    Pair("a number and a boolean", "1", "true", false),
    Pair("null and false", "null", "false", false),
    Pair("null and absent", #"{"a":null}"#, "{}", false),
    Pair("an empty array and an empty object", "[]", "{}", false),
    Pair("an empty array and null", "[]", "null", false),
    Pair("a member more", #"{"a":1,"b":2}"#, #"{"a":1}"#, false),
    Pair("another value", #"{"a":1,"b":2}"#, #"{"b":3,"a":1}"#, false),
    Pair("another name", #"{"a":1,"b":2}"#, #"{"a":1,"c":2}"#, false),
    Pair("an element more", "[1]", "[1,1]", false),
    Pair("a line end and its kind", #""a\nb""#, #""a\r\nb""#, false),
  ]

  @Test("values that mean the same are equal", arguments: values)
  func json(_ pair: Pair) throws {
    let (one, other) = (try JSON(text: pair.one), try JSON(text: pair.other))
    #expect((one == other) == pair.equal)
    #expect((other == one) == pair.equal)
  }

  static let items: [Pair] = [
    Pair("the order of fields", #"{"a":1,"b":2}"#, #"{"b":2,"a":1}"#, true),
    Pair("a field that is null and one that is absent", #"{"a":1,"b":null}"#, #"{"a":1}"#, true),
    Pair("nothing but null and nothing", #"{"a":null}"#, "{}", true),
    Pair("other fields that are null", #"{"a":null}"#, #"{"b":null}"#, true),
    Pair("null within a field", #"{"a":{"b":null}}"#, #"{"a":{}}"#, false),
    Pair("null in an array", #"{"a":[null]}"#, #"{"a":[]}"#, false),
    Pair("null and false", #"{"a":null}"#, #"{"a":false}"#, false),
    Pair("null and the empty string", #"{"a":null}"#, #"{"a":""}"#, false),
    Pair("the id", #"{"id":"x","a":1}"#, #"{"id":"y","a":1}"#, true),
    Pair(
      "system fields",
      #"{"a":1,"version":"1","updatedAt":"x","createdAt":"y","deleted":false}"#,
      #"{"a":1,"version":"2","deleted":true}"#, true),
    Pair(
      "a system field within a field", #"{"a":{"version":"1"}}"#, #"{"a":{"version":"2"}}"#, false),
    Pair("a name that begins with a system field's", #"{"versions":1}"#, #"{"versions":2}"#, false),
    Pair("a system field's name in capitals", #"{"Version":1}"#, #"{"Version":2}"#, false),
    Pair("composed and decomposed", "{\"a\":\"\u{E9}\"}", "{\"a\":\"e\u{301}\"}", false),
    Pair("composed and decomposed names", "{\"\u{E9}\":1}", "{\"e\u{301}\":1}", false),
    Pair("numbers by value", #"{"a":1.0}"#, #"{"a":1}"#, true),
  ]

  @Test("items that mean the same are equal", arguments: items)
  func item(_ pair: Pair) throws {
    let (one, other) = (try Item(text: pair.one), try Item(text: pair.other))
    #expect((one == other) == pair.equal)
    #expect((other == one) == pair.equal)
  }

  @Test("the first name that stands twice is told", arguments: [3, 40])
  func duplicates(fill: Int) {
    var object = JSONObject()
    for number in 0..<fill { object.append(Text("m\(number)"), 0) }
    #expect(object.duplicate == nil)
    object.append("\u{E9}", 1)
    object.append("e\u{301}", 1)
    #expect(object.duplicate == nil)
    object.append("m1", 1)
    object.append("m0", 1)
    #expect(object.duplicate == "m1")
    #expect(object["m1"] == 1)
    object["m1"] = nil
    #expect(object["m1"] == nil)
    #expect(object.duplicate == "m0")
  }

  @Test("texts are compared, ordered and hashed by their bytes")
  func texts() {
    #expect(Text("\u{E9}") != Text("e\u{301}"))
    #expect(Set<Text>(["\u{E9}", "e\u{301}", "\u{E9}"]).count == 2)
    #expect(
      (["b", "a\u{0}", "A", "\u{E9}", "a", "e\u{301}"] as [Text]).sorted()
        == ["A", "a", "a\u{0}", "b", "e\u{301}", "\u{E9}"])
    #expect(Text("\r\n").bytes == [0x0D, 0x0A])
    #expect(Text(validating: [0xC3, 0xA9]) == "\u{E9}")
    #expect(Text(validating: [0xC3]) == nil)
    #expect(Text("").isEmpty && !Text("\u{0}").isEmpty)
  }
}
