import SyncEngine
import SyncModel

/// A disk that takes note of what is laid where its user can see it.
struct Watched<Work: Disk>: Disk {
  /// The disk.
  var work: Work
  /// What was seen; shared, so that it outlives a killed command.
  let shown: Shown
  /// The first items of a table that are being made.
  private var filling: [ItemKey: Item] = [:]

  init(work: Work, shown: Shown) { (self.work, self.shown) = (work, shown) }

  /// The tokens that a user has had before the eyes, by item.
  final class Shown {
    /// The tokens.
    var tokens: [ItemKey: Set<Int>] = [:]
    /// The tokens that the user has overwritten or deleted, by item.
    var overwritten: [ItemKey: Set<Int>] = [:]
    /// The tokens that the client's own writes have replaced at the server and nobody has laid again
    /// since, by item.
    var replaced: [ItemKey: Set<Int>] = [:]
    /// The tokens of the text that was laid last, by item.
    var laid: [ItemKey: Set<Int>] = [:]
    /// The rows that were taken for what the server has although a newer one was known.
    var older: [Row] = []
    /// The rows in older states that somebody has said may come; one that waits is a base later.
    var accepted: [Row] = []
    /// Whether a row with an earlier time has taken the place of a known one: two machines may have different
    /// clocks, and of a version that was never here nobody can tell.
    var goesBack = false
    /// The items in conflict as deleted here though their files were moved.
    var moved: [ItemKey] = []
    /// The items that were to be sent though their conflicts are open.
    var undecided: [ItemKey] = []
    /// The items whose rows were live here since the client last lost its rows, or that its user has
    /// decided to bring back.
    var known: Set<ItemKey> = []
    /// The items whose deletes were to be undone although they aren't known.
    var revived: [ItemKey] = []
    /// What both sides of each conflict began from, and after that the rows over which something was
    /// decided: an edit of what was decided begins from there.
    var origins: [ItemKey: [Item?]] = [:]
    /// The conflicts that ended without a decision.
    var ended: [Ended] = []
    /// The items as the command that runs has read them.
    var read: [ItemKey: [Item?]] = [:]
    /// How often something else lay there than a command had seen.
    var changes = 0
    /// How often a table's first items have taken their places together.
    var fills = 0
    /// The item that a command looked at last.
    var current: ItemKey?
    /// Called after each reading of an item.
    var afterReading: (() -> Void)?

    /// Notes tokens that somebody lays again.
    func bringBack(_ tokens: Set<Int>, _ key: ItemKey) { replaced[key]?.subtract(tokens) }

    /// What was decided on conflicts that aren't over, and the server's side of each.
    var resolving: [ItemKey: (item: Item?, server: Item?)] = [:]
    /// Whether a table is being forgotten.
    var isPurging = false

    /// Notes that the rows are lost.
    func forgetRows() { known = Set(resolving.keys) }

    /// Notes an item that is laid; returns what of it was new.
    @discardableResult
    func note(_ item: Item?, _ key: ItemKey) -> Set<Int> {
      guard let item else { return [] }
      bringBack(Token.all(in: item), key)
      let new = Token.all(in: item).subtracting(tokens[key] ?? [])
      tokens[key, default: []].formUnion(new)
      return new
    }
  }

  /// A conflict that ended without a decision.
  struct Ended {
    /// The item.
    let key: ItemKey
    /// What both sides may have begun from; `nil` where there was nothing.
    let origins: [Item?]
    /// What a command read of the client's item, in turn.
    let clients: [Item?]
    /// The server's side.
    let server: Item?
    /// Whether the rows of other items wait for it, which have become it.
    let isAwaited: Bool
  }

  func client(_ key: ItemKey) throws -> ClientState {
    shown.current = key
    defer { shown.afterReading?() }
    let client = try work.client(key)
    shown.read[key, default: []].append(client.item)
    if let decided = shown.resolving[key], client.item == decided.item {
      shown.origins[key]?.append(decided.server)
    }
    return client
  }

  func candidates(in table: TableName) throws -> [Candidate] { try work.candidates(in: table) }

  func strays(in table: TableName) throws -> [ItemID: InvalidItem] { try work.strays(in: table) }

  mutating func write(_ changes: [FileChange]) throws -> [WriteOutcome] {
    // Who is killed in the midst of it may have laid some of them.
    let before = changes.map { change in
      let (key, item) = (change.key, change.item)
      let new = shown.note(item, key)
      let origins = shown.origins[key]
      if let decided = shown.resolving[key], item == decided.item {
        shown.origins[key]?.append(decided.server)
      }
      return (new, origins)
    }
    let outcomes = try work.write(changes)
    for (index, outcome) in outcomes.enumerated() {
      let (key, (new, origins)) = (changes[index].key, before[index])
      if outcome == .changedMeanwhile {
        shown.origins[key] = origins
        shown.changes += 1
        // It may have lain there for a moment, and have been edited.
        shown.tokens[key]?.subtract(new.subtracting(shown.overwritten[key] ?? []))
      } else {
        shown.laid[key] = Token.all(in: changes[index].item)
      }
    }
    return outcomes
  }

  mutating func fill(_ rows: [Row], of table: TableName) throws -> Bool {
    for row in rows { filling[ItemKey(table, row.id)] = row.deleted ? nil : row.item }
    return try work.fill(rows, of: table)
  }

  mutating func endFill(of table: TableName) throws -> Bool {
    // Who is killed in the midst of it may have laid them.
    let filling = filling
    self.filling = [:]
    let new = filling.map { ($0, shown.note($1, $0)) }
    let isDone = try work.endFill(of: table)
    if isDone { shown.fills += 1 }
    for (key, new) in new {
      if isDone {
        shown.laid[key] = Token.all(in: filling[key])
      } else {
        shown.tokens[key]?.subtract(new.subtracting(shown.overwritten[key] ?? []))
      }
    }
    return isDone
  }

  mutating func keep(_ item: Item, of key: ItemKey) throws {
    shown.note(item, key)
    try work.keep(item, of: key)
  }

  mutating func synchronize(_ ids: [ItemID], in table: TableName) throws {
    try work.synchronize(ids, in: table)
  }

  mutating func writeConflict(_ conflict: Conflict, of key: ItemKey) throws {
    shown.note(conflict.server, key)
    if try !work.isInConflict(key) || shown.resolving[key] != nil {
      shown.origins[key] = [conflict.base]
    }
    try noteMoved(conflict, key)
    try work.writeConflict(conflict, of: key)
  }

  /// Notes a file that was moved and is about to be taken for deleted.
  private func noteMoved(_ conflict: Conflict, _ key: ItemKey) throws {
    guard conflict.kind == .deletedHere, try !work.isInConflict(key), try !work.isRemoved(key)
    else { return }
    if try work.candidates(in: key.table).strays[key.id] != nil { shown.moved.append(key) }
  }

  mutating func removeConflict(of key: ItemKey, as end: ConflictEnd) throws {
    try work.removeConflict(of: key, as: end)
  }

  func conflictClient(of key: ItemKey) throws -> ClientState { try work.conflictClient(of: key) }

  func table(_ table: TableName) throws -> any TableRows { try work.table(table) }

  /// Whether a row is a former state of one that is known: it is older, and so is its version.
  private func isFormer(_ row: Row, of known: Row) -> Bool {
    row.isOlder(than: known) && !row.isGone
      && (row.version.map { $0 == known.version || known.had.contains($0) } ?? true)
  }

  /// Notes a row that is about to take the place of a newer one that is known.
  private func noteOlder(_ row: Row, _ key: ItemKey) throws {
    let known = try [work.base(of: key).row, work.arrival(of: key)?.row].compactMap(\.self)
    if known.contains(where: { isFormer(row, of: $0) }) { shown.older.append(row) }
    if known.contains(where: { row.isOlder(than: $0) }) { shown.goesBack = true }
  }

  /// Notes a row that becomes known; who is killed in the midst of it may know it.
  private func noteLive(_ row: Row?, _ key: ItemKey) {
    if row?.deleted == false { shown.known.insert(key) }
  }

  mutating func append(_ facts: [Fact], to table: TableName, durably: Bool) throws {
    var before: [(key: ItemKey, base: Row?)] = []
    for fact in facts {
      switch fact {
      case .base(let row, _):
        let key = ItemKey(table, row.id)
        try noteOlder(row, key)
        noteLive(row, key)
        // Whatever its version: what waits here came after the write that is taken over.
        if let open = try work.arrival(of: key)?.row, row.isOlder(than: open) {
          shown.older.append(row)
        }
      case .arrived(let arrival, _):
        let key = ItemKey(table, arrival.row.id)
        try noteOlder(arrival.row, key)
        noteLive(arrival.base, key)
      case .taken(let ids):
        for arrival in try work.arrivals(in: table) where !ids.contains(arrival.id) {
          let key = ItemKey(table, arrival.row.id)
          noteLive(arrival.row, key)
          before.append((key, try base(of: key).row))
        }
      case .sent(let attempt):
        let key = attempt.key
        if try work.isInConflict(key) { shown.undecided.append(key) }
        // What is sent once more was decided when it was sent first.
        if attempt.kind == .undelete, try work.attempt(of: key) == nil, !shown.known.contains(key) {
          shown.revived.append(key)
        }
      default: break
      }
    }
    let conflicts = try work.conflicts(in: table).map { ($0, try work.rowInConflict(of: $0)) }
    try work.append(facts, to: table, durably: durably)
    for case (let key, let row?) in conflicts where try !work.isInConflict(key) {
      try noteEnd(key, row)
    }
    for (key, base) in before {
      guard let base, let row = try work.base(of: key).row else { continue }
      if isFormer(row, of: base) { shown.older.append(row) }
    }
  }

  mutating func forget(_ table: TableName) throws {
    try work.forget(table)
    shown.forgetRows()
  }

  /// Notes a conflict that has ended although nobody has decided.
  private func noteEnd(_ key: ItemKey, _ row: Row) throws {
    defer { shown.resolving[key] = nil }
    guard shown.resolving[key] == nil, !shown.isPurging, let origins = shown.origins[key] else {
      return
    }
    shown.ended.append(
      Ended(
        key: key, origins: origins, clients: shown.read[key] ?? [],
        server: row.deleted ? nil : row.item, isAwaited: try !work.formers(of: key).isEmpty))
  }
}

/// What users write, so that it can be found again: `t1`, `t2`, … as texts in fields and lists.
enum Token {
  /// Returns the value that stands for a token.
  static func value(_ number: Int) -> JSON { .string("t\(number)") }

  /// Whether the server breaks on a token, every time.
  static func isIndigestible(_ number: Int) -> Bool { number % 23 == 11 }

  /// Whether a token is the server's own.
  static func isStamp(_ number: Int) -> Bool { number > 1_000_000 }

  /// Returns the tokens in an item.
  static func all(in item: Item?) -> Set<Int> {
    var tokens: Set<Int> = []
    item?.fields.members.forEach { add($0.value, to: &tokens) }
    return tokens
  }

  private static func add(_ value: JSON, to tokens: inout Set<Int>) {
    switch value {
    case .string(let text): if let token = number(text.string.utf8) { tokens.insert(token) }
    case .array(let elements): elements.forEach { add($0, to: &tokens) }
    case .object(let object): object.members.forEach { add($0.value, to: &tokens) }
    case .null, .bool, .number: break
    }
  }

  /// Returns the tokens in a text, whole or not: every `"t1"` with its quotes.
  static func all(in text: [UInt8]) -> Set<Int> {
    var tokens: Set<Int> = []
    for part in text.split(separator: UInt8(ascii: "\"")).dropLast() {
      if let token = number(part) { tokens.insert(token) }
    }
    return tokens
  }

  private static func number(_ bytes: some Collection<UInt8>) -> Int? {
    guard bytes.first == UInt8(ascii: "t"), bytes.count > 1 else { return nil }
    var value = 0
    for byte in bytes.dropFirst() {
      guard (0x30...0x39).contains(byte) else { return nil }
      value = value * 10 + Int(byte & 15)
    }
    return value
  }
}
