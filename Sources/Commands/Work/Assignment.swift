import SyncEngine
import SyncModel

/// A word of a command line that sets a field or a member: `FIELD=VALUE`, `FIELD:=JSON`, and for lists `FIELD+=VALUE`
/// and `FIELD-=VALUE`.
struct Assignment: Equatable {
  enum Value: Equatable {
    /// A typed text, of the type that the field has in items.
    case typed(Text)
    case json(JSON)
    /// An element of a list, which is added unless it is there.
    case added(Text)
    /// An element that is removed from a list.
    case removed(Text)
    /// The field is removed.
    case none
  }

  /// The name of a field, or the path of a member.
  let field: Text
  let value: Value

  /// Whether a word sets a field: it has a `=`, and no `/` before it as `TABLE/ID` has.
  static func isOne(_ word: String) -> Bool {
    word.utf8.first { [UInt8(ascii: "="), UInt8(ascii: "/")].contains($0) } == UInt8(ascii: "=")
  }

  init(_ word: String, allowingID: Bool = false) throws {
    let bytes = word.utf8
    guard let sign = Self.sign(in: word) else {
      throw Problem.usage("\(word) is not FIELD=VALUE")
    }
    let value = String(word[bytes.index(after: sign)...])
    let isJSON = bytes[..<sign].last == UInt8(ascii: ":")
    let list = bytes[..<sign].last.flatMap { "+-".utf8.contains($0) ? $0 : nil }
    let name = isJSON || list != nil ? word[..<bytes.index(before: sign)] : word[..<sign]
    field = try Self.checked(Text(String(name)), allowingID: allowingID)
    guard isJSON else {
      let text = Text(value)
      self.value =
        list.map { $0 == UInt8(ascii: "+") ? .added(text) : .removed(text) } ?? .typed(text)
      return
    }
    do throws(JSONError) {
      let json = try JSON(parsing: Array(value.utf8), limits: .item)
      self.value = json.isNull ? .none : .json(json)
    } catch {
      throw Problem.usage("the value of \(field) is not valid JSON: \(error)")
    }
  }

  /// Returns the place of the first `=` that is in no quotes; if all are, of the first.
  private static func sign(in word: String) -> String.Index? {
    var isQuoted = false
    let sign = word.utf8.indices.first { index in
      if word.utf8[index] == UInt8(ascii: "\"") { isQuoted.toggle() }
      return word.utf8[index] == UInt8(ascii: "=") && !isQuoted
    }
    return sign ?? word.utf8.firstIndex(of: UInt8(ascii: "="))
  }

  init(unsetting field: String) throws {
    self.field = try Self.checked(Text(field), allowingID: false)
    value = .none
  }

  private init(_ field: Text, _ value: Value) {
    (self.field, self.value) = (field, value)
  }

  /// Returns the same for another field.
  func of(_ field: Text) -> Assignment { Assignment(field, value) }

  private static func checked(_ field: Text, allowingID: Bool) throws -> Text {
    if field.isEmpty { throw Problem.usage("the field name is empty") }
    if allowingID, field != Item.idField, field.lowercased == Item.idField {
      throw Problem.usage("did you mean 'id'?")
    }
    if field.lowercased == Item.idField, !allowingID {
      throw Problem.usage(
        "an id can't be set", hints: ["to give it another id: \(typed: "mv", "REF", "NEWID")"])
    }
    if SystemField.contains(field)
      || SystemField.allCases.contains(where: { $0.name.lowercased == field.lowercased })
    {
      throw Problem.usage("only the server sets \(field)")
    }
    return field
  }

  /// Returns a text as a value of the sample's type.
  ///
  /// - Throws: ``Problem`` if that can't be; it names the field and the sample's item.
  static func value(
    _ text: Text, like sample: JSON, field: Text, of key: ItemKey
  ) throws(Problem) -> JSON {
    guard let kind = kind(of: sample), !text.isEmpty else { return .string(text) }
    // A filter compares the text as it is: with blanks around it, no number would be equal.
    let isBare = [text.bytes.first, text.bytes.last].allSatisfy { $0 ?? 0 > 0x20 }
    guard isBare, let json = try? JSON(parsing: text.bytes), self.kind(of: json) == kind else {
      throw Problem.usage("\(field) must be \(kind) (as in \(key)), not '\(text)'")
    }
    return json
  }

  /// Returns what a value must be that is like a sample; `nil` for a text.
  private static func kind(of sample: JSON) -> String? {
    switch sample {
    case .null, .string: nil
    case .number: "a number"
    case .bool: "true or false"
    case .array: "an array"
    case .object: "an object"
    }
  }
}
