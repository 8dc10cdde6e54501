/// The place of a value in an item: a field, or a member within it.
///
/// Its text has the names with dots between them: `addr.zip`. A name that could be misread stands as
/// a JSON string: `"a.b".c`.
package struct FieldPath: Hashable, Sendable {
  /// The names, from the field inwards; at least one.
  package let steps: [Text]

  /// Makes the path of a field.
  package init(_ field: Text) {
    steps = [field]
  }

  private init(steps: [Text]) {
    self.steps = steps
  }

  /// Reads a path's text; `nil` where a name is empty or not a JSON string.
  package init?(reading text: Text) {
    var (steps, rest): ([Text], _) = ([], text.bytes[...])
    repeat {
      // The dot before it.
      if !steps.isEmpty { rest.removeFirst() }
      let isQuoted = rest.first == UInt8(ascii: "\"")
      let end =
        isQuoted ? JSON.endOfString(in: rest) : rest.firstIndex(of: Self.dot) ?? rest.endIndex
      let word = rest[..<end]
      let name = isQuoted ? (try? JSON(parsing: word))?.text : Text(validating: word)
      rest = rest[end...]
      guard let name, isQuoted || !name.isEmpty, rest.first ?? Self.dot == Self.dot else {
        return nil
      }
      steps.append(name)
    } while !rest.isEmpty
    self.steps = steps
  }

  /// The field that it is in.
  package var field: Text { steps[0] }

  /// The path's text.
  package var text: Text {
    let names = steps.map { name -> String in
      // A name's last `+` or `-` would be read as a part of the sign behind it.
      let isPlain =
        name.bytes.allSatisfy { $0 > 0x20 && !Self.signs.contains($0) }
        && name.bytes.last.map { !"+-".utf8.contains($0) } ?? false
      return isPlain ? name.string : String(decoding: JSON.string(name).encoded(), as: UTF8.self)
    }
    return Text(names.joined(separator: "."))
  }

  /// The place that it is a member of; `nil` for a field.
  package var parent: FieldPath? { steps.count > 1 ? FieldPath(steps: steps.dropLast()) : nil }

  /// Returns the path of a member of the value at this place.
  package func appending(_ name: Text) -> FieldPath { FieldPath(steps: steps + [name]) }

  /// Whether the place is another one, or is within it.
  package func isWithin(_ other: FieldPath) -> Bool { steps.starts(with: other.steps) }

  private static let dot = UInt8(ascii: ".")
  private static let signs = ".=:,\"".utf8
}

extension Item {
  /// Returns the value at a place; `nil` where it is absent, or a field that is `null`.
  package func value(at path: FieldPath) -> JSON? {
    path.steps.dropFirst().reduce(self[path.field]) { $0?.object?[$1] }
  }

  /// Returns the value that a name means: of the field of the whole name, else of the member at that path.
  package func value(named name: Text) -> JSON? {
    if let value = self[name] { return value }
    // Only a member's path has one of these signs, and few names do.
    guard name.string.utf8.contains(where: { ".\"".utf8.contains($0) }) else { return nil }
    return FieldPath(reading: name).flatMap(value(at:)).flatMap { $0.isNull ? nil : $0 }
  }

  /// Sets or removes the value at a place; objects on the way are made where nothing is.
  ///
  /// - Returns: Whether it could be: what is on the way must be objects.
  package mutating func set(_ value: JSON?, at path: FieldPath) -> Bool {
    guard path.steps.count > 1 else {
      self[path.field] = value
      return true
    }
    if value == nil, self.value(at: path) == nil { return true }
    var object = JSON.object(fields)
    guard object.set(value, at: path.steps[...]), let fields = object.object else { return false }
    self.fields = fields
    return true
  }
}

extension JSON {
  fileprivate mutating func set(_ value: JSON?, at steps: ArraySlice<Text>) -> Bool {
    guard case .object(var object) = self, let step = steps.first else { return false }
    if steps.count == 1 {
      object[step] = value
    } else {
      var member = object[step].flatMap { $0.isNull ? nil : $0 } ?? .object(JSONObject())
      guard member.set(value, at: steps.dropFirst()) else { return false }
      object[step] = member
    }
    self = .object(object)
    return true
  }
}

extension FieldPath: CustomStringConvertible {
  package var description: String { text.string }
}
