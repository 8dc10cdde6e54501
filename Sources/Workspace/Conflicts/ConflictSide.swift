import SyncModel

/// One file of a conflict, `conflicts/TABLE/ID.SIDE.json`; of the document, `ID.edit-DIGEST.json`.
package enum ConflictSide: String, CaseIterable, Sendable {
  /// The client's item; its user may edit it.
  case client
  /// The server's item.
  case server
  /// What both began from; there is no such file where that was nothing.
  case base
  /// The document that `tsync resolve` opened in an editor, kept until the conflict is over.
  case edit
  /// That document as it was laid: what the one that is edited began from.
  case marked

  /// Reads the name of a conflict's file: which item's it is, and which side; `nil` where it is none.
  static func read(_ name: String) -> (id: ItemID, side: ConflictSide)? {
    let suffix = FileName.suffix.string.utf8
    guard name.utf8.suffix(suffix.count).elementsEqual(suffix) else { return nil }
    let parts = name.utf8.dropLast(suffix.count)
    guard let dot = parts.lastIndex(of: UInt8(ascii: ".")),
      let side = side(named: String(Substring(parts[parts.index(after: dot)...]))),
      let id = try? FileName.id(of: Text(String(Substring(parts[..<dot]))))
    else { return nil }
    return (id, side)
  }

  private static func side(named name: String) -> ConflictSide? {
    let words = name.utf8.split(separator: UInt8(ascii: "-"), maxSplits: 1)
    let isDocument = words.count == 2 && words[0].elementsEqual(edit.rawValue.utf8)
    return isDocument ? .edit : ConflictSide(rawValue: name)
  }
}
