package import SyncModel

/// The sides of a conflict as they were laid beside each other.
package struct Laid: Equatable, Sendable {
  /// The fingerprint of the item's file; `nil` where it was absent.
  package var file: Digest?
  /// The fingerprint of the server's row; `nil` where that was lost.
  package var row: Digest?

  package init(file: Digest?, row: Digest?) {
    (self.file, self.row) = (file, row)
  }
}

/// What the lines of a table's journal add up to, beside its rows and writes.
package struct TableState: Equatable, Sendable {
  /// How far the pulls of each feed have come, with the filter that it has.
  package var tokens: [Feed: DeltaToken] = [:]
  /// How many items deletes are measured by, while no pull has reached its end since that was said.
  package var measure: Int?
  /// Whether a pull has ever reached its end, as far as the log goes.
  package var isPulled = false
  /// How many rows may leave the queries by somebody's word, so that no guard counts them.
  package var mayLeave = 0
  /// The items that have left the queries, and haven't gone yet.
  package var left: Set<ItemID> = []
  /// The rows that the next pull of the whole table must meet again: the newest that the last one has brought,
  /// and what pushes have written since.
  package var anchors: [Anchor] = []
  /// What commands were told of items.
  package var marks = Marks()
  /// The conflicts whose sides lie beside each other; each is one while its row waits.
  package var laid: [ItemID: Laid] = [:]

  /// Makes the state of an empty log.
  package init() {}

  /// The feeds that have a token.
  package var feeds: [Feed] { tokens.keys.sorted { $0.query ?? "" < $1.query ?? "" } }

  /// Adds what a line says; that of a row only as far as it stands here.
  package mutating func add(_ fact: Fact) {
    switch fact {
    case .base(let row, let ends):
      add(row.id, isTombstone: row.deleted, isBase: true, isAnswer: ends != nil)
    case .arrived(let arrival, let ends):
      let (row, isAnswer) = (arrival.row, arrival.was != nil || ends != nil)
      add(row.id, isTombstone: row.deleted, isBase: false, isAnswer: isAnswer)
    case .token(let feed, let token, let count):
      tokens = tokens.filter { $0.key.query != feed.query }
      tokens[feed] = token
      measure = count ?? measure
    case .pulled:
      isPulled = true
      (measure, mayLeave) = (nil, 0)
    case .left(let id): left.insert(id)
    case .back(let id): left.remove(id)
    case .forgot(let id):
      left.remove(id)
      marks[id] = nil
      laid[id] = nil
    case .anchors(let next): anchors = next
    case .learnt(let new): anchors.add(new)
    case .mayLeave(let count): mayLeave += count
    case .marked(let id, let mark): marks[id] = mark
    case .laid(let id, let sides): laid[id] = sides
    case .taken, .sent, .refused, .ended: break
    }
  }

  /// Returns the lines that say the same, in the journal of a table.
  package func facts(in table: TableName) -> [Fact] {
    var facts: [Fact] = isPulled ? [.pulled] : []
    // A measure stands in the line of a token; where there is no token, in one that says so.
    facts += tokens.isEmpty && measure != nil ? [.token(Feed(table), nil, of: measure)] : []
    facts += feeds.map { .token($0, tokens[$0], of: measure) }
    facts += anchors.isEmpty ? [] : [.anchors(anchors)]
    facts += mayLeave > 0 ? [.mayLeave(mayLeave)] : []
    facts += left.sorted().map { .left($0) }
    facts += marks.all.sorted { $0.key < $1.key }.map { .marked($0.key, $0.value) }
    return facts + laid.sorted { $0.key < $1.key }.map { .laid($0.key, $0.value) }
  }

  /// Whether no row changes it.
  package var speaksOfNone: Bool { marks.isEmpty && laid.isEmpty }

  /// Adds what the line of a row says: the row is the base, or answers a write.
  package mutating func add(_ id: ItemID, isTombstone: Bool, isBase: Bool, isAnswer: Bool) {
    if isAnswer { marks.end(id, withDeleted: isTombstone) }
    if isBase { laid[id] = nil }
  }

  /// Notes that the row of an open arrival is the base; `former` is the item's id where that was another one.
  package mutating func took(_ id: ItemID, from former: ItemID? = nil) {
    laid[id] = nil
    if let former { marks.rename(former, to: id) }
  }
}
