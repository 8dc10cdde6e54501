import SyncModel
import Testing

@Suite("Rows") struct RowTests {
  private static func row(_ text: String) throws -> Row {
    let bytes = Array(text.utf8)
    return try Row(try JSON(parsing: bytes).object ?? JSONObject(), text: bytes)
  }

  @Test("a row is the item and what is the server's own")
  func parts() throws {
    let text = #"""
      {"id":"x","text":"Milk","version":"AAA=","updatedAt":"2026-01-01T00:00:00.12Z","createdAt":"2025-01-01T00:00:00Z","deleted":false,"n":1.50}
      """#
    let row = try Self.row(text)
    #expect(row.id == (try ItemID("x")))
    #expect(row.version == Version("AAA="))
    #expect(row.updatedAt?.text == "2026-01-01T00:00:00.12Z")
    #expect(row.createdAt == "2025-01-01T00:00:00Z")
    #expect(!row.deleted)
    #expect(row.item.fields.members.map(\.name) == ["text", "n"])
    #expect(row.text == Array(text.utf8))
  }

  /// A row's text, and why it can't be one; `nil` where it can.
  struct Sent: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let text: String
    let fault: String?

    init(_ name: String, _ text: String, _ fault: String? = nil) {
      testDescription = name
      self.text = text
      self.fault = fault
    }
  }

  private static let noID = "the row's id is not a string or a whole number"
  private static let noVersion = "the row's 'version' is not a string of 1 to 1024 bytes"
  private static let noDate = "the row's 'updatedAt' is not a date and time"

  static let sent: [Sent] = [
    Sent("an id alone", #"{"id":"x"}"#),
    Sent("no id", #"{"text":"a"}"#, "the row has no id"),
    Sent("an empty object", "{}", "the row has no id"),
    Sent("an id that is a whole number", #"{"id":7}"#),
    Sent("an id that is no whole number", #"{"id":7.5}"#, noID),
    Sent("an id that is null", #"{"id":null}"#, noID),
    Sent("an id that is an array", #"{"id":["x"]}"#, noID),
    Sent("an id in capitals", #"{"ID":"x"}"#, "the row has no id"),
    Sent("an empty id", #"{"id":""}"#, "an id can't be empty"),
    Sent("an id of two dots", #"{"id":".."}"#, "an id can't be '.' or '..'"),
    Sent("an id of blanks", #"{"id":"  "}"#, "an id can't be blanks only"),
    Sent("an id with a NUL", #"{"id":"a\u0000"}"#, "an id can't hold a control character"),
    Sent(
      "an id that is too long", #"{"id":""# + String(repeating: "x", count: 256) + #""}"#,
      "an id may have 255 bytes at most"),
    Sent("an id that is a path", #"{"id":"../../.bashrc"}"#),
    // Wrong types.
    Sent(
      "deleted is a string", #"{"id":"x","deleted":"yes"}"#,
      "the row's 'deleted' is not true or false"),
    Sent(
      "deleted is a number", #"{"id":"x","deleted":1}"#, "the row's 'deleted' is not true or false"),
    Sent("version is a number", #"{"id":"x","version":7}"#, noVersion),
    Sent("version is empty", #"{"id":"x","version":""}"#, noVersion),
    Sent("version is an object", #"{"id":"x","version":{}}"#, noVersion),
    Sent("version would split a header", #"{"id":"x","version":"a\r\nb"}"#, noVersion),
    Sent("updatedAt is a number", #"{"id":"x","updatedAt":0}"#, noDate),
    Sent("updatedAt is no date", #"{"id":"x","updatedAt":"yesterday"}"#, noDate),
    Sent(
      "updatedAt is a day that isn't", #"{"id":"x","updatedAt":"2023-02-29T00:00:00Z"}"#, noDate),
    Sent(
      "createdAt is a number", #"{"id":"x","createdAt":0}"#, "the row's 'createdAt' is not a string"
    ),
    Sent("createdAt may be any text", #"{"id":"x","createdAt":"once"}"#),
    // Null is absent.
    Sent("no stamp", #"{"id":"x","updatedAt":null}"#),
    Sent("no version", #"{"id":"x","version":null}"#),
    Sent("no flag", #"{"id":"x","deleted":null}"#),
    Sent("no date of making", #"{"id":"x","createdAt":null}"#),
    // Members that stand twice.
    Sent("a field twice", #"{"id":"x","a":1,"a":1}"#, "'a' appears twice in the object"),
    Sent("the id twice", #"{"id":"x","id":"y"}"#, "'id' appears twice in the object"),
    Sent(
      "a field twice, once escaped", #"{"id":"x","a":1,"\u0061":2}"#,
      "'a' appears twice in the object"),
    Sent(
      "deleted twice", #"{"id":"x","deleted":true,"deleted":false}"#,
      "'deleted' appears twice in the object"),
    Sent("fields that only look alike", "{\"id\":\"x\",\"\u{E9}\":1,\"e\u{301}\":2}"),
    // Odd, and a row all the same.
    Sent(
      "a field with a system field's name in capitals", #"{"id":"x","Version":7,"DELETED":"no"}"#),
    Sent("numbers beyond floating point", #"{"id":"x","a":1e400,"b":-0,"c":1.10}"#),
    Sent("control characters in a text", #"{"id":"x","text":"\u001b]52;c;x\u0007"}"#),
  ]

  @Test("a whole number as an id is the text of it")
  func numberID() throws {
    let row = try Self.row(#"{"text":"x","id":17,"version":"v"}"#)
    #expect(row.id == (try ItemID("17")))
    #expect(String(decoding: row.text, as: UTF8.self) == #"{"text":"x","id":"17","version":"v"}"#)
  }

  @Test("an object is a row, or it is told why it can't be", arguments: sent)
  func reads(_ sent: Sent) {
    do {
      _ = try Self.row(sent.text)
      #expect(sent.fault == nil)
    } catch {
      #expect("\(error)" == sent.fault)
    }
  }

  @Test("a member that is null says nothing")
  func nulls() throws {
    let row = try Self.row(
      #"{"id":"x","version":null,"updatedAt":null,"createdAt":null,"deleted":null,"a":null}"#)
    #expect(row.version == nil && row.updatedAt == nil && row.createdAt == nil && !row.deleted)
    #expect(row.item == Item(JSONObject()))
  }

  @Test("the text is kept to the byte, on one line")
  func text() throws {
    let text = "{\r\n  \"id\": \"x\",\n  \"n\": 1.10,\t\"e\": 1e400, \"s\": \"a\\nb\\u00e9\"\n}"
    let flat = "{    \"id\": \"x\",   \"n\": 1.10,\t\"e\": 1e400, \"s\": \"a\\nb\\u00e9\" }"
    let row = try Self.row(text)
    #expect(String(decoding: row.text, as: UTF8.self) == flat)
    #expect(try Self.row(flat) == row)
    #expect(try Self.row(flat).text == row.text)
  }

  @Test("without a text it is written anew")
  func newText() throws {
    let object = try #require(JSON(text: #"{ "id": "x", "n": 1.10 }"#).object)
    #expect(String(decoding: try Row(object).text, as: UTF8.self) == #"{"id":"x","n":1.10}"#)
  }

  @Test("a row made of its parts says what they say")
  func madeOfParts() throws {
    let row = Row(
      id: try ItemID("x"), item: try Item(text: #"{"a":1,"b":null}"#), version: Version("v1"),
      updatedAt: Timestamp("2026-01-01T00:00:00.1Z"), createdAt: "c", deleted: true)
    #expect(
      String(decoding: row.text, as: UTF8.self)
        == #"{"id":"x","a":1,"b":null,"createdAt":"c","updatedAt":"2026-01-01T00:00:00.1Z","version":"v1","deleted":true}"#
    )
    #expect(try Self.row(String(decoding: row.text, as: UTF8.self)) == row)
  }

  /// Two rows, and whether they are the same row in the same state.
  static let pairs: [(String, String, Bool)] = [
    (#"{"id":"x","a":1,"version":"1"}"#, #"{"version":"1","a":1.0,"id":"x"}"#, true),
    (#"{"id":"x","a":1,"version":"1"}"#, #"{"id":"x","a":2,"version":"1"}"#, false),
    (#"{"id":"x","version":"1"}"#, #"{"id":"x","version":"2"}"#, false),
    (#"{"id":"x","version":"1"}"#, #"{"id":"x"}"#, false),
    (#"{"id":"x"}"#, #"{"id":"y"}"#, false),
    (#"{"id":"x","deleted":true}"#, #"{"id":"x","deleted":false}"#, false),
    (#"{"id":"x","deleted":false}"#, #"{"id":"x"}"#, true),
    (#"{"id":"x","createdAt":"a"}"#, #"{"id":"x","createdAt":"b"}"#, true),
    (
      #"{"id":"x","updatedAt":"2026-01-01T00:00:00Z"}"#,
      #"{"id":"x","updatedAt":"2026-01-01T01:00:00+01:00"}"#, true
    ),
    (
      #"{"id":"x","updatedAt":"2026-01-01T00:00:00Z"}"#,
      #"{"id":"x","updatedAt":"2026-01-01T00:00:00.0000001Z"}"#, false
    ),
  ]

  @Test("rows are equal by id, version, time, tombstone and content", arguments: pairs)
  func equality(_ one: String, _ other: String, _ equal: Bool) throws {
    #expect((try Self.row(one) == Self.row(other)) == equal)
  }

  @Test("a base is what the row is")
  func bases() throws {
    let live = try Self.row(#"{"id":"x","a":1}"#)
    let dead = try Self.row(#"{"id":"x","a":1,"deleted":true}"#)
    #expect(Base(live) == .row(live))
    #expect(Base(live).item == live.item)
    #expect(Base(dead) == .tombstone(dead))
    #expect(Base(dead).item == nil)
    #expect(Base(dead).row == dead)
    #expect(Base.neverSeen.row == nil && Base.neverSeen.item == nil)
  }
}
