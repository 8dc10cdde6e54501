package import SyncModel

/// The interface of the engine to a server.
///
/// What is parallel lives behind it: it hands replies back in an order of its own.
package protocol Backend {
  /// Whether rows get their times in the order in which they become visible, and tombstones stay, as at
  /// tsync-server: a row in an older state than one that is known is no lagging replica's.
  var commitsInOrder: Bool { get }

  /// Makes sure that an operation can be sent.
  ///
  /// - Throws: `Refusal` where it can't be at all: no version to guard it, too large.
  func check(_ operation: Operation) throws

  /// Sends writes until there are no more, several at a time, each of another item.
  ///
  /// `next` gives the next write, which is durable, and what it does; `done` takes the reply. After a
  /// reply with a ``Reply/stop`` no further write is asked for. `meanwhile` is called while writes are under
  /// way: what takes time is done there rather than in `next`.
  mutating func send(
    next: () throws -> (Attempt, Operation)?, done: (Attempt, Reply) throws -> Void,
    meanwhile: () throws -> Void
  ) throws

  /// Reads one row, a tombstone included.
  ///
  /// - Throws: ``Stop``, where the reading failed.
  mutating func read(_ key: ItemKey) throws -> Reading

  /// Tells whether the server gives new rows of a table ids of its own: a row that isn't there under
  /// the id that was sent may be there under another one then.
  ///
  /// - Throws: ``Stop``, where it can't be asked.
  mutating func makesIDs(in table: TableName) throws -> Bool

  /// Brings the rows of a feed page by page, tombstones included, the oldest change first.
  ///
  /// It begins at the token, without one with everything; of ids with nothing but how far they have come.
  /// `each` takes a page, and answers whether to go on.
  ///
  /// - Throws: ``Stop``; ``QueryFault``; or what `each` throws.
  mutating func pages(
    of feed: Feed, from token: DeltaToken?, each: (Page) throws -> Bool
  ) throws

  /// Brings those of some rows that a feed has now, tombstones included.
  ///
  /// - Throws: ``Stop``.
  mutating func rows(_ ids: [ItemID], of feed: Feed) throws -> Page
}

/// What is wrong with one query, in words for people, while its table can be read.
package struct QueryFault: Error, Equatable, Sendable {
  /// The fact: lower case, no period.
  package let words: String

  package init(_ words: String) { self.words = words }
}

/// The result of reading one row.
package enum Reading: Equatable, Sendable {
  /// The row, or its tombstone.
  case row(Row)
  /// There is no such row and no tombstone, in a table that otherwise answers.
  case absent
  /// There is something that can't be taken for the row, or may not be read, in a table that otherwise
  /// answers; why, in words for people.
  case refused(String)
}

/// The rows of one answer.
package struct Page: Equatable, Sendable {
  /// The rows in their order; an id may stand twice, the later one counts.
  package var rows: [Row]
  /// What can't be a row.
  package var refused: [RefusedRow]
  /// How far this page brings the feed, rows that were refused not counted.
  package var token: DeltaToken?
  /// How many rows the pull has in all, where the server says so.
  package var total: Int?
  /// Whether no page follows.
  package var isLast: Bool
  /// What the server has not sent although it should have, in words for people.
  package var faults: [String] = []

  package init(
    rows: [Row], refused: [RefusedRow] = [], token: DeltaToken? = nil, total: Int? = nil,
    isLast: Bool = false
  ) {
    self.isLast = isLast
    self.rows = rows
    self.refused = refused
    self.token = token
    self.total = total
  }
}

extension Page {
  /// Returns the page with the rows of some ids refused, because no file here can be named by them.
  func refusing(_ isTooLong: (ItemID) -> Bool) -> Page {
    var page = self
    page.rows.removeAll { isTooLong($0.id) }
    page.refused += rows.filter { isTooLong($0.id) }.map {
      RefusedRow(text: $0.text, id: $0.id.text, reason: "the id is too long for a file name here")
    }
    return page
  }
}

/// A row of the server that is not valid.
package struct RefusedRow: Equatable, Sendable {
  /// Its text as received.
  package var text: [UInt8]
  /// Its id as far as there is one, for telling it.
  package var id: Text?
  /// Why it can't be a row, in words for people.
  package var reason: String

  package init(text: [UInt8], id: Text?, reason: String) {
    self.text = text
    self.id = id
    self.reason = reason
  }
}
