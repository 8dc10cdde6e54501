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
  /// - Throws: `StoreDamage` where the stored text is none of this server's, or where members were
  ///   chosen and it is no JSON.
  package func write(_ row: UnsafeBufferPointer<UInt8>, into text: inout [UInt8]) throws {
    guard let suffix = RowText.suffix(of: row) else {
      throw StoreDamage(Self.facts(of: row, "is none of a row"))
    }
    if let columns {
      try write(columns, of: row, suffix: suffix, into: &text)
    } else if hasCreatedAt {
      text.append(contentsOf: row)
    } else {
      text.append(contentsOf: row[..<suffix])
      text.append(contentsOf: row[(suffix + RowText.momentLength)...])
    }
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
      text.append(contentsOf: row[1..<(try Self.endOfID(row, before: suffix))])
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
      throw StoreDamage(Self.facts(of: row, "is no JSON: \(error)"))
    }
    for member in object.members where names.contains(member.name) {
      if text.count > start { text.append(UInt8(ascii: ",")) }
      member.name.writeQuoted(into: &text)
      text.append(UInt8(ascii: ":"))
      member.value.write(into: &text)
    }
  }

  /// Returns where the id's closing quote has passed.
  private static func endOfID(
    _ row: UnsafeBufferPointer<UInt8>, before suffix: Int
  ) throws(StoreDamage) -> Int {
    var position = #"{"id":""#.utf8.count
    while position < suffix, row[position] != UInt8(ascii: "\"") {
      position += row[position] == UInt8(ascii: "\\") ? 2 : 1
    }
    guard position < suffix else { throw StoreDamage(facts(of: row, "has no id")) }
    return position + 1
  }

  /// Says what is wrong with a text: with its beginning, where the id is.
  private static func facts(of row: UnsafeBufferPointer<UInt8>, _ fault: String) -> String {
    let start = row.dropFirst(#"{"id":""#.utf8.count).prefix { $0 != UInt8(ascii: "\"") }
    return "the text of item '\(String(decoding: start.prefix(255), as: UTF8.self))' \(fault)"
  }
}
