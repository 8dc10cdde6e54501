import SyncEngine
import SyncModel

extension BaseLog {
  /// A file of fewer bytes is not worth compacting.
  static let compactionSize = 1 << 20

  private typealias Line = (id: ItemID, entry: BaseLogEntry)

  /// Writes a new file where most of the lines say nothing any more.
  ///
  /// - Throws: ``WorkspaceError``: then the file is as it was.
  func compactIfDue() throws(WorkspaceError) {
    if log.size > Self.compactionSize, 2 * rows.usefulBytes < log.size { try compact() }
  }

  /// Writes a new file of the newest format with the bases, the tombstones among them, the token, and the
  /// open arrivals, in one durable step.
  ///
  /// - Throws: ``WorkspaceError``: then the file is as it was.
  func compact() throws(WorkspaceError) {
    var bases: [Line] = []
    rows.forEach { id, entry in
      if let id = ItemID(id), !entry.isOver { bases.append((id, entry)) }
    }
    bases.sort { $0.entry.offset < $1.entry.offset }
    var compacted = BaseRows()
    try begin { writer throws(WorkspaceError) in
      for line in bases {
        let copy = try copy(line.entry, of: line.id, to: &writer)
        line.id.withBytes { compacted.add(base: copy, $0) }
      }
      try write(.taken(but: []), to: &writer)
      if let token = rows.token {
        try write(.token(token), to: &writer)
        compacted.set(token)
      }
      let held = try copyArrivals(where: \.isHeld, to: &writer, &compacted)
      try write(.taken(but: held), to: &writer)
      compacted.take(but: held)
      _ = try copyArrivals(where: { !$0.isHeld }, to: &writer, &compacted)
    }
    rows = compacted
    recent = [:]
  }

  private func write(_ fact: Fact, to writer: inout LogWriter) throws(WorkspaceError) {
    try writer.write(BaseLogLine.members(fact))
  }

  /// Copies the line of a row; where a base lay in a line of its own, the row is the base once more.
  private func copy(
    _ entry: BaseLogEntry, of id: ItemID, to writer: inout LogWriter
  ) throws(WorkspaceError) -> BaseLogEntry {
    let members = try log.line(
      at: entry.offset, length: Int(entry.length)
    ) { line throws(WorkspaceError) in Array(line.members) }
    return BaseLogEntry(
      try writer.write(members), isTombstone: entry.isTombstone, digest: entry.digest)
  }

  /// Copies open arrivals, ahead of each the line that says what it is measured against; returns whose
  /// they are.
  private func copyArrivals(
    where isWanted: (ArrivalEntry) -> Bool, to writer: inout LogWriter,
    _ compacted: inout BaseRows
  ) throws(WorkspaceError) -> Set<ItemID> {
    var ids: Set<ItemID> = []
    for place in rows.arrivals.places {
      guard let open = rows.arrivals[place], isWanted(open),
        let id = rows.arrivals.withName(place, ItemID.init)
      else { continue }
      ids.insert(id)
      let base = id.withBytes(rows.entry)
      if let base, base.isOver, base.offset != open.entry.offset {
        let copy = try copy(base, of: id, to: &writer)
        id.withBytes { compacted.add(arrival: copy, isOver: true, $0) }
      }
      var isOver = base?.offset == open.entry.offset
      var copy: BaseLogEntry
      if let answer = try formerAnswer(open.entry, base, of: id) {
        isOver = true
        copy = BaseLogEntry(
          try writer.write(BaseLogLine.members(.arrived(answer))),
          isTombstone: open.entry.isTombstone)
      } else {
        copy = try self.copy(open.entry, of: id, to: &writer)
      }
      id.withBytes { compacted.add(arrival: copy, isOver: isOver, $0) }
    }
    return ids
  }

  /// Returns an arrival of format 1 as one that says itself that it answers a write: its base is what was
  /// sent, one unit of time before it; `nil` for any other.
  private func formerAnswer(
    _ entry: BaseLogEntry, _ base: BaseLogEntry?, of id: ItemID
  ) throws(WorkspaceError) -> Arrival? {
    guard log.header?.version == 1, let base, !base.isTombstone else { return nil }
    let sent = try row(at: base, as: id)
    let row = try arrival(at: entry, as: id).row
    guard sent.version != nil, sent.version == row.version, let time = sent.updatedAt,
      row.updatedAt == Timestamp(ticks: time.ticks + 1)
    else { return nil }
    return Arrival(row, over: sent.item, isMine: true)
  }
}
