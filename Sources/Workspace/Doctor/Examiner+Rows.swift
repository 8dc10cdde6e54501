import SyncEngine
import SyncModel

// I5, I9, I10 and I11: the rows, and what the index says of them and of the items.
extension Examiner {
  /// Looks at one table.
  mutating func examine(_ table: TableName) {
    let place = "\(Layout.base)/\(Layout.baseLog(of: table))"
    attempt(.baseRows, at: place, .forget(table)) { examiner throws(WorkspaceError) in
      let base = try examiner.openBase(table, index: nil)
      let newest = try examiner.examineRows(of: base)
      examiner.examineTail(base.tail, of: place, .baseRows)
      examiner.examineToken(of: base, newest, place)
      try examiner.examineAttempts(of: base, place)
      examiner.rows[table] = base
    }
    attempt(.items, at: "\(Layout.items)/\(table)") { examiner throws(WorkspaceError) in
      try examiner.examineItems(in: table)
    }
  }

  private func openBase(
    _ table: TableName, index: IndexedTable?
  ) throws(WorkspaceError) -> BaseLog {
    try BaseLog(
      table, in: root.existingChild(Layout.base), writing: false, trash: trash, index: index)
  }

  /// Reads every row, in effect or waiting; returns the time of the newest, `nil` where that can't be
  /// told.
  ///
  /// I5: a row is JSON, a row, and the one and the tombstone that the quick look at its line takes it
  /// for. A row without a version is allowed, and so is a tombstone.
  private mutating func examineRows(of base: BaseLog) throws(WorkspaceError) -> Timestamp? {
    var entries: [(ItemID, BaseLogEntry)] = []
    var nameless = 0
    base.rows.forEach { id, entry in
      if let id = ItemID(id) { entries.append((id, entry)) } else { nameless += 1 }
    }
    guard nameless == 0 else {
      throw .damaged(
        place: "\(Layout.base)/\(Layout.baseLog(of: base.table))", line: nil,
        fact: "a row has no id")
    }
    var newest: Timestamp?
    var isKnown = true
    for (id, entry) in entries {
      let row = try base.row(at: entry, as: id)
      guard row.deleted == entry.isTombstone else {
        throw .damaged(
          place: "\(Layout.base)/\(Layout.baseLog(of: base.table))", line: nil,
          fact: "the row '\(id)' and its log line disagree about 'deleted'")
      }
      // A row that vanished without a tombstone took its time along.
      if row.deleted, row.version == nil { isKnown = false }
      if let time = row.updatedAt { newest = max(newest ?? time, time) }
    }
    for row in try base.arrivals().map(\.row) {
      if let time = row.updatedAt { newest = max(newest ?? time, time) }
    }
    for (key, conflict) in journal?.conflicts ?? [:] where key.table == base.table {
      if let time = conflict.server.updatedAt { newest = max(newest ?? time, time) }
    }
    return isKnown && journal != nil ? newest : nil
  }

  /// I10, told and never mended: a pull checks its token by itself.
  private mutating func examineToken(of base: BaseLog, _ newest: Timestamp?, _ place: String) {
    let times = base.rows.tokens.values.map(\.timestamp)
    // The newest row of a query may have left it.
    let whole = base.rows.tokens.filter { $0.key.query == nil }.values.map(\.timestamp)
    if times.contains(nil) {
      add(.token, at: place, "the delta token is not a time: the next pull reads all rows", .note)
    } else if let newest, whole.contains(where: { $0.map { newest < $0 } ?? false }) {
      add(
        .token, at: place,
        "the delta token is later than every row", .note,
        hint: "to read all rows: \(typed: "pull", "--full")")
    }
  }

  // MARK: The index

  /// I9: opens the table once more by the index, and compares.
  mutating func examineIndex(of table: TableName, items: Directory?, truth: [Candidate]) {
    guard let index = StatIndex(in: root, started: started)?.table(table) else { return }
    attempt(.index, at: StatIndex.name) { examiner throws(WorkspaceError) in
      guard let base = examiner.rows[table] else { return }
      if base.generation.isEmpty {
        return examiner.add(
          .baseRows, at: "\(Layout.base)/\(Layout.baseLog(of: table))",
          "is missing (the last known rows of the server): the next pull reads all rows", .note)
      }
      do throws(WorkspaceError) {
        let cached = try examiner.openBase(table, index: index)
        guard cached.rows.known != nil else { return }
        var truth = truth
        // A file that is saved at this moment may show between the two looks: then look again.
        for _ in 0..<3 {
          var scanner = Scanner(of: cached, in: items, at: examiner.clock())
          try scanner.run()
          if scanner.candidates == truth, cached.rows.isSame(as: base.rows) { return }
          truth = try examiner.candidates(of: base, in: items)
        }
      } catch {
        guard case .damaged = error else { throw error }
      }
      examiner.add(
        .index, at: StatIndex.name, "does not match the files of \(table)", .mendable, .dropIndex)
    }
  }

  /// Reads every item of a table and returns what differs from its base.
  func candidates(
    of base: BaseLog, in items: Directory?
  ) throws(WorkspaceError) -> [Candidate] {
    var scanner = Scanner(of: base, in: items, at: clock())
    try scanner.run()
    return scanner.candidates
  }
}

extension BaseRows {
  /// Whether two readings of a log came to the same, whatever an index told them.
  fileprivate func isSame(as other: BaseRows) -> Bool {
    guard tokens == other.tokens, measure == other.measure, open == other.open,
      mayLeave == other.mayLeave,
      liveCount == other.liveCount,
      effectiveBytes == other.effectiveBytes
    else { return false }
    return places == other.places && waiting == other.waiting
  }

  private var places: [ItemID?: Int] {
    var places: [ItemID?: Int] = [:]
    forEach { places[ItemID($0)] = $1.offset }
    return places
  }

  private var waiting: [ItemID?: Int] {
    var waiting: [ItemID?: Int] = [:]
    for place in arrivals.places {
      guard let entry = arrivals[place] else { continue }
      waiting[arrivals.withName(place, ItemID.init)] = entry.offset
    }
    return waiting
  }
}
