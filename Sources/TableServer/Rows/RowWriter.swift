import Glibc
import SyncModel

/// Writes rows as a client wants them: pieces of the stored text.
package struct RowWriter: Sendable {
  /// The members that are wanted; `nil` for all that can be seen.
  private let members: [Text]?
  private let hasID: Bool
  /// What is put before the names of the system columns; members that begin so aren't shown.
  private let prefix: [UInt8]
  /// Where the system columns lie that are wanted; neighbours are one piece where nothing is put in.
  private let pieces: [Range<Int>]

  /// How many bytes longer than its stored text a row can become.
  var growth: Int { pieces.count * prefix.count }

  /// Writes rows as a client sees them.
  package init(_ view: RowView) {
    hasID = view.chosen?.contains(.id) ?? true
    members = view.chosen?.compactMap { column in
      guard case .member(let path) = column else { return nil }
      return path.first
    }
    let prefix = Array(view.dialect.columnPrefix.utf8)
    self.prefix = prefix
    pieces = RowText.pieces.filter { view.system.contains($0.column) }.reduce(into: []) {
      if prefix.isEmpty, let last = $0.last, last.upperBound == $1.bytes.lowerBound {
        $0[$0.count - 1] = last.lowerBound..<$1.bytes.upperBound
      } else {
        $0.append($1.bytes)
      }
    }
  }

  /// Appends a row.
  ///
  /// - Throws: `StoreDamage` where the stored text is none of this server's, where what would be
  ///   appended hides the rows after it, or where members were chosen and the text is no JSON.
  package func write(_ row: UnsafeBufferPointer<UInt8>, into text: inout [UInt8]) throws {
    guard let suffix = RowText.suffix(of: row) else {
      throw Self.damage(of: row, "is not that of a row")
    }
    let start = text.count
    if members != nil || mayHide(UnsafeBufferPointer(rebasing: row[..<suffix])) {
      try writeMembers(of: row, suffix: suffix, into: &text)
    } else {
      text.append(contentsOf: row[..<suffix])
    }
    writePieces(of: row, suffix: suffix, isFirst: text.count == start + 1, into: &text)
    let closes = text.withUnsafeBufferPointer {
      Self.closesAtEnd(UnsafeBufferPointer(rebasing: $0[start...]))
    }
    guard closes else { throw Self.damage(of: row, "has an open quote or bracket") }
  }

  /// Appends the system columns that are wanted, and the brace.
  ///
  /// They are put together before, so that a row has few appends.
  private func writePieces(
    of row: UnsafeBufferPointer<UInt8>, suffix: Int, isFirst: Bool, into text: inout [UInt8]
  ) {
    let room = RowText.suffixLength(isDeleted: false) + growth
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: room) { buffer in
      var count = 0
      func put(_ bytes: UnsafeBufferPointer<UInt8>) {
        count = buffer[count...].update(fromContentsOf: bytes)
      }
      for piece in pieces {
        let first = suffix + piece.lowerBound
        let name = first + 2
        // Each piece begins with a comma, which the first in an object can't have.
        put(UnsafeBufferPointer(rebasing: row[(isFirst && count == 0 ? first + 1 : first)..<name]))
        prefix.withUnsafeBufferPointer(put)
        let end = min(suffix + piece.upperBound, row.count - 1)
        put(UnsafeBufferPointer(rebasing: row[name..<end]))
      }
      buffer[count] = UInt8(ascii: "}")
      text.append(contentsOf: UnsafeBufferPointer(rebasing: buffer[...count]))
    }
  }

  /// Whether the brace that begins a text is closed by its last byte.
  ///
  /// Clients find the end of each row in a list by its quotes and brackets. The rest of its grammar
  /// is the row's own affair: the text was checked when it was written, and isn't parsed again.
  private static func closesAtEnd(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    var scanner = JSONScanner(text)
    return text.first == UInt8(ascii: "{") && scanner.value() == text.indices
  }

  /// Appends a row.
  ///
  /// - Throws: `StoreDamage` where members were chosen and the stored text is no JSON.
  package func write(_ row: StoredRow, into text: inout [UInt8]) throws {
    try RowText(row).bytes.withUnsafeBufferPointer { try write($0, into: &text) }
  }

  /// Whether a text may have a member that isn't shown; few hold these bytes at all.
  ///
  /// Clients of other dialects may have named it so.
  private func mayHide(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let mark = prefix.first, let start = UnsafeRawPointer(text.baseAddress) else {
      return false
    }
    var rest = 0
    while let found = memchr(start + rest, Int32(mark), text.count - rest) {
      let place = start.distance(to: found)
      if text[..<place].last == UInt8(ascii: "\""), text[place...].starts(with: prefix) {
        return true
      }
      rest = place + 1
    }
    return false
  }

  /// Appends the brace, the id and the members, but for those that aren't wanted or seen.
  private func writeMembers(
    of row: UnsafeBufferPointer<UInt8>, suffix: Int, into text: inout [UInt8]
  ) throws {
    text.append(UInt8(ascii: "{"))
    let start = text.count
    if hasID {
      guard let end = Self.endOfID(row), end <= suffix else {
        throw Self.damage(of: row, "has no id")
      }
      text.append(contentsOf: row[1..<end])
    }
    guard members?.isEmpty != true else { return }
    let object: JSONObject
    do throws(JSONError) {
      object = try JSON(parsing: Array(row)).object ?? JSONObject()
    } catch {
      throw Self.damage(of: row, "is not JSON: \(error)")
    }
    let wanted = members.map { Set($0.compactMap { object.member(anyCase: $0)?.name }) }
    for member in object.members where wanted?.contains(member.name) ?? isSeen(member.name) {
      if text.count > start { text.append(UInt8(ascii: ",")) }
      member.name.writeQuoted(into: &text)
      text.append(UInt8(ascii: ":"))
      member.value.write(into: &text)
    }
  }

  private func isSeen(_ name: Text) -> Bool {
    name != "id" && !name.string.utf8.starts(with: prefix)
      && !RowColumn.system.contains { name == Text($0.name) }
  }

  /// Returns where the id's closing quote has passed; `nil` where the text doesn't begin with one.
  private static func endOfID(_ row: UnsafeBufferPointer<UInt8>) -> Int? {
    guard row.starts(with: #"{"id":""#.utf8) else { return nil }
    var scanner = JSONScanner(row, at: #"{"id":"#.utf8.count)
    return scanner.string()?.upperBound
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
