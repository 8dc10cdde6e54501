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
}
