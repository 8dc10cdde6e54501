import SyncEngine
import SyncModel

/// The journal of a table: an append-only file of the rows as last seen, how far the table's pulls have come, and
/// all that is in flight, refused, waiting or in conflict (tsync-log-format(5)).
///
/// ```
///   {"h":"tsync-journal",…,"table":"todoitem","generation":"52c0…","crc":"…"}
///   {"n":1,"d":0,"row":{…},"crc":"…"}               an arrival
///   {"n":2,"d":0,"row":{…},"crc":"…"}
///   {"n":3,"d":2,"taken":true,"but":["b"],"crc":"…"}   arrivals are bases
///   {"n":4,"d":2,"token":"…","crc":"…"}
///   {"n":5,"d":4,"by":"push","row":{…},"crc":"…"}   a base at once
/// ```
///
/// In memory are ids and places only; a row is read when it is asked for. What the stat index knows
/// of the file is not read at all.
///
/// It is a class because it owns an open file.
final class Journal {
  /// What the header of the file says it is.
  static let kind = LogKind("tsync-journal", version: 5)
  /// The table.
  let table: TableName
  /// Which file this is: random, another one with each compaction; empty while there is none.
  private(set) var generation: Text = ""
  /// What the file's lines add up to.
  var rows = JournalRows()

  /// Lines with rows that were read a moment ago, by their places: a pull asks for each several times.
  private var lately: [Range<Int>: Arrival] = [:]
  private var latelySize = 0

  let log: Log
  /// Whether there was no file, though the index knows of one.
  private var isLost = false
  /// The rows of the last append, or that have arrived since one without arrivals: by them a file that was
  /// just written is known to mean one.
  var recent: [ItemID: Arrival] = [:]

  /// Opens a table's journal, and reads what the index doesn't know.
  ///
  /// A file that isn't there is a table of which nothing was ever seen.
  ///
  /// - Parameters:
  ///   - table: The table.
  ///   - directory: The directory of all journals; `nil` where there is none.
  ///   - writing: Whether the caller has the lock.
  ///   - trash: What takes the bytes that are cut off.
  ///   - index: What the stat index knows of the table, where it knows it.
  /// - Throws: ``WorkspaceError``: a failed call, damage, another format.
  init(
    _ table: TableName, in directory: Directory?, writing: Bool, trash: Trash, index: IndexedTable?
  ) throws(WorkspaceError) {
    self.table = table
    log = try Log(
      opening: Layout.journal(of: table), in: directory, kind: Self.kind, writing: writing,
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
      rows = JournalRows(index)
    }
    try log.read(after: start) { line throws(WorkspaceError) in try take(line) }
  }

  /// Where the file's lines end.
  var position: LogPosition { log.position }

  /// How many bytes a crash left behind them.
  var tail: Int { log.tail }

  /// What a person should know: what was cut off, or is gone.
  var notices: [String] {
    guard isLost else { return log.notices }
    return log.notices + [Layout.isGone(log.place)]
  }

  // MARK: Reading

  private func take(_ line: LogLine) throws(WorkspaceError) {
    let place = line.offset..<line.offset + line.length
    switch JournalLine(line, of: table) {
    case .row(let found):
      var ended: ItemID?
      if let ends = found.ends {
        let id = try id(in: ends, at: line.offset)
        rows.end(id)
        ended = id
      }
      if let sketch = RowSketch(found.row) {
        if let id = rows.state.speaksOfNone ? nil : ItemID(sketch.id) {
          rows.state.add(
            id, isTombstone: sketch.isTombstone, isBase: found.isBase, isAnswer: ended != nil)
        }
        let entry = JournalEntry(place, isTombstone: sketch.isTombstone)
        if found.isBase {
          rows.add(base: entry, sketch.id)
        } else if let ended, let id = ItemID(sketch.id), ended != id {
          ended.withBytes { rows.add(arrival: entry, isOver: found.over != nil, $0, as: id) }
        } else {
          rows.add(arrival: entry, isOver: found.over != nil, sketch.id)
        }
      } else {
        let arrival = try arrival(in: found, at: line.offset)
        add(
          found.isBase ? .base(arrival.row, ends: ended) : .arrived(arrival, ends: ended), at: place
        )
      }
    case .fact(let fact): add(fact, at: place)
    case .sent(let id): rows.add(attempt: JournalEntry(place, isTombstone: false), id)
    case .refused(let id): rows.add(refusal: JournalEntry(place, isTombstone: false), id)
    case nil:
      throw damage(at: line.offset, "it is not a line of a journal")
    }
  }

  private func add(_ fact: Fact, at place: Range<Int>) {
    rows.state.add(fact)
    switch fact {
    case .base(let row, let ends):
      if let ends { rows.end(ends) }
      row.id.withBytes { rows.add(base: JournalEntry(place, isTombstone: row.deleted), $0) }
    case .arrived(let arrival, let ends):
      if let ends = arrival.was ?? ends { rows.end(ends) }
      let entry = JournalEntry(place, isTombstone: arrival.row.deleted)
      let new = arrival.was == nil ? nil : arrival.row.id
      arrival.id.withBytes { rows.add(arrival: entry, isOver: arrival.over != nil, $0, as: new) }
    case .taken(let ids): rows.take(but: ids)
    case .forgot(let id): rows.forget(id)
    case .sent(let attempt):
      rows.add(attempt: JournalEntry(place, isTombstone: false), attempt.key.id)
    case .refused(let id, _): rows.add(refusal: JournalEntry(place, isTombstone: false), id)
    case .ended(let id): rows.end(id)
    case .token, .pulled, .left, .back, .anchors, .learnt, .mayLeave, .marked, .laid: break
    }
  }

  func id(
    in text: UnsafeRawBufferPointer, at offset: Int
  ) throws(WorkspaceError) -> ItemID {
    guard let id = (try? JSON(parsing: Array(text)))?.text.flatMap({ try? ItemID($0) }) else {
      throw damage(at: offset, "it ends a write of no item")
    }
    return id
  }

  private func arrival(
    in line: JournalLine.RowLine, at offset: Int
  ) throws(WorkspaceError) -> Arrival {
    func json(_ text: UnsafeRawBufferPointer?) -> JSON? {
      text.flatMap { try? JSON(parsing: Array($0)) }
    }
    let text = Array(line.row)
    guard let object = (try? JSON(parsing: text))?.object, var row = try? Row(object, text: text)
    else { throw damage(at: offset, "it contains no row") }
    row.had = (json(line.had)?.elements ?? []).compactMap { $0.text.flatMap(Version.init) }
    let ends = json(line.ends)?.text.flatMap { try? ItemID($0) }
    return Arrival(
      row, over: json(line.over)?.object.map { Item($0) }, isMine: line.isMine,
      was: ends == row.id ? nil : ends)
  }

  func damage(at offset: Int, _ fact: String) -> WorkspaceError {
    .damaged(place: log.place, line: nil, fact: "the line at byte \(offset): \(fact)")
  }

  /// Returns what is known of a row.
  ///
  /// - Throws: ``WorkspaceError``: a failed call, damage.
  func base(of id: ItemID) throws(WorkspaceError) -> Base {
    guard let entry = id.withBytes(rows.entry(of:)) else { return .neverSeen }
    return Base(try row(at: entry, as: id))
  }

  /// Reads a row, or what that is measured against.
  ///
  /// - Throws: ``WorkspaceError/damaged(place:line:fact:)`` if the line has another row.
  func row(at entry: JournalEntry, as id: ItemID) throws(WorkspaceError) -> Row {
    let arrival = try arrival(at: entry, as: id)
    return entry.isOver ? arrival.base ?? arrival.row : arrival.row
  }

  func arrival(
    at entry: JournalEntry, as id: ItemID
  ) throws(WorkspaceError) -> Arrival {
    let place = entry.offset..<entry.offset + Int(entry.length)
    if let known = lately[place], [known.id, known.row.id].contains(id) { return known }
    let found = try log.line(
      at: entry.offset, length: Int(entry.length)
    ) { line throws(WorkspaceError) in
      guard case .row(let line) = JournalLine(line, of: table) else {
        throw damage(at: entry.offset, "it contains no row")
      }
      return try arrival(in: line, at: entry.offset)
    }
    guard [found.id, found.row.id].contains(id) else {
      throw damage(at: entry.offset, "it contains a row other than '\(id)'")
    }
    if lately.count == 4_096 || latelySize > 1 << 20 { (lately, latelySize) = ([:], 0) }
    lately[place] = found
    latelySize += Int(entry.length)
    return found
  }

  /// Returns the open arrival of an id; `nil` where there is none.
  ///
  /// - Throws: ``WorkspaceError``: a failed call, damage.
  func arrival(of id: ItemID) throws(WorkspaceError) -> Arrival? {
    try rows.arrivals[id].map { open throws(WorkspaceError) in try arrival(open, of: id) }
  }

  private func arrival(_ open: JournalEntry, of id: ItemID) throws(WorkspaceError) -> Arrival {
    if let arrival = recent[id] { return arrival }
    return try arrival(at: open, as: id)
  }

  // MARK: Writing

  /// Appends facts, by one write; with `durably`, all lines so far survive a power loss when this returns.
  ///
  /// That everything which is open stays so isn't written again.
  ///
  /// - Throws: ``WorkspaceError``: then none was appended.
  func append(_ facts: [Fact], durably: Bool) throws(WorkspaceError) {
    var facts = facts
    if case .taken(let ids)? = facts.first, rows.areOpen(noneBut: ids) { facts.removeFirst() }
    if !facts.isEmpty {
      if log.isNew { try begin() }
      facts = try facts.map(completed)
      let places = try log.append(facts.map(JournalLine.members))
      // The lines are in the file: what is known of it, and goes into the index, has to say the same.
      for (fact, place) in zip(facts, places) { add(fact, at: place) }
      // What has arrived is asked for when it is brought to its item.
      if !facts.contains(where: { $0.arrival != nil }) { recent = [:] }
      for fact in facts {
        if let arrival = fact.arrival ?? fact.row.map({ Arrival($0) }) {
          recent[arrival.id] = arrival
        }
      }
    }
    if durably { try log.synchronize() }
  }

  /// Returns a fact that says what is known: which versions were here before its row, and what an arrival takes
  /// over from the one that is open.
  private func completed(_ fact: Fact) throws(WorkspaceError) -> Fact {
    guard let row = fact.row else { return fact }
    let was = rows.open.renames.first { $0.value == row.id }?.key
    var fact = fact
    // Of a tombstone the base says whether its row was live here. Over a line that can't be read a row is
    // appended all the same.
    if row.had.isEmpty {
      let arrived = row.deleted ? nil : (try? self.arrival(of: was ?? row.id))?.row
      fact = fact.over(arrived ?? (try? base(of: row.id))?.row)
    }
    guard case .arrived(let arrival, let ends) = fact else { return fact }
    let older = try self.arrival(of: was ?? row.id)
    return .arrived(arrival.following(older?.row.id == row.id ? older : nil), ends: ends)
  }

  /// Forgets everything: a new file without a row, in one durable step.
  ///
  /// - Throws: ``WorkspaceError``: then nothing was forgotten.
  func forget() throws(WorkspaceError) {
    guard !log.isNew else { return }
    try begin()
    rows = JournalRows()
    recent = [:]
  }

  /// Takes note that a file was written: of its bytes need not be asked again whether they mean what
  /// the row says; tells whether they do.
  func wrote(_ item: Item, digest: Digest, as id: ItemID) -> Bool {
    guard let row = recent[id]?.row, !row.deleted, row.item == item else { return false }
    rows.note(digest, of: id)
    return true
  }

  /// Takes note of bytes that were found to mean what a base says; returns the row's place
  /// in ``JournalRows/newer``.
  func learn(_ digest: Digest, of id: ItemID, at entry: JournalEntry) -> Int {
    rows.learn(digest, of: id, at: entry)
  }

  /// Begins a new file, with another generation.
  func begin(
    _ fill: (inout LogWriter) throws(WorkspaceError) -> Void = { _ in }
  ) throws(WorkspaceError) {
    let extra = Self.header(of: table)
    try log.create(extra: extra, fill)
    (lately, latelySize) = ([:], 0)
    generation = extra["generation"]?.text ?? ""
  }

  /// Returns what the header of a new file of a table says.
  static func header(of table: TableName) -> JSONObject {
    var extra = JSONObject()
    extra.append("table", .string(table.text))
    extra.append("generation", .string(LogHeader.randomText()))
    return extra
  }
}
