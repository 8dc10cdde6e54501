package import SyncModel

/// What one line of a table's journal says.
///
/// An answer of the server and the end of its attempt are the same line.
package enum Fact: Equatable, Sendable {
  /// A row is the base. An open arrival of it is over, and the attempt of the item `ends`, that it was
  /// refused, and its mark, where the row is what that has meant.
  case base(Row, ends: ItemID? = nil)
  /// A row has arrived; it takes the place of an open arrival of its row, and is measured against the
  /// same. What `ends` is over as with a base.
  case arrived(Arrival, ends: ItemID? = nil)
  /// The rows of all open arrivals are bases, but those of the items with these ids.
  case taken(but: Set<ItemID>)
  /// How far the pulls of a feed have come, `nil` where the next begins anew, and how many items deletes are
  /// measured by.
  case token(Feed, DeltaToken?, of: Int? = nil)
  /// A pull of the table has reached its end, and nothing that it has brought waits to be counted.
  case pulled
  /// No query returns the row of this id any more; its item goes when it is as the server's row.
  case left(ItemID)
  /// A query returns the row again.
  case back(ItemID)
  /// The base of an item, its mark and its conflict are over: its row has left and its file has gone, or the table
  /// is about to be forgotten.
  case forgot(ItemID)
  /// The rows of the whole table that its next pull must meet again, or newer states of them; what was said of
  /// others is over.
  case anchors([Anchor])
  /// A push has learnt the newest states of these rows: they are anchors, too.
  case learnt([Anchor])
  /// Somebody has said that so many more rows may leave the table's queries; holds until a pull has reached
  /// its end.
  case mayLeave(Int)
  /// A write is about to be sent, once more perhaps.
  case sent(Attempt)
  /// A write was refused; its attempt is over.
  case refused(ItemID, Rejection)
  /// Nothing came of a write, or nobody asks any more: its attempt is over, and that it was refused.
  case ended(ItemID)
  /// What a command was told of an item; without a mark its file is there, or nothing is meant any more.
  case marked(ItemID, Mark?)
  /// The sides of an item's conflict lie beside each other; over when its row is the base.
  case laid(ItemID, Laid)

  /// The row.
  package var row: Row? {
    switch self {
    case .base(let row, _): row
    case .arrived(let arrival, _): arrival.row
    default: nil
    }
  }

  /// The row that is the base.
  package var base: Row? {
    guard case .base(let row, _) = self else { return nil }
    return row
  }

  /// The arrival.
  package var arrival: Arrival? {
    guard case .arrived(let arrival, _) = self else { return nil }
    return arrival
  }

  /// The same of a row, without the end of an attempt.
  var withoutEnd: Fact {
    switch self {
    case .base(let row, _): .base(row)
    case .arrived(let arrival, _): .arrived(arrival)
    default: self
    }
  }

  /// Returns the fact where a row of its id is known: its row says which versions were here before.
  package func over(_ known: Row?) -> Fact {
    guard let known else { return self }
    switch self {
    case .base(let row, let ends):
      return .base(row.following(known, isWritten: ends != nil), ends: ends)
    case .arrived(let arrival, let ends):
      let row = arrival.row.following(known, isWritten: arrival.isMine)
      return .arrived(
        Arrival(row, over: arrival.over, isMine: arrival.isMine, was: arrival.was), ends: ends)
    default: return self
    }
  }
}
