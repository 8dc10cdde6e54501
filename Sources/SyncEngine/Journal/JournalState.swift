package import SyncModel

/// The open entries of the journal, computed from all its records.
package struct JournalState: Equatable, Sendable {
  /// The notes, and the place of each in the order.
  package private(set) var notes: [ItemKey: (place: Int, note: Note)] = [:]
  /// What the items have become that have other ids now, while the server has not had it from here.
  package private(set) var successors: [ItemKey: ItemKey] = [:]
  /// The items that have become another one, by that one: ``successors`` turned round.
  private var bySuccessor: [ItemKey: Set<ItemKey>] = [:]
  /// The writes that are open: their outcome is not known, or not taken over yet.
  package private(set) var intents: [ItemKey: Intent] = [:]
  /// The writes that were done but whose row is not taken over yet.
  package private(set) var results: [ItemKey: Row?] = [:]
  /// The writes that were refused.
  package private(set) var rejections: [ItemKey: Rejection] = [:]
  /// The conflicts that wait.
  package private(set) var conflicts: [ItemKey: OpenConflict] = [:]
  /// The conflicts that are being resolved.
  package private(set) var resolutions: [ItemKey: Resolution] = [:]
  /// The tables that are being forgotten.
  package private(set) var purges: Set<TableName> = []
  /// How many items were known of the tables whose pulls were stopped for how much they would delete.
  package private(set) var stops: [TableName: Int] = [:]
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
    case .intent(let intent):
      // How often the change was refused before counts until its outcome is known.
      intents[intent.key] = intent
    case .result(let key, let row): results[key] = .some(row)
    case .rejected(let key, let rejection):
      rejections[key] = rejection
      intents[key] = nil
    case .conflict(let key, let conflict):
      conflicts[key] = conflict
      intents[key] = nil
      rejections[key] = nil
    case .resolve(let key, let resolution): resolutions[key] = resolution
    case .purge(let table): purges.insert(table)
    case .stopped(let table, let known): stops[table] = known
    case .closed(let subject): close(subject)
    }
  }

  private mutating func close(_ subject: JournalRecord.Subject) {
    switch subject {
    case .operation(let key):
      notes[key] = nil
      setSuccessor(nil, of: key)
      intents[key] = nil
      results[key] = nil
      rejections[key] = nil
    case .intent(let key):
      intents[key] = nil
      results[key] = nil
      rejections[key] = nil
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
      intents = others(intents)
      results = others(results)
      rejections = others(rejections)
      resolutions = others(resolutions)
      stops[table] = nil
    case .stop(let table): stops[table] = nil
    }
  }

  /// Sets what an item has become, in ``successors`` and turned round.
  private mutating func setSuccessor(_ successor: ItemKey?, of key: ItemKey) {
    if let before = successors[key] { bySuccessor[before]?.remove(key) }
    successors[key] = successor
    if let successor { bySuccessor[successor, default: []].insert(key) }
  }

  /// Returns the record that takes a command's delete back where its item has come back; `nil` where
  /// there is none.
  ///
  /// Should its file vanish later, nobody has said so.
  func recalledDelete(of key: ItemKey) -> JournalRecord? {
    guard let note = notes[key]?.note, note.commanded else { return nil }
    return .noted(key, Note(kind: .update, commanded: false))
  }

  /// Returns the records that take a command's delete back which removed nothing; a write that is open
  /// stays so.
  package func takingBackDelete(of key: ItemKey) -> [JournalRecord] {
    guard intents[key] != nil else { return [.closed(.operation(key))] }
    return recalledDelete(of: key).map { [$0] } ?? []
  }

  /// Returns the records that close a write that was done; a delete that a command was told meanwhile
  /// stays one.
  func closings(of intent: Intent) -> [JournalRecord] {
    let closed = JournalRecord.closed(.operation(intent.key))
    guard intent.kind != .delete, let note = notes[intent.key]?.note, note.commanded else {
      return [closed]
    }
    return [closed, .noted(intent.key, note)]
  }

  /// Returns the records by which no row waits any more for an item that the server has as it is here.
  func arrivals(of key: ItemKey) -> [JournalRecord] {
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
    // A conflict and a refusal end the write that they came of; a write that is open came after them.
    records += conflicts.sorted { $0.key < $1.key }.map { .conflict($0.key, $0.value) }
    records += resolutions.sorted { $0.key < $1.key }.map { .resolve($0.key, $0.value) }
    records += rejections.sorted { $0.key < $1.key }.map { .rejected($0.key, $0.value) }
    records += intents.sorted { $0.key < $1.key }.map { .intent($0.value) }
    records += results.sorted { $0.key < $1.key }.map { .result($0.key, $0.value) }
    records += purges.sorted().map { .purge($0) }
    records += stops.sorted { $0.key < $1.key }.map { .stopped($0.key, known: $0.value) }
    return records
  }

  /// How many ``records`` there are.
  package var recordCount: Int {
    notes.count + conflicts.count + resolutions.count + intents.count + results.count
      + rejections.count + purges.count + stops.count
  }

  /// Whether anything about the outcome of a write or a resolution is open.
  package var isQuiet: Bool { intents.isEmpty && results.isEmpty && resolutions.isEmpty }

  package static func == (left: JournalState, right: JournalState) -> Bool {
    left.records == right.records
  }
}
