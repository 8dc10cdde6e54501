import SyncModel
import Testing

@Suite("Changes") struct ChangeTests {
  /// Two items and the fields in which they differ.
  struct Difference: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let old, new: String?
    let fields: String

    init(_ name: String, _ old: String?, _ new: String?, _ fields: String) {
      testDescription = name
      (self.old, self.new, self.fields) = (old, new, fields)
    }
  }

  static let table: [Difference] = [
    Difference("nothing", #"{"a":1}"#, #"{"a":1}"#, ""),
    Difference("nothing in meaning", #"{"a":1.0,"b":2}"#, #"{"b":2,"a":1}"#, ""),
    Difference("another value", #"{"a":1}"#, #"{"a":2}"#, "a: 1 > 2"),
    Difference("a field more", #"{"a":1}"#, #"{"a":1,"b":2}"#, "b: - > 2"),
    Difference("a field less", #"{"a":1,"b":2}"#, #"{"a":1}"#, "b: 2 > -"),
    Difference("null for a value", #"{"a":1}"#, #"{"a":null}"#, "a: 1 > -"),
    Difference("a value for null", #"{"a":null}"#, #"{"a":1}"#, "a: - > 1"),
    Difference("null for absent", #"{"a":1}"#, #"{"a":1,"b":null}"#, ""),
    Difference("absent for null", #"{"a":1,"b":null}"#, #"{"a":1}"#, ""),
    Difference("another type", #"{"a":1}"#, #"{"a":"1"}"#, #"a: 1 > "1""#),
    Difference("a value within", #"{"a":{"b":1}}"#, #"{"a":{"b":2}}"#, #"a: {"b":1} > {"b":2}"#),
    Difference("an item from nothing", nil, #"{"b":1,"a":2}"#, "b: - > 1, a: - > 2"),
    Difference("nothing from an item", #"{"b":1,"a":2}"#, nil, "b: 1 > -, a: 2 > -"),
    Difference("nothing from nothing", nil, nil, ""),
    Difference(
      "the new order, then what is gone", #"{"x":1,"a":1,"y":1,"b":1}"#, #"{"c":1,"b":2,"a":2}"#,
      "c: - > 1, b: 1 > 2, a: 1 > 2, x: 1 > -, y: 1 > -"),
    Difference(
      "composed and decomposed", "{\"\u{E9}\":1}", "{\"e\u{301}\":1}",
      "e\u{301}: - > 1, \u{E9}: 1 > -"),
    Difference("system fields are none", #"{"id":"x","version":"1"}"#, #"{"id":"y"}"#, ""),
  ]

  @Test("a change is the fields that differ in meaning", arguments: table)
  func change(_ row: Difference) throws {
    let old = try row.old.map { try Item(text: $0) }
    let new = try row.new.map { try Item(text: $0) }
    let change = Change(from: old, to: new)
    func text(_ value: JSON?) -> String {
      value.map { String(decoding: $0.encoded(), as: UTF8.self) } ?? "-"
    }
    let said = change.fields.map { "\($0.name): \(text($0.old)) > \(text($0.new))" }
      .joined(separator: ", ")
    #expect(Text(said) == Text(row.fields))
    #expect(change.isEmpty == row.fields.isEmpty)
    #expect(change.names == change.fields.map(\.name))
  }
}
