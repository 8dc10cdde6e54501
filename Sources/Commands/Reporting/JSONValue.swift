import SyncModel

/// A value that a JSON document can have.
protocol JSONValue {
  var json: JSON { get }
}

extension JSON: JSONValue { var json: JSON { self } }
extension JSONObject: JSONValue { var json: JSON { .object(self) } }
extension Text: JSONValue { var json: JSON { .string(self) } }
extension String: JSONValue { var json: JSON { .string(Text(self)) } }
extension Int: JSONValue { var json: JSON { .integer(self) } }
extension Bool: JSONValue { var json: JSON { .bool(self) } }
extension TableName: JSONValue { var json: JSON { .string(text) } }
extension ItemID: JSONValue { var json: JSON { .string(text) } }
extension Outcome: JSONValue {}

extension Array: JSONValue where Element: JSONValue {
  var json: JSON { .array(map(\.json)) }
}

extension Optional: JSONValue where Wrapped: JSONValue {
  var json: JSON { self?.json ?? .null }
}

extension JSONObject {
  init(_ members: KeyValuePairs<Text, any JSONValue>) {
    self.init(members.map { Member(name: $0.key, value: $0.value.json) })
  }

  /// Begins an item's object, as every document has it.
  init(_ key: ItemKey, title: String?) {
    self.init(["table": key.table, "id": key.id, "title": title])
  }

  mutating func add(_ members: KeyValuePairs<Text, any JSONValue>) {
    for member in members { append(member.key, member.value.json) }
  }

  /// Appends the members that are not `nil`.
  mutating func add(ifAny members: KeyValuePairs<Text, (any JSONValue)?>) {
    for member in members { if let value = member.value { append(member.key, value.json) } }
  }
}
