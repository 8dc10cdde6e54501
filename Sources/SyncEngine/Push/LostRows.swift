package import SyncModel

/// The rows of a table that its server has lost: they are known here, and the server lacks them, or has them in
/// states from before.
package struct LostRows: Equatable, Sendable {
  /// The table.
  package let table: TableName
  /// The items without a row, in the order of their ids.
  package private(set) var absent: [ItemID] = []
  /// The rows from before, in the same order.
  package private(set) var past: [Row] = []

  /// The lost rows of items that can't be sent: a conflict, a write or a newer row is open, or the file is
  /// invalid.
  package private(set) var unready: [ItemID] = []
  /// The anchors that the server has.
  private var anchors: [Anchor] = []

  /// Reads the whole table, and compares it with what is known.
  ///
  /// - Throws: ``Stop``.
  package init(
    of table: TableName, on disk: some Disk, from backend: inout some Backend
  ) throws {
    self.table = table
    let known = try Dictionary(
      disk.state(of: table).anchors.map { ($0.id, $0) }, uniquingKeysWith: { $1 })
    var doubtful = try Set(disk.liveIDs(in: table))
    let inOrder = backend.commitsInOrder
    try backend.pages(of: Feed(table), from: nil) { page in
      for row in page.rows {
        let standing = try disk.standing(of: row, ItemKey(table, row.id), inOrder: inOrder)
        if [.same, .newer].contains(standing) {
          doubtful.remove(row.id)
          anchors += [known[row.id]].compactMap(\.self)
        } else {
          doubtful.insert(row.id)
        }
      }
      return true
    }
    let ids = doubtful.sorted()
    let page = try backend.rows(ids, of: Feed(table))
    let rows = Dictionary(page.rows.map { ($0.id, $0) }, uniquingKeysWith: { $1 })
    let refused = Set(page.refused.compactMap(\.id))
    let standings = try rows.mapValues {
      try disk.standing(of: $0, ItemKey(table, $0.id), inOrder: inOrder)
    }
    let strange = standings.values.count { $0 == .strange }
    let isStrange = try strange > disk.mostStrange(in: table)
    for id in ids where !refused.contains(id.text) {
      let (key, row) = (ItemKey(table, id), rows[id])
      let client = try disk.client(key)
      switch standings[id] {
      case .older, .renumbered: break
      case .strange where isStrange: break
      // What is removed here, too, isn't lost.
      case nil where client != .absent: break
      default: continue
      }
      var isReady = try disk.isSettled(key)
      if case .invalid = client { isReady = false }
      if !isReady {
        unready.append(id)
      } else if let row {
        past.append(row)
      } else {
        absent.append(id)
      }
    }
  }

  /// Makes changes of them, which a push sends: inserts, and writes over what the server has now.
  ///
  /// They are meant, so that no guard asks. The next pull still misses what waits.
  package func claim(on disk: inout some Disk) throws {
    let marks = try past.compactMap { row -> Fact? in
      if row.deleted { return .marked(row.id, .undelete) }
      return try disk.base(of: ItemKey(table, row.id)).item == nil
        ? .marked(row.id, .removed()) : nil
    }
    let ids = Set(absent + past.map(\.id))
    let rejected = try disk.rejectedIDs(in: table).filter(ids.contains)
    try disk.append(
      marks + rejected.map(Fact.ended) + absent.map(Fact.forgot) + past.map { .base($0) }
        + [.anchors(anchors + unready.map { Anchor($0, since: 0) })], to: table, durably: true)
  }
}
