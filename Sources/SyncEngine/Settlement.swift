package import SyncModel

/// What a write came to, once the row was read: the way out of every doubt (safety.md §3.6,
/// decisions.md 5).
///
/// ```
///              nothing there      tombstone            our content   other content, or version
///   insert     void | rejected    incoming             done          incoming
///   update     incoming (gone)    incoming             done          incoming; same version:
///   delete     done               done                 –               void | rejected
///   undelete   incoming (gone)    same version: void   done          incoming
/// ```
///
/// *void | rejected*: a write that did not happen is void when no whole answer came, and will be sent
/// again; where the server did answer, it is refused with the server's words. So it is, too, where the
/// row can't be taken; without an answer it is *unknown* then.
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
  /// `refusal` is the server's answer to the write, `nil` where no whole one came; it was `disputed`
  /// where it was 409, 412, 404 or 410. `base` is what was known of the row before the write; `nil`
  /// where the server never had it.
  package init(
    _ intent: Intent, over base: Item? = nil, reading: Reading, refusal: Refusal?, disputed: Bool
  ) {
    let undone: Settlement = refusal.map { .rejected($0) } ?? .void
    switch (intent.kind, reading) {
    case (_, .refused(let reason)):
      guard var refusal else {
        self = .unknown
        return
      }
      refusal.words = Text("\(refusal.words); \(reason)")
      self = .rejected(refusal)
    case (.insert, .absent): self = undone
    case (.insert, .row(let row)):
      // Nobody else makes a row of an id made at random, unless there was one before.
      let ours = base == nil && intent.key.id.isGenerated && (intent.attempt > 1 || !disputed)
      if !row.deleted, row.item == intent.item {
        self = .done(row)
      } else {
        self = ours || intent.isWithin(row, over: nil) ? .incomingOverOurs(row) : .incoming(row)
      }
    case (.update, .absent), (.undelete, .absent): self = .incoming(.gone(intent.key.id))
    case (.update, .row(let row)):
      if !row.deleted, row.version == intent.version {
        self = undone
      } else if !row.deleted, row.item == intent.item {
        self = .done(row)
      } else {
        self = intent.isWithin(row, over: base) ? .incomingOverOurs(row) : .incoming(row)
      }
    case (.delete, .absent): self = .done(nil)
    case (.delete, .row(let row)):
      self = row.deleted ? .done(row) : row.version == intent.version ? undone : .incoming(row)
    case (.undelete, .row(let row)):
      // A row that lives again may be our doing, or somebody else's: its content tells.
      if row.deleted {
        self = row.version == intent.version ? undone : .incoming(row)
      } else if row.item == intent.item {
        self = .done(row)
      } else {
        self = intent.isWithin(row, over: base) ? .incomingOverOurs(row) : .incoming(row)
      }
    }
  }
}

extension Intent {
  /// Whether a row holds every change that was sent.
  ///
  /// What stands beside them is the server's own doing, or somebody's edit since.
  fileprivate func isWithin(_ row: Row, over base: Item?) -> Bool {
    guard let item, !row.deleted else { return false }
    return Change(from: base, to: item).fields.allSatisfy { row.item[$0.name] == $0.new }
  }
}

extension ItemID {
  /// Whether the id has the form of one made at random: 32 hexadecimal digits, with or without the
  /// dashes of a UUID (RFC 9562).
  ///
  /// Such an id can't have been given twice by accident.
  package var isGenerated: Bool {
    let bytes = text.string.utf8
    let digits = bytes.count { byte in
      (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte) || (0x41...0x46).contains(byte)
    }
    let dashes = bytes.count { $0 == UInt8(ascii: "-") }
    return digits == 32 && (bytes.count == 32 || (bytes.count == 36 && dashes == 4))
  }
}
