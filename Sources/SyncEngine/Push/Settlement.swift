package import SyncModel

/// The outcome of a write, found by reading the row.
///
/// ```
///              nothing there      tombstone            our content   other content, or version
///   insert     void | rejected    incoming             done          incoming
///   update     incoming (gone)    incoming             done          incoming; same version:
///   delete     done               done                 –               void | rejected
///   undelete   incoming (gone)    same version: void   done          incoming
/// ```
///
/// Our content is what was sent, in whatever form the server keeps it, and nothing else; an id proves
/// nothing, however it was made.
///
/// *void | rejected*: a write that did not happen is void when no whole answer came, and will be sent
/// again; where the server did answer, it is refused with the server's words. So it is, too, where the
/// row can't be taken; without an answer, or with one that passes, it is *unknown* then.
package enum Settlement: Equatable, Sendable {
  /// The server did it; the row as it is now, `nil` where there is none.
  case done(Row?)
  /// The server did not do it, and said why.
  case rejected(Refusal)
  /// The server did not do it, and nothing says that it won't.
  case void
  /// The server's row is another one: it is brought to the item like a pulled one.
  case incoming(Row)
  /// The row holds what an earlier, lost attempt wrote, and something beside it.
  case incomingOverOurs(Row)
  /// Nothing tells what became of it.
  case unknown

  /// Decides by what reading the row after the last attempt brought.
  ///
  /// `refusal` is the server's answer to the write, `nil` where it is none. `base` is what was known of
  /// the row before the write, `nil` where the server never had it.
  package init(
    _ attempt: Attempt, over base: Item? = nil, reading: Reading, refusal: Refusal?
  ) {
    let undone: Settlement = refusal.map { .rejected($0) } ?? .void
    switch (attempt.kind, reading) {
    case (_, .refused(let reason)):
      guard var refusal, !refusal.passes else {
        self = .unknown
        return
      }
      refusal.words = Text("\(refusal.words); \(reason)")
      self = .rejected(refusal)
    case (.insert, .absent): self = undone
    case (.insert, .row(let row)): self = attempt.found(row, over: nil)
    case (.update, .absent), (.undelete, .absent): self = .incoming(.gone(attempt.key.id))
    case (.update, .row(let row)):
      let isAsBefore = !row.deleted && row.version == attempt.version
      self = isAsBefore ? undone : attempt.found(row, over: base)
    case (.delete, .absent): self = .done(nil)
    case (.delete, .row(let row)):
      self = row.deleted ? .done(row) : row.version == attempt.version ? undone : .incoming(row)
    case (.undelete, .row(let row)):
      // A row that lives again may be our doing, or somebody else's: its content tells.
      let isAsBefore = row.deleted && row.version == attempt.version
      self = isAsBefore ? undone : attempt.found(row, over: base)
    }
  }
}

extension Attempt {
  /// Decides by the content of a row that isn't as it was before the write.
  fileprivate func found(_ row: Row, over base: Item?) -> Settlement {
    guard let item, !row.deleted else { return .incoming(row) }
    let sent = Change(from: base, to: item).fields
    let names = Set(sent.map(\.name))
    let isKept = sent.allSatisfy { field in
      guard let new = field.new, let kept = row.item[field.name] else {
        return field.new == row.item[field.name]
      }
      return new.isKept(as: kept)
    }
    if isKept, Change(from: base, to: row.item).names.allSatisfy(names.contains) {
      return .done(row)
    }
    // What stands beside the changes is the server's own doing, or somebody's edit since.
    let isWithin = sent.allSatisfy { row.item[$0.name] == $0.new }
    return isWithin ? .incomingOverOurs(row) : .incoming(row)
  }
}
