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
    precondition(row.version.text.string.utf8.count == 12, "a version is 8 bytes in base64")
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
  package static func body(of text: Text, _ id: ItemID, isDeleted: Bool) -> Text? {
    var prefix: [UInt8] = []
    writePrefix(id, into: &prefix)
    let bytes = text.string.utf8
    let suffix = suffixLength(isDeleted: isDeleted)
    guard bytes.count >= prefix.count + suffix, bytes.starts(with: prefix) else { return nil }
    let members = bytes.dropFirst(prefix.count).dropLast(suffix)
    guard let comma = members.first else { return "{}" }
    guard comma == UInt8(ascii: ","), let inner = String(members.dropFirst()) else { return nil }
    return Text("{\(inner)}")
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

  /// Bytes from the comma before createdAt to the end.
  static func suffixLength(isDeleted: Bool) -> Int {
    2 * momentLength + versionLength + (isDeleted ? 16 : 17)
  }

  /// Whether a text is a tombstone's: `…true}`.
  static func isDeleted(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    text[text.count - 5] == UInt8(ascii: "t")
  }
}
