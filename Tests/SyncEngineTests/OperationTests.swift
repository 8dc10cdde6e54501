import SyncEngine
import SyncModel
import Testing

@Suite("Operations") struct OperationTests {
  /// What lies here, what was seen there, and the operation in words.
  struct Case: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let client: String?
    let base: String?
    let operation: String?

    init(_ name: String, client: String?, base: String?, _ operation: String?) {
      testDescription = name
      (self.client, self.base, self.operation) = (client, base, operation)
    }
  }

  static let table: [Case] = [
    Case("nothing, never seen", client: nil, base: nil, nil),
    Case(
      "nothing over a tombstone", client: nil, base: #"{"a":1,"version":"v1","deleted":true}"#, nil),
    Case("nothing over what is gone for good", client: nil, base: #"{"deleted":true}"#, nil),
    Case("nothing over a row", client: nil, base: #"{"a":1,"version":"v1"}"#, "delete v1: a"),
    Case("a new item", client: #"{"a":1,"b":2}"#, base: nil, "insert -: a, b"),
    Case("a new item without fields", client: "{}", base: nil, "insert -: "),
    Case("as the row", client: #"{"a":1}"#, base: #"{"a":1,"version":"v1"}"#, nil),
    Case(
      "as the row in meaning", client: #"{"a":1.0}"#, base: #"{"b":null,"a":1,"version":"v1"}"#, nil
    ),
    Case(
      "another value", client: #"{"a":2,"b":1}"#, base: #"{"a":1,"b":1,"version":"v1"}"#,
      "update v1: a"),
    Case(
      "a field less", client: #"{"a":1}"#, base: #"{"a":1,"b":1,"version":"v1"}"#, "update v1: b"),
    Case("over a row without version", client: #"{"a":2}"#, base: #"{"a":1}"#, "update -: a"),
    Case(
      "over a tombstone", client: #"{"a":2}"#, base: #"{"a":1,"version":"v1","deleted":true}"#,
      "undelete v1: a"),
    Case(
      "over a tombstone, unchanged", client: #"{"a":1}"#,
      base: #"{"a":1,"version":"v1","deleted":true}"#, "undelete v1: a"),
    Case(
      "over what is gone for good", client: #"{"a":1}"#, base: #"{"deleted":true}"#, "insert -: a"),
  ]

  @Test("the operation brings the server where the client is", arguments: table)
  func operation(_ row: Case) throws {
    let key = ItemKey(try TableName("t"), try ItemID("x"))
    let base = try row.base.map { text -> Base in
      var object = try JSON(parsing: Array(text.utf8)).object ?? JSONObject()
      object["id"] = "x"
      return Base(try Row(object))
    }
    let client = try row.client.map { try Item(text: $0) }
    let operation = Operation(key: key, client: client, base: base ?? .neverSeen)
    let words = operation.map {
      "\($0.kind) \($0.base?.version?.text ?? "-"): "
        + $0.change.names.map(\.string).joined(separator: ", ")
    }
    #expect(words == row.operation)
    #expect(operation?.item == (row.operation == nil ? nil : client))
    #expect(operation?.key == (row.operation == nil ? nil : key))
  }
}
