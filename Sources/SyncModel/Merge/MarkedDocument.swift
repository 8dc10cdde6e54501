/// A conflict as one text to edit: what is in conflict is between markers, all else is merged.
///
/// ```
///   // client 3f9a01c2, server 77be1d04: leave this line
///   {
///     "id": "2b9e",
///     "address": {
///   <<<<<<< client
///       "zip": "3000",
///   ||||||| base
///       "zip": "8000",
///   =======
///       "zip": "9000",
///   >>>>>>> server
///       "city": "Bern"
///     }
///   }
/// ```
///
/// The first line names the versions of both sides: a text counts only for those. No other line may be a
/// comment. A side without the member is empty; where one side deleted the item, the marks are around the
/// whole object. A text of several lines is a block (``TextBlock``), with markers between its lines.
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
    let merged =
      conflict.fields.map { MarkedWriter.text(of: $0, id) } ?? MarkedWriter.text(of: conflict, id)
    text = Self.firstLine(of: conflict, id) + merged
  }

  /// Returns the line that names the versions of a conflict: the beginnings of the fingerprints of their
  /// texts, the client's as it would bring back what the server has deleted.
  private static func firstLine(of conflict: Conflict, _ id: ItemID) -> [UInt8] {
    let versions = [conflict.revived, conflict.server].map { item -> [UInt8] in
      guard let item else { return Array("deleted".utf8) }
      let text = JSON.object(item.object(id: id, omittingNulls: true)).encoded(.indented())
      return Array(Digest(of: text + "\n".utf8).description.utf8.prefix(8))
    }
    return start + versions[0] + ", server ".utf8 + versions[1] + ": leave this line\n".utf8
  }

  /// What the line begins with that names the versions.
  private static let start = Array("// client ".utf8)

  private var firstLine: ArraySlice<UInt8> { text.prefix { !JSONStyle.isLineEnd($0) } }

  /// What the first line names as the versions of both sides; `nil` where it names none.
  package var versions: ArraySlice<UInt8>? {
    // An editor may have put a byte order mark or blanks before it.
    let line = firstLine.drop { $0 <= 0x20 || $0 >= 0x80 }
    return line.starts(with: Self.start) ? line.prefix { $0 != UInt8(ascii: ":") } : nil
  }

  /// The text with blanks for the line that names the versions, so that all else keeps its place.
  private var body: [UInt8] {
    guard versions != nil else { return text }
    return [UInt8](repeating: 0x20, count: firstLine.count) + text[firstLine.endIndex...]
  }

  /// Whether there is nothing but blanks below the first line: who empties the text leaves the conflict.
  package var isBlank: Bool { body.allSatisfy { [0x20, 0x09, 0x0A, 0x0D].contains($0) } }

  /// Reads the item that the text has become; `nil` where it is to be deleted, which an object of
  /// `id` and `"deleted": true` says.
  ///
  /// Commas that are missing at the end of a member's line, or too many, are no mistake, and so are
  /// those after an object in a list.
  ///
  /// - Throws: The first mistake and its place: a mark that is left, a mistake in a block, a fault of
  ///   the JSON, a member that stands twice, another id.
  package func item() throws(JSONError) -> Item? {
    let text = body
    if let mark = Mark.first(in: text) {
      throw JSONError(at: mark, of: text, "a conflict marker is left")
    }
    let json = try TextBlock.strings(in: text)
    guard json.count <= Self.limit else {
      throw JSONError(at: 0, of: text, "the item may have 4 MiB at most")
    }
    let edit = try JSONEdit(LenientCommas.mended(json), limits: .item)
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

  /// The most bytes of the item, as of its file.
  private static let limit = 4 << 20
}

/// The four lines that part the sides.
enum Mark: String, CaseIterable {
  case client = "<<<<<<< client"
  case base = "||||||| base"
  case middle = "======="
  case server = ">>>>>>> server"

  /// Whether a line, without the blanks before it, is the mark of a version, which an editor may have
  /// moved into a text.
  static func isSide(_ line: ArraySlice<UInt8>) -> Bool {
    [client, base, server].contains { line.starts(with: $0.rawValue.utf8) }
  }

  /// Returns the offset of the first line that begins like a mark.
  ///
  /// No other line does: JSON has such bytes in strings only, and a block's lines are indented and
  /// don't read like a version's mark.
  static func first(in text: [UInt8]) -> Int? {
    var start = 0
    while start < text.count {
      let line = text[start...]
      let bare = line.drop { $0 == 0x20 || $0 == 0x09 }
      if allCases.contains(where: { line.starts(with: $0.rawValue.utf8.prefix(7)) }) || isSide(bare)
      {
        return start
      }
      guard let end = line.firstIndex(where: JSONStyle.isLineEnd) else { return nil }
      start = end + 1
    }
    return nil
  }
}

/// Commas between the members of objects, and between the objects of lists, as people leave them when
/// they take lines away.
private enum LenientCommas {
  private static let (comma, open, close) = (
    UInt8(ascii: ","), UInt8(ascii: "{"), UInt8(ascii: "}")
  )
  private static let blanks: [UInt8] = [0x20, 0x09, 0x0A, 0x0D]

  /// Returns a text in which commas that stand twice, or after the last member or object, are blanks,
  /// and those that are missing at the end of a line are there.
  ///
  /// What comes after stays in its line and column.
  static func mended(_ text: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    /// The opening brackets of what is open.
    var brackets: [UInt8] = []
    /// Where in the result the last byte is that is no blank.
    var last = 0
    var position = 0
    while position < text.count {
      let byte = text[position]
      var end = position + 1
      let before = result.isEmpty ? byte : result[last]
      func isNewLine() -> Bool { result[last...].contains(where: JSONStyle.isLineEnd) }
      if brackets.last == open {
        let follows = before == comma || before == open
        if byte == close, before == comma {
          result[last] = UInt8(ascii: " ")
        } else if byte == comma, follows {
          result.append(UInt8(ascii: " "))
          position = end
          continue
        } else if byte == UInt8(ascii: "\""), !follows, before != UInt8(ascii: ":"), isNewLine() {
          result.insert(comma, at: last + 1)
        }
      } else if byte == UInt8(ascii: "]"), before == comma,
        result[..<last].last(where: { !blanks.contains($0) }) == close
      {
        result[last] = UInt8(ascii: " ")
      } else if !brackets.isEmpty, byte == open, before == close, isNewLine() {
        result.insert(comma, at: last + 1)
      }
      switch byte {
      case UInt8(ascii: "\""): end = JSON.endOfString(in: text[position...])
      case open, UInt8(ascii: "["): brackets.append(byte)
      case close, UInt8(ascii: "]"): _ = brackets.popLast()
      default: break
      }
      result += text[position..<end]
      position = end
      if !blanks.contains(byte) { last = result.count - 1 }
    }
    return result
  }
}
