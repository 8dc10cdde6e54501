import SyncModel

/// The server's rows of one table as last seen, and how far the table's pulls have come: an
/// append-only file that says itself how far it is in effect.
///
/// ```
///   {"h":"tsync-base",…,"table":"todoitem","generation":"52c0…","crc":"…"}
///   {"n":1,"d":0,"row":{…},"crc":"…"}               in effect when a commit follows
///   {"n":2,"d":0,"row":{…},"crc":"…"}
///   {"n":3,"d":2,"commit":1,"query":"","token":"…","held":["b"],"crc":"…"}
///   {"n":4,"d":3,"by":"push","row":{…},"crc":"…"}   in effect at once
/// ```
///
/// A commit brings the rows since the commit before it into effect, but for those it holds back.
/// What was held back waits until a newer row of its id comes. Token and rows lie in one file and
/// can't disagree.
///
/// In memory are ids and places only; a row is read when it is asked for. What the stat index knows
/// of the file is not read at all.
///
/// It is a class because it owns an open file.
final class BaseLog {
  /// What the header of the file says it is.
  static let kind: Text = "tsync-base"
  /// A file of fewer bytes is not worth compacting.
  static let compactionSize = 1 << 20

  /// The table.
  let table: TableName
  /// Which file this is: random, another one with each compaction; empty while there is none.
  private(set) var generation: Text = ""
  /// What the file's lines add up to.
  private(set) var rows = BaseRows()

  private let log: Log
  /// Whether there was no file, though the index knows of one.
  private var isLost = false
  /// The rows of the last append, by which a file that was just written is known to mean one.
  private var recent: [ItemID: Row] = [:]

  /// Opens a table's log, and reads what the index doesn't know.
  ///
  /// A file that isn't there is a table of which nothing was ever seen.
  ///
  /// - Parameters:
  ///   - table: The table.
  ///   - directory: The directory of all base logs; `nil` where there is none.
  ///   - writing: Whether the caller has the lock.
  ///   - trash: What takes the bytes that are cut off.
  ///   - index: What the stat index knows of the table, where it knows it.
  /// - Throws: ``WorkspaceError``: a failed call, damage, a newer format.
  init(
    _ table: TableName, in directory: Directory?, writing: Bool, trash: Trash, index: IndexedTable?
  ) throws(WorkspaceError) {
    self.table = table
    log = try Log(
      opening: Layout.baseLog(of: table), in: directory, kind: Self.kind, writing: writing,
      trash: trash)
    guard let header = log.header else {
      isLost = index != nil
      return
    }
    guard header.extra["table"]?.text == table.text,
      let generation = header.extra["generation"]?.text
    else { throw LogHeader.damage(log.place) }
    self.generation = generation
    var start: LogPosition?
    if let index, index.generation == generation, try log.vouches(for: index.position) {
      start = index.position
      rows = BaseRows(index)
    }
    try log.read(after: start) { line throws(WorkspaceError) in try take(line) }
  }

  /// Where the file's lines end.
  var position: LogPosition { log.position }

  /// How many bytes a crash left behind them.
  var tail: Int { log.tail }

  /// What a person should know: what was cut off, or is gone.
  var notices: [String] {
    guard isLost, log.isNew else { return log.notices }
    return log.notices + [Layout.isGone(log.place)]
  }

  // MARK: Reading

  private func take(_ line: LogLine) throws(WorkspaceError) {
    switch BaseLogLine(line) {
    case .row(let text, let atOnce, let former):
      let place = line.offset..<line.offset + line.length
      if let sketch = RowSketch(text) {
        rows.add(sketch.id, BaseLogEntry(place, isTombstone: sketch.isTombstone), atOnce: atOnce)
      } else {
        add(try row(in: text, former, at: line.offset), at: place, atOnce: atOnce)
      }
    case .commit(let number, let token, let held):
      rows.add(commit: number, token: token, held: Set(held))
    case nil:
      throw damage(at: line.offset, "it is neither a row nor a commit")
    }
  }

  private func add(_ row: Row, at place: Range<Int>, atOnce: Bool) {
    row.id.withBytes {
      rows.add($0, BaseLogEntry(place, isTombstone: row.deleted), atOnce: atOnce)
    }
  }

  private func row(
    in text: UnsafeRawBufferPointer, _ former: UnsafeRawBufferPointer?, at offset: Int
  ) throws(WorkspaceError) -> Row {
    let text = Array(text)
    guard let object = (try? JSON(parsing: text))?.object, var row = try? Row(object, text: text)
    else { throw damage(at: offset, "it contains no row") }
    row.former = former.flatMap { try? JSON(parsing: Array($0)).text }.flatMap(Version.init)
    return row
  }

  private func damage(at offset: Int, _ fact: String) -> WorkspaceError {
    .damaged(place: log.place, line: nil, fact: "the line at byte \(offset): \(fact)")
  }

  /// Returns what is known of a row.
  ///
  /// - Throws: ``WorkspaceError``: a failed call, damage.
  func base(of id: ItemID) throws(WorkspaceError) -> Base {
    guard let entry = id.withBytes(rows.entry(of:)) else { return .neverSeen }
    return Base(try row(at: entry, as: id))
  }

  /// Reads a row.
  ///
  /// - Throws: ``WorkspaceError/damaged(place:line:fact:)`` where another row lies there.
  func row(at entry: BaseLogEntry, as id: ItemID) throws(WorkspaceError) -> Row {
    let row = try row(at: entry)
    guard row.id == id else {
      throw damage(at: entry.offset, "it contains a row other than '\(id)'")
    }
    return row
  }

  private func row(at entry: BaseLogEntry) throws(WorkspaceError) -> Row {
    try withText(at: entry) { text, former throws(WorkspaceError) in
      try row(in: text, former, at: entry.offset)
    }
  }

  private func withText<Result>(
    at entry: BaseLogEntry,
    _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer?) throws(WorkspaceError) -> Result
  ) throws(WorkspaceError) -> Result {
    try log.line(at: entry.offset, length: Int(entry.length)) { line throws(WorkspaceError) in
      guard case .row(let text, _, let former) = BaseLogLine(line) else {
        throw damage(at: entry.offset, "it contains no row")
      }
      return try body(text, former)
    }
  }

  /// Returns the line of a row with the version that it replaces.
  private func line(of row: Row, atOnce: Bool) -> [UInt8] {
    // Over a line that can't be read a row is appended all the same.
    let base = (try? base(of: row.id))?.row
    let former = base.flatMap { row.replaced($0) }
    return BaseLogLine.members(
      row.text, atOnce: atOnce, former: former.map { JSON.string($0.text).encoded() })
  }

  /// Returns the rows that are not in effect.
  ///
  /// - Throws: ``WorkspaceError``: a failed call, damage.
  func incomingRows() throws(WorkspaceError) -> [Row] {
    var found: [Row] = []
    for place in rows.incoming.places {
      if let waiting = rows.incoming[place] { found.append(try row(at: waiting.entry)) }
    }
    return found.sorted { $0.id < $1.id }
  }

  /// Returns the row of an id that a stopped pull has left, or `evenHeld` back by something of the
  /// user's; `nil` where there is none.
  ///
  /// - Throws: ``WorkspaceError``: a failed call, damage.
  func incomingRow(of id: ItemID, evenHeld: Bool) throws(WorkspaceError) -> Row? {
    let entry = id.withBytes { bytes in
      rows.incoming.place(of: bytes).flatMap { rows.incoming[$0] }
    }
    guard let entry, evenHeld || !entry.isHeld else { return nil }
    return try row(at: entry.entry, as: id)
  }

  // MARK: Writing

  /// Appends rows; with `atOnce` they are in effect, otherwise they wait for a commit.
  ///
  /// Ahead of them, by the same write, go `bases`, which are in effect. With `durably`, all survive a
  /// power loss when this returns.
  ///
  /// - Throws: ``WorkspaceError``: then none was appended.
  func append(
    _ news: [Row], over bases: [Row] = [], atOnce: Bool, durably: Bool
  ) throws(WorkspaceError) {
    guard !news.isEmpty else { return }
    if log.isNew { try begin() }
    let places = try log.append(
      bases.map { line(of: $0, atOnce: true) } + news.map { line(of: $0, atOnce: atOnce) })
    for (row, place) in zip(bases, places) { add(row, at: place, atOnce: true) }
    for (row, place) in zip(news, places[bases.count...]) { add(row, at: place, atOnce: atOnce) }
    recent = Dictionary(news.map { ($0.id, $0) }, uniquingKeysWith: { $1 })
    if durably { try log.synchronize() }
  }

  /// Brings the rows since the last commit into effect, but for those held back, and moves the
  /// token; it survives a power loss.
  ///
  /// A token of `nil` leaves it where it is.
  ///
  /// - Throws: ``WorkspaceError``: then nothing is in effect, or a power loss may take it back.
  func commit(token: DeltaToken?, held: Set<ItemID>) throws(WorkspaceError) {
    let uncommitted = rows.uncommitted
    guard !uncommitted.isEmpty || token != nil && token != rows.token else { return }
    if log.isNew { try begin() }
    let held = uncommitted.filter(held.contains)
    let number = rows.commitNumber + 1
    try log.append([BaseLogLine.members(commit: number, token: token, held: held)])
    // The line is in the file: what is known of it, and goes into the index, has to say the same.
    rows.add(commit: number, token: token, held: Set(held))
    try log.synchronize()
    if log.size > Self.compactionSize, 2 * rows.usefulBytes < log.size { try compact() }
  }

  /// Makes all lines so far survive a power loss.
  ///
  /// - Throws: ``WorkspaceError``: a failed call.
  func synchronize() throws(WorkspaceError) { try log.synchronize() }

  /// Forgets everything: a new file without a row, in one durable step.
  ///
  /// - Throws: ``WorkspaceError``: then nothing was forgotten.
  func forget() throws(WorkspaceError) {
    guard !log.isNew else { return }
    try begin()
    rows = BaseRows()
    recent = [:]
  }

  /// Takes note that a file was written: of its bytes need not be asked again whether they mean what
  /// the row says.
  func wrote(_ item: Item, digest: Digest, as id: ItemID) {
    guard let row = recent[id], !row.deleted, row.item == item else { return }
    rows.note(digest, of: id)
  }

  /// Takes note of bytes that were found to mean what a row in effect says; returns the row's place
  /// in ``BaseRows/newer``.
  func learn(_ digest: Digest, of id: ItemID, at entry: BaseLogEntry) -> Int {
    rows.learn(digest, of: id, at: entry)
  }

  /// Begins a new file, with another generation.
  private func begin(
    _ fill: (inout LogWriter) throws(WorkspaceError) -> Void = { _ in }
  ) throws(WorkspaceError) {
    let generation = LogHeader.randomText()
    var extra = JSONObject()
    extra.append("table", .string(table.text))
    extra.append("generation", .string(generation))
    try log.create(extra: extra, fill)
    self.generation = generation
  }

  // MARK: Compaction

  /// Writes a new file with the rows in effect, the tombstones among them, the token, and the rows
  /// held back, in one durable step.
  ///
  /// There must be no row that no commit has followed.
  ///
  /// - Throws: ``WorkspaceError``: then the file is as it was.
  func compact() throws(WorkspaceError) {
    var entries: [(id: ItemID, entry: BaseLogEntry)] = []
    rows.forEach { id, entry in
      if let id = ItemID(id) { entries.append((id, entry)) }
    }
    entries.sort { $0.entry.offset < $1.entry.offset }
    var compacted = BaseRows()
    try begin { writer throws(WorkspaceError) in
      for (id, entry) in entries { try copy(id, entry, to: &writer, &compacted) }
      try commit(token: rows.token, held: [], to: &writer, &compacted)
      // The rows held back come behind a commit of their own, so that they don't push aside those
      // of their ids that are in effect.
      var held: [ItemID] = []
      for place in rows.incoming.places {
        guard let entry = rows.incoming[place]?.entry,
          let id = rows.incoming.withName(place, ItemID.init)
        else { continue }
        try copy(id, entry, to: &writer, &compacted)
        held.append(id)
      }
      if !held.isEmpty { try commit(token: nil, held: held, to: &writer, &compacted) }
    }
    rows = compacted
    recent = [:]
  }

  private func copy(
    _ id: ItemID, _ entry: BaseLogEntry, to writer: inout LogWriter, _ compacted: inout BaseRows
  ) throws(WorkspaceError) {
    let members = try withText(at: entry) { text, former in
      BaseLogLine.members(text, atOnce: false, former: former)
    }
    let copy = BaseLogEntry(
      try writer.write(members), isTombstone: entry.isTombstone, digest: entry.digest)
    id.withBytes { compacted.add($0, copy, atOnce: false) }
  }

  private func commit(
    token: DeltaToken?, held: [ItemID], to writer: inout LogWriter, _ compacted: inout BaseRows
  ) throws(WorkspaceError) {
    let number = max(rows.commitNumber, compacted.commitNumber) + 1
    try writer.write(BaseLogLine.members(commit: number, token: token, held: held))
    compacted.add(commit: number, token: token, held: Set(held))
  }
}
