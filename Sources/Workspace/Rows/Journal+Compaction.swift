import SyncEngine
import SyncModel

extension Journal {
  /// A file of fewer bytes is not worth compacting.
  static let compactionSize = 1 << 20

  private typealias Line = (id: ItemID, entry: JournalEntry)

  /// Writes a new file where most of the lines say nothing any more.
  ///
  /// - Throws: ``WorkspaceError``: then the file is as it was.
  func compactIfDue() throws(WorkspaceError) {
    if log.size > Self.compactionSize, 2 * rows.usefulBytes < log.size { try compact() }
  }

  /// Writes a new file with the bases, the tombstones among them, the token, and all
  /// that is open, in one durable step.
  ///
  /// - Throws: ``WorkspaceError``: then the file is as it was.
  func compact() throws(WorkspaceError) {
    var bases: [Line] = []
    rows.forEach { id, entry in
      if let id = ItemID(id), !entry.isOver { bases.append((id, entry)) }
    }
    bases.sort { $0.entry.offset < $1.entry.offset }
    var compacted = JournalRows()
    try begin { writer throws(WorkspaceError) in
      for line in bases {
        let copy = try copy(line.entry, of: line.id, asBase: true, to: &writer)
        line.id.withBytes { compacted.add(base: copy, $0) }
      }
      try write(.taken(but: []), to: &writer)
      try copyArrivals(to: &writer, &compacted)
      // Arrivals end marks, too.
      for fact in rows.state.facts(in: table) { try write(fact, to: &writer) }
      compacted.state = rows.state
      // Behind the lines that end writes; a refusal ends one, too.
      for (id, entry) in rows.open.refusals.sorted(by: { $0.key < $1.key }) {
        compacted.add(refusal: try copy(entry, of: id, to: &writer), id)
      }
      for (id, entry) in rows.open.attempts.sorted(by: { $0.key < $1.key }) {
        compacted.add(attempt: try copy(entry, of: id, to: &writer), id)
      }
    }
    rows = compacted
    recent = [:]
  }

  private func write(_ fact: Fact, to writer: inout LogWriter) throws(WorkspaceError) {
    try writer.write(JournalLine.members(fact))
  }

  /// Copies a line; `asBase` one that has become the base, and says no more than that.
  private func copy(
    _ entry: JournalEntry, of id: ItemID, asBase: Bool = false, to writer: inout LogWriter
  ) throws(WorkspaceError) -> JournalEntry {
    let members = try log.line(
      at: entry.offset, length: Int(entry.length)
    ) { line throws(WorkspaceError) in
      guard asBase, case .row(let row)? = JournalLine(line, of: table) else {
        return Array(line.members)
      }
      return row.baseMembers
    }
    return JournalEntry(
      try writer.write(members), isTombstone: entry.isTombstone, digest: entry.digest)
  }

  /// Copies the open arrivals.
  private func copyArrivals(
    to writer: inout LogWriter, _ compacted: inout JournalRows
  ) throws(WorkspaceError) {
    for place in rows.arrivals.places {
      guard let open = rows.arrivals[place], let id = rows.arrivals.withName(place, ItemID.init)
      else { continue }
      let base = id.withBytes(rows.entry)
      let isOver = base?.offset == open.offset
      let copy = try copy(open, of: id, to: &writer)
      let new = rows.open.renames[id]
      id.withBytes { compacted.add(arrival: copy, isOver: isOver, $0, as: new) }
    }
  }
}
