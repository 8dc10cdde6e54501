import SyncModel

/// One file of a conflict, `conflicts/TABLE/ID.SIDE.json`.
package enum ConflictSide: String, CaseIterable, Sendable {
  /// The client's item; its user may edit it.
  case client
  /// The server's item.
  case server
  /// What both began from; there is no such file where that was nothing.
  case base
  /// The document that `tsync resolve` opened in an editor, kept until the conflict is over.
  case edit

  /// Reads the name of a conflict's file: which item's it is, and which side; `nil` where it is none.
  static func read(_ name: String) -> (id: ItemID, side: ConflictSide)? {
    let suffix = FileName.suffix.string.utf8
    guard name.utf8.suffix(suffix.count).elementsEqual(suffix) else { return nil }
    let parts = name.utf8.dropLast(suffix.count)
    guard let dot = parts.lastIndex(of: UInt8(ascii: ".")),
      let side = ConflictSide(rawValue: String(Substring(parts[parts.index(after: dot)...]))),
      let id = try? FileName.id(of: Text(String(Substring(parts[..<dot]))))
    else { return nil }
    return (id, side)
  }
}
