import SyncEngine
import SyncModel

/// The members of a line of a log, read one by one.
struct LineMembers {
  /// The members.
  let object: JSONObject

  func version() throws(NameError) -> Version? {
    try optional("version", "a version") { $0.text.flatMap(Version.init) }
  }

  func kind() throws(NameError) -> Operation.Kind {
    try required("op", "an operation") { $0.text.flatMap { Operation.Kind(rawValue: $0.string) } }
  }

  func item(_ name: Text) throws(NameError) -> Item? {
    guard let fields: JSONObject = try optional(name, "an object", \.object) else { return nil }
    return Item(fields)
  }

  func digest(_ name: Text) throws(NameError) -> Digest? {
    try optional(name, "a fingerprint") { $0.text.flatMap { Digest($0.string) } }
  }

  func text(_ name: Text) throws(NameError) -> Text { try required(name, "a text", \.text) }

  /// A number that can be counted on from.
  func integer(_ name: Text) throws(NameError) -> Int {
    try required(name, "a whole number from 0 to 2^53") { json in
      json.integer.flatMap { (0...1 << 53).contains($0) ? $0 : nil }
    }
  }

  private func required<Value>(
    _ name: Text, _ expected: String, _ read: (JSON) -> Value?
  ) throws(NameError) -> Value {
    guard let value = try optional(name, expected, read) else {
      throw NameError("the member '\(name)' is missing")
    }
    return value
  }

  private func optional<Value>(
    _ name: Text, _ expected: String, _ read: (JSON) -> Value?
  ) throws(NameError) -> Value? {
    guard let json = object[name] else { return nil }
    guard let value = read(json) else { throw NameError("the member '\(name)' is not \(expected)") }
    return value
  }
}
