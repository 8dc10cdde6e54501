import SyncModel

/// Writes rows as a client wants them: pieces of the stored text.
package struct RowWriter: Sendable {
  private let hasCreatedAt: Bool
  private let columns: [RowColumn]?

  /// Writes rows as a dialect has them, with the members in `columns`, or all where it is `nil`.
  package init(_ dialect: ServedDialect, columns: [RowColumn]? = nil) {
    hasCreatedAt = dialect == .mobileApps
    self.columns = columns
  }

  /// Appends a row.
  ///
  /// - Throws: `StoreDamage` where the stored text is none of this server's, where what would be
  ///   appended hides the rows after it, or where members were chosen and the text is no JSON.
  package func write(_ row: UnsafeBufferPointer<UInt8>, into text: inout [UInt8]) throws {
    guard let suffix = RowText.suffix(of: row) else {
      throw Self.damage(of: row, "is none of a row")
    }
    let start = text.count
    if let columns {
      try write(columns, of: row, suffix: suffix, into: &text)
    } else if hasCreatedAt {
      text.append(contentsOf: row)
    } else {
      text.append(contentsOf: row[..<suffix])
      text.append(contentsOf: row[(suffix + RowText.momentLength)...])
    }
    let closes = text.withUnsafeBufferPointer {
      Self.closesAtEnd(UnsafeBufferPointer(rebasing: $0[start...]))
    }
    guard closes else { throw Self.damage(of: row, "doesn't close its quotes or brackets") }
  }

  /// Whether the brace that begins a text is closed by its last byte.
  ///
  /// Clients find the end of each row in a list by its quotes and brackets. The rest of its grammar
  /// is the row's own affair: the text was checked when it was written, and isn't parsed again.
  private static func closesAtEnd(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    guard text.first == UInt8(ascii: "{") else { return false }
    var depth = 0
    var isInString = false
    var position = 0
    while position < text.count {
      switch text[position] {
      case UInt8(ascii: "\""): isInString.toggle()
      case UInt8(ascii: "\\"): position += isInString ? 1 : 0
      case _ where isInString: break
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        depth -= 1
        if depth == 0 { return position == text.count - 1 }
      default: break
      }
      position += 1
    }
    return false
  }

  /// Appends a row.
  ///
  /// - Throws: `StoreDamage` where members were chosen and the stored text is no JSON.
  package func write(_ row: StoredRow, into text: inout [UInt8]) throws {
    try RowText(row).bytes.withUnsafeBufferPointer { try write($0, into: &text) }
  }

  private func write(
    _ columns: [RowColumn], of row: UnsafeBufferPointer<UInt8>, suffix: Int,
    into text: inout [UInt8]
  ) throws {
    text.append(UInt8(ascii: "{"))
    let start = text.count
    if columns.contains(.id) {
      guard let end = Self.endOfID(row), end <= suffix else {
        throw Self.damage(of: row, "has no id")
      }
      text.append(contentsOf: row[1..<end])
    }
    try writeMembers(columns, of: row, into: &text, after: start)
    var piece = suffix
    for (column, length) in [
      (RowColumn.createdAt, RowText.momentLength), (.updatedAt, RowText.momentLength),
      (.version, RowText.versionLength), (.deleted, row.count - 1),
    ] {
      let end = min(piece + length, row.count - 1)
      if columns.contains(column) {
        // Each piece begins with a comma, which the first in an object can't have.
        text.append(contentsOf: row[(text.count == start ? piece + 1 : piece)..<end])
      }
      piece = end
    }
    text.append(UInt8(ascii: "}"))
  }

  private func writeMembers(
    _ columns: [RowColumn], of row: UnsafeBufferPointer<UInt8>, into text: inout [UInt8],
    after start: Int
  ) throws {
    let names = columns.compactMap { column -> Text? in
      guard case .member(let path) = column else { return nil }
      return path.first
    }
    guard !names.isEmpty else { return }
    let object: JSONObject
    do throws(JSONError) {
      object = try JSON(parsing: Array(row)).object ?? JSONObject()
    } catch {
      throw Self.damage(of: row, "is no JSON: \(error)")
    }
    for member in object.members where names.contains(member.name) {
      if text.count > start { text.append(UInt8(ascii: ",")) }
      member.name.writeQuoted(into: &text)
      text.append(UInt8(ascii: ":"))
      member.value.write(into: &text)
    }
  }

  /// Returns where the id's closing quote has passed; `nil` where the text doesn't begin with one.
  private static func endOfID(_ row: UnsafeBufferPointer<UInt8>) -> Int? {
    guard row.starts(with: #"{"id":""#.utf8) else { return nil }
    var position = #"{"id":""#.utf8.count
    while position < row.count, row[position] != UInt8(ascii: "\"") {
      position += row[position] == UInt8(ascii: "\\") ? 2 : 1
    }
    return position < row.count ? position + 1 : nil
  }

  /// Says what is wrong with a text, and of which item, where the text still tells it.
  private static func damage(
    of row: UnsafeBufferPointer<UInt8>, _ fault: String
  ) -> StoreDamage {
    guard let end = endOfID(row), end < row.count, row[end] == UInt8(ascii: ","),
      let quoted = try? JSON(parsing: Array(row[#"{"id":"#.utf8.count..<end])),
      let id = quoted.text.flatMap({ try? ItemID($0) })
    else { return StoreDamage("the text of an item \(fault)") }
    return StoreDamage(item: id.text, "its text \(fault)")
  }
}
