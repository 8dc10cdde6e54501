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
      let isPlain = !name.isEmpty && name.bytes.allSatisfy { $0 > 0x20 && !Self.signs.contains($0) }
      return isPlain ? name.string : String(decoding: JSON.string(name).encoded(), as: UTF8.self)
    }
    return Text(names.joined(separator: "."))
  }

  /// Returns the path of a member of the value at this place.
  package func appending(_ name: Text) -> FieldPath { FieldPath(steps: steps + [name]) }

  /// Whether the place is another one, or is within it.
  package func isWithin(_ other: FieldPath) -> Bool { steps.starts(with: other.steps) }

  private static let dot = UInt8(ascii: ".")
  private static let signs = ".=:,\"".utf8
}

extension FieldPath: CustomStringConvertible {
  package var description: String { text.string }
}
