package import SyncModel

/// A row that the next pull of its whole table must meet again.
package struct Anchor: Equatable, Sendable {
  /// Its id.
  package let id: ItemID
  /// When its newest state became known here, in seconds since 1970.
  package let since: Int64

  package init(_ id: ItemID, since: Int64) { (self.id, self.since) = (id, since) }
}

extension [Anchor] {
  /// Adds anchors, each id once; of very many the oldest go, but for the first, which is the last pull's.
  package mutating func add(_ new: [Anchor]) {
    let ids = Set(new.map(\.id))
    removeAll { ids.contains($0.id) }
    append(contentsOf: new)
    if count > 1_000 { removeSubrange(1...count - 1_000) }
  }
}

/// The newest rows that are known of a table, which a pull must meet again: a server that lacks one has lost it,
/// or a replica is late.
struct Anchors {
  /// Whether the server's times are in the order of its commits.
  private let inOrder: Bool
  /// The anchors as the pull finds them, their rows, and since when they are known.
  private let known: [Anchor]
  private let rows: [ItemID: Row]
  private var since: [ItemID: Int64]
  /// The rows that are still to be met.
  private var open: [ItemID: Row] = [:]
  /// Whether the server has a live one of them, or none was to be met.
  private var isProven = true
  /// The newest row that the pull has met.
  private var newest: Row?
  /// The anchors that the server has no trace of any more: they count as deleted.
  private(set) var absent: [ItemID] = []

  /// Reads the anchors of a table.
  init(of table: TableName, inOrder: Bool, on disk: some Disk) throws {
    self.inOrder = inOrder
    known = try disk.state(of: table).anchors
    since = Dictionary(known.map { ($0.id, $0.since) }, uniquingKeysWith: { $1 })
    rows = try known.reduce(into: [:]) { $0[$1.id] = try disk.newestRow(of: ItemKey(table, $1.id)) }
  }

  /// Expects the rows, or newer states of them.
  mutating func expect() { (open, isProven) = (rows, rows.isEmpty) }

  /// Whether a page may be taken: not before the anchors are met, if it goes past them.
  mutating func mayTake(_ page: Page) -> Bool {
    meet(page.rows)
    guard !open.isEmpty || !isProven else { return true }
    return !page.isLast
      && !page.rows.contains { row in open.values.allSatisfy { $0.isOlder(than: row) } }
  }

  /// Takes note of which of them some rows meet that the server has.
  private mutating func meet(_ rows: [Row]) {
    for row in rows {
      guard let known = open[row.id], row.meets(known, inOrder: inOrder) else { continue }
      open[row.id] = nil
      isProven = isProven || !known.isGone
    }
  }

  /// Takes note of the newest row, among some that are known.
  mutating func note(_ rows: [Row]) {
    for row in rows where row.updatedAt != nil && newest?.isOlder(than: row) != false {
      newest = row
    }
  }

  /// Returns what the next pull must meet again: the newest row, and what isn't met yet, or all that was known.
  func next(now: Int64, keepsAll: Bool) -> [Anchor] {
    let next = known.filter { (keepsAll || open[$0.id] != nil) && $0.id != newest?.id }
    guard let newest else { return next }
    let isKnown = newest.version != nil && newest.version == rows[newest.id]?.version
    return next + [Anchor(newest.id, since: isKnown ? since[newest.id] ?? now : now)]
  }

  /// Whether a replica may lack the newest row of an item.
  func mayBeLate(_ key: ItemKey, on disk: some Disk, now: Int64) throws -> Bool {
    try !inOrder && disk.mayBeLate(key, since: since[key.id], now: now)
  }

  /// Asks for those that no page has brought; returns whether the answers may be a late replica's.
  ///
  /// That a row is gone proves nothing: where all are, the newest of the others are asked for.
  ///
  /// - Throws: ``Stop/unsafe(_:)`` where the server has lost one.
  mutating func find(
    in table: TableName, now: Int64, on disk: some Disk, from backend: inout some Backend
  ) throws -> Bool {
    var isLate = false
    // Of many that a push has deleted, some are enough.
    for id in open.filter(\.value.isGone).keys.sorted().dropFirst(20) { open[id] = nil }
    for (id, known) in open.sorted(by: { $0.key < $1.key }) {
      let key = ItemKey(table, id)
      let reading = try backend.read(key)
      switch reading {
      case .refused: continue
      // Other servers may forget tombstones, too.
      case .absent where known.deleted && (known.isGone || !inOrder): continue
      case .absent: break
      case .row(let row):
        if row.version == known.version { note([row]) }
        meet([row])
        guard open[id] != nil else { continue }
        if row.standing(beside: known, inOrder: inOrder) == .renumbered {
          throw Stop.unsafe(.renumbered())
        }
      }
      if try mayBeLate(key, on: disk, now: now) {
        isLate = true
      } else if try reading == .absent && !inOrder && !disk.hasTombstone(in: table) {
        absent.append(id)
      } else {
        throw Stop.unsafe(.wentBack())
      }
    }
    open = [:]
    guard !isProven, !isLate else { return isLate }
    isProven = true
    let ids = try disk.knownIDs(in: table).union(disk.tombstoneIDs(in: table)).subtracting(absent)
    let others = try ids.sorted().compactMap { try disk.newestRow(of: ItemKey(table, $0)) }
      .filter { !$0.isGone }
    for row in others.sorted(by: { $1.isOlder(than: $0) }).prefix(5) {
      open[row.id] = row
      // They may be as new as the newest anchor.
      since[row.id] = known.map(\.since).max()
    }
    return try find(in: table, now: now, on: disk, from: &backend)
  }
}
