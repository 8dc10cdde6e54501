package import SyncModel

/// A row as the one JSON text that is stored, and sent as it is stored.
///
/// ```
/// {"id":"a","text":"milk","createdAt":"…","updatedAt":"…","version":"…","deleted":false}
///  prefix   body          suffix: always as long, but for true and false
/// ```
///
/// So a list is made of pieces of stored texts, and nothing in it is parsed or written anew.
package struct RowText: Hashable, Sendable {
  /// The text, in UTF-8.
  package let bytes: [UInt8]

  /// Writes a row.
  package init(_ row: StoredRow) {
    precondition(Self.takes(row.version), "a version is 8 bytes in base64")
    var text: [UInt8] = []
    var body = row.body.string
    text.reserveCapacity(body.utf8.count + 2 * Self.momentLength + 256)
    Self.writePrefix(row.id, into: &text)
    body.withUTF8 { body in
      // An object without blanks around it: what lies between its braces is wanted.
      guard body.count > 2 else { return }
      text.append(UInt8(ascii: ","))
      text.append(contentsOf: UnsafeBufferPointer(rebasing: body[1..<(body.count - 1)]))
    }
    Self.write(#","createdAt":""#, row.createdAt, into: &text)
    Self.write(#","updatedAt":""#, row.updatedAt, into: &text)
    text.append(contentsOf: #","version":""#.utf8)
    text.append(contentsOf: row.version.text.string.utf8)
    text.append(contentsOf: (row.isDeleted ? #"","deleted":true}"# : #"","deleted":false}"#).utf8)
    bytes = text
  }

  /// Returns the body of a stored text, as ``StoredRow/body`` has it; `nil` where the text can't be
  /// that of the row.
  package static func body(
    of text: UnsafeBufferPointer<UInt8>, _ id: ItemID, isDeleted: Bool
  ) -> Text? {
    var prefix: [UInt8] = []
    writePrefix(id, into: &prefix)
    let suffix = suffixLength(isDeleted: isDeleted)
    guard text.count >= prefix.count + suffix, text.starts(with: prefix) else { return nil }
    let members = text.dropFirst(prefix.count).dropLast(suffix)
    guard let comma = members.first else { return "{}" }
    guard comma == UInt8(ascii: ","),
      let inner = String(validating: members.dropFirst(), as: UTF8.self)
    else { return nil }
    return Text("{\(inner)}")
  }

  /// Whether a version is as long as those that a row's text has.
  package static func takes(_ version: Version) -> Bool {
    version.text.string.utf8.count == 12
  }

  private static func writePrefix(_ id: ItemID, into text: inout [UInt8]) {
    text.append(contentsOf: #"{"id":"#.utf8)
    id.text.writeQuoted(into: &text)
  }

  private static func write(_ name: StaticString, _ moment: Moment, into text: inout [UInt8]) {
    name.withUTF8Buffer { text.append(contentsOf: $0) }
    moment.write(into: &text)
    text.append(UInt8(ascii: "\""))
  }
}

extension RowText {
  /// Bytes of `,"createdAt":"2026-11-21T10:02:03.123Z"`, and of the same with updatedAt.
  static let momentLength = 39
  /// Bytes of `,"version":"AAAAAAAAB9E="`.
  static let versionLength = 25

  /// Where the system columns lie behind the id and the members, with the comma before each; the
  /// last ends before the brace.
  static let pieces: [(column: RowColumn, bytes: Range<Int>)] = {
    var start = 0
    return zip(RowColumn.system, [momentLength, momentLength, versionLength, 16]).map {
      system, length in
      defer { start += length }
      return (system.column, start..<(start + length))
    }
  }()

  /// Bytes from the comma before createdAt to the end.
  static func suffixLength(isDeleted: Bool) -> Int {
    2 * momentLength + versionLength + (isDeleted ? 16 : 17)
  }

  /// Returns where the system columns begin behind the id and the members; `nil` where a text is
  /// none of this server's.
  static func suffix(of text: UnsafeBufferPointer<UInt8>) -> Int? {
    guard text.count >= shortestPrefix + suffixLength(isDeleted: true) else { return nil }
    // …true}, or …false}
    let isDeleted = text[text.count - 5] == UInt8(ascii: "t")
    let suffix = text.count - suffixLength(isDeleted: isDeleted)
    guard suffix >= shortestPrefix, text[suffix] == UInt8(ascii: ","),
      text[suffix - 1 + momentLength] == UInt8(ascii: "\""),
      text[text.count - 1] == UInt8(ascii: "}")
    else { return nil }
    return suffix
  }

  /// Bytes of `{"id":"a"`.
  private static let shortestPrefix = 9
}
