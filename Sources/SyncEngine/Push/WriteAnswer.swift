package import SyncModel

/// The differences between a sent item and the row in the answer.
package struct WriteAnswer: Equatable, Sendable {
  /// The id that the server gave the new row; `nil` where it kept the one that was sent.
  package var id: ItemID?
  /// The fields that were sent and have another value in the row.
  package var changed: [Text] = []
  /// The fields that were sent and that the row lacks.
  package var dropped: [Text] = []

  /// Makes the answer of a server that changed nothing.
  package init() {}

  /// Compares a row with the write that it answers.
  ///
  /// - Parameters:
  ///   - row: The row; `nil` where the answer has none.
  ///   - attempt: The write.
  ///   - base: The item over which it was sent; `nil` where there was none.
  init(_ row: Row?, to attempt: Attempt, over base: Item?) {
    guard let row, let item = attempt.item, !row.deleted else { return }
    if row.id != attempt.key.id { id = row.id }
    // An undelete may carry nothing; what it leaves is sent by the update that follows.
    guard attempt.kind != .undelete, row.item != item else { return }
    let sent = Change(from: attempt.kind == .insert ? nil : base, to: item).fields
      .filter { $0.new != nil }.map(\.name)
    let found = Set(row.item.fields.members.map(\.name))
    // A server that compares names without case may write a field's name in its own way.
    var others = Set(found.subtracting(sent).map(\.lowercased))
    for name in sent where !found.contains(name) && others.remove(name.lowercased) == nil {
      dropped.append(name)
    }
    changed = item.fields.members.map(\.name)
      .filter { found.contains($0) && item[$0] != row.item[$0] }
  }
}
