package import SyncModel

/// The open entries of the journal, computed from all its records.
package struct JournalState: Equatable, Sendable {
  /// The notes, and the place of each in the order.
  package private(set) var notes: [ItemKey: (place: Int, note: Note)] = [:]
  /// What the items have become that have other ids now, while the server has not had it from here.
  package private(set) var successors: [ItemKey: ItemKey] = [:]
  /// The items that have become another one, by that one: ``successors`` turned round.
  private var bySuccessor: [ItemKey: Set<ItemKey>] = [:]
  /// The conflicts that wait.
  package private(set) var conflicts: [ItemKey: OpenConflict] = [:]
  /// The conflicts that are being resolved.
  package private(set) var resolutions: [ItemKey: Resolution] = [:]
  /// The tables that are being forgotten.
  package private(set) var purges: Set<TableName> = []
  private var count = 0

  /// Makes the state of an empty journal.
  package init() {}

  /// Adds one record.
  package mutating func add(_ record: JournalRecord) {
    count += 1
    switch record {
    case .noted(let key, let note):
      notes[key] = (notes[key]?.place ?? count, note)
      setSuccessor(note.hasArrived ? nil : note.successor, of: key)
    case .conflict(let key, let conflict): conflicts[key] = conflict
    case .resolve(let key, let resolution): resolutions[key] = resolution
    case .purge(let table): purges.insert(table)
    case .closed(let subject): close(subject)
    }
  }

  private mutating func close(_ subject: JournalRecord.Subject) {
    switch subject {
    case .note(let key):
      notes[key] = nil
      setSuccessor(nil, of: key)
    case .conflict(let key):
      conflicts[key] = nil
      resolutions[key] = nil
    case .resolution(let key): resolutions[key] = nil
    case .purge(let table):
      purges.remove(table)
      func others<Value>(_ entries: [ItemKey: Value]) -> [ItemKey: Value] {
        entries.filter { $0.key.table != table }
      }
      notes = others(notes)
      for key in successors.keys where key.table == table { setSuccessor(nil, of: key) }
      resolutions = others(resolutions)
    }
  }

  /// Sets what an item has become, in ``successors`` and turned round.
  private mutating func setSuccessor(_ successor: ItemKey?, of key: ItemKey) {
    if let before = successors[key] { bySuccessor[before]?.remove(key) }
    successors[key] = successor
    if let successor { bySuccessor[successor, default: []].insert(key) }
  }

  /// Returns a record as it is written at a time, in nanoseconds since 1970.
  package func dated(_ record: JournalRecord, at time: Int64) -> JournalRecord {
    guard case .noted(let key, var note) = record, note.time == 0 else { return record }
    note.time = notes[key]?.note.time ?? time
    return .noted(key, note)
  }

  /// Whether a command was told to delete an item.
  package func isRemoved(_ key: ItemKey) -> Bool { notes[key]?.note.commanded == true }

  /// Returns the records that take a command's delete back where its item has come back.
  ///
  /// Should its file vanish later, nobody has said so.
  package func recalledDelete(of key: ItemKey) -> [JournalRecord] {
    isRemoved(key) ? [.closed(.note(key))] : []
  }

  /// Returns the records that close what a write has done; a delete that a command was told meanwhile
  /// stays one.
  func closings(of attempt: Attempt) -> [JournalRecord] {
    guard notes[attempt.key] != nil, attempt.kind == .delete || !isRemoved(attempt.key) else {
      return []
    }
    return [.closed(.note(attempt.key))]
  }

  /// Returns the records by which no row waits any more for an item that the server has as it is here.
  package func arrivals(of key: ItemKey) -> [JournalRecord] {
    predecessors(of: key).map {
      .noted($0, Note(kind: .delete, commanded: true, successor: key, hasArrived: true))
    }
  }

  /// Whether the rows of other items wait for one, which they have become.
  package func isAwaited(_ key: ItemKey) -> Bool { bySuccessor[key]?.isEmpty == false }

  /// Returns the items whose rows wait for another one, which they have become, in their order.
  package func predecessors(of key: ItemKey) -> [ItemKey] {
    bySuccessor[key]?.sorted() ?? []
  }

  /// Returns the records by which what waits for one item waits for another.
  package func following(_ former: ItemKey, to successor: ItemKey) -> [JournalRecord] {
    predecessors(of: former).filter { $0 != successor }
      .map { .noted($0, Note(kind: .delete, commanded: true, successor: successor)) }
  }

  /// The records that say the same in the fewest lines: what a rotated journal begins with.
  package var records: [JournalRecord] {
    var records = notes.sorted { $0.value.place < $1.value.place }
      .map { JournalRecord.noted($0.key, $0.value.note) }
    records += conflicts.sorted { $0.key < $1.key }.map { .conflict($0.key, $0.value) }
    records += resolutions.sorted { $0.key < $1.key }.map { .resolve($0.key, $0.value) }
    records += purges.sorted().map { .purge($0) }
    return records
  }

  /// How many ``records`` there are.
  package var recordCount: Int {
    notes.count + conflicts.count + resolutions.count + purges.count
  }

  /// Whether no resolution is open.
  package var isQuiet: Bool { resolutions.isEmpty }

  package static func == (left: JournalState, right: JournalState) -> Bool {
    left.records == right.records
  }
}
