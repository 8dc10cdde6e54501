/// A conflict as one text to edit: fields in conflict are between markers, the other fields are
/// merged.
///
/// ```
///   {
///     "id": "2b9e",
///   <<<<<<< client
///     "due": "2026-03-03",
///   ||||||| base
///     "due": "2026-02-27",
///   =======
///     "due": "2026-03-10",
///   >>>>>>> server
///     "notes": "bring photos"
///   }
/// ```
///
/// A side without the field is empty; where one side deleted the item, the marks are around the
/// whole object. Taking away the marks and, at each, the sides that aren't wanted leaves valid JSON.
package struct MarkedDocument: Equatable, Sendable {
  /// Which item the text is of.
  package let id: ItemID
  /// The text, in UTF-8.
  package let text: [UInt8]

  /// Takes a text as an editor left it.
  package init(_ text: [UInt8], of id: ItemID) {
    self.id = id
    self.text = text
  }

  /// Writes a conflict down.
  package init(_ conflict: Conflict, of id: ItemID) {
    self.id = id
    if let fields = conflict.fields {
      text = MarkedWriter.text(of: fields, id)
    } else {
      text = MarkedWriter.text(of: conflict, id)
    }
  }

  /// Whether there is nothing but blanks: who empties the text leaves the conflict.
  package var isBlank: Bool { text.allSatisfy { [0x20, 0x09, 0x0A, 0x0D].contains($0) } }

  /// Reads the item that the text has become; `nil` where it is to be deleted, which an object of
  /// `id` and `"deleted": true` says.
  ///
  /// Commas that are missing at the end of a member's line, or too many, are no mistake.
  ///
  /// - Throws: The first mistake and its place: a mark that is left, a fault of the JSON, a member
  ///   that stands twice, another id.
  package func item() throws(JSONError) -> Item? {
    if let mark = Mark.first(in: text) {
      throw JSONError(at: mark, of: text, "a conflict marker is left")
    }
    guard text.count <= Self.limit else {
      throw JSONError(at: 0, of: text, "the text may have 4 MiB at most")
    }
    let edit = try JSONEdit(LenientCommas.mended(text), limits: .item)
    if let duplicate = edit.duplicate { throw duplicate }
    if let named = edit.object[Item.idField], named != .string(id.text) {
      throw edit.error(at: Item.idField, "the id must stay '\(id)'")
    }
    let item = Item(edit.object)
    guard edit.object[SystemField.deleted.name] == true else { return item }
    guard item.fields.members.isEmpty else {
      throw edit.error(at: SystemField.deleted.name, "a deleted item cannot have other members")
    }
    return nil
  }

  /// The most bytes of the text, as of an item's file.
  private static let limit = 4 << 20
}

/// The four lines that part the sides.
enum Mark: String, CaseIterable {
  case client = "<<<<<<< client"
  case base = "||||||| base"
  case middle = "======="
  case server = ">>>>>>> server"

  /// Returns the offset of the first line that begins like a mark.
  ///
  /// No line of JSON does: a string holds no line end, and outside of strings the bytes are wrong.
  static func first(in text: [UInt8]) -> Int? {
    var start = 0
    while start < text.count {
      let line = text[start...]
      if allCases.contains(where: { line.starts(with: $0.rawValue.utf8.prefix(7)) }) {
        return start
      }
      guard let end = line.firstIndex(where: JSONStyle.isLineEnd) else { return nil }
      start = end + 1
    }
    return nil
  }
}

/// Commas between the members of an object, as people leave them when they take lines away.
private enum LenientCommas {
  /// Returns a text in which commas that stand twice, or after the last member, are blanks, and
  /// those that are missing at the end of a line are there.
  ///
  /// Only the outermost object is looked at. What comes after stays in its line and column.
  static func mended(_ text: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    var depth = 0
    /// Where in the result the last byte of the outermost object is that is no blank.
    var last: Int?
    var position = 0
    while position < text.count {
      let byte = text[position]
      if depth == 1, let previous = last {
        let before = result[previous]
        let follows = before == UInt8(ascii: ",") || before == UInt8(ascii: "{")
        if byte == UInt8(ascii: "}"), before == UInt8(ascii: ",") {
          result[previous] = UInt8(ascii: " ")
        } else if byte == UInt8(ascii: ","), follows {
          result.append(UInt8(ascii: " "))
          position += 1
          continue
        } else if byte == UInt8(ascii: "\""), !follows, before != UInt8(ascii: ":"),
          result[previous...].contains(where: JSONStyle.isLineEnd)
        {
          result.insert(UInt8(ascii: ","), at: previous + 1)
        }
      }
      let end = byte == UInt8(ascii: "\"") ? endOfString(text, from: position) : position + 1
      if byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") { depth += 1 }
      if byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]") { depth -= 1 }
      result += text[position..<end]
      position = end
      if depth == 1, ![0x20, 0x09, 0x0A, 0x0D].contains(byte) { last = result.count - 1 }
    }
    return result
  }

  private static func endOfString(_ text: [UInt8], from quote: Int) -> Int {
    var position = quote + 1
    while position < text.count, text[position] != UInt8(ascii: "\"") {
      position += text[position] == UInt8(ascii: "\\") ? 2 : 1
    }
    return min(position + 1, text.count)
  }
}
