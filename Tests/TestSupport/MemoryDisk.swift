package import SyncEngine
package import SyncModel

/// The twin of a workspace: a disk in memory that can lose its power.
///
/// Each mutating call is one step; what a crash may tear is several. `beforeStep` runs ahead of each, with
/// the disk, so that a test can let a user save in between, or throw ``Crash`` to kill the program there.
/// What was written since the last durable point can be taken back by ``losePower(_:)``.
package struct MemoryDisk: Disk {
  /// What a killed program throws.
  package struct Crash: Error {
    /// Makes it.
    package init() {}
  }

  /// A file: its bytes, and when it was last modified.
  package struct File: Equatable, Sendable {
    /// The bytes.
    package let bytes: [UInt8]
    /// Nanoseconds since 1970, by the disk's own count.
    package let modified: Int64
    /// What the bytes mean.
    fileprivate let state: ClientState

    fileprivate init(_ bytes: [UInt8], of key: ItemKey, modified: Int64) {
      self.bytes = bytes
      self.modified = modified
      state = MemoryDisk.state(of: bytes, key)
    }

    package static func == (left: File, right: File) -> Bool {
      left.modified == right.modified && left.bytes == right.bytes
    }
  }

  /// The sides of a conflict.
  package struct Sides: Equatable, Sendable {
    /// The client's side, as bytes; `nil` where there is none, or says that the item was deleted.
    package var client: [UInt8]? {
      didSet { saysDeleted = false }
    }
    /// The server's side.
    package var server: Item?
    /// What both began from.
    package var base: Item?
    /// Whether the client's side says that the item was deleted.
    package fileprivate(set) var saysDeleted = false
  }

  /// A line of a table's journal.
  private enum RowRecord: Sendable {
    case fact(Fact)
    case forget
  }

  /// The items' files, as their user sees them.
  package private(set) var files: [ItemKey: File] = [:]
  /// Everything that was displaced.
  package private(set) var trash: [[UInt8]] = []
  /// The sides of the open conflicts.
  package private(set) var sides: [ItemKey: Sides] = [:]
  /// The number of mutating calls so far.
  package private(set) var steps = 0
  /// Called ahead of each mutating call.
  package var beforeStep: ((inout MemoryDisk) throws -> Void)?
  /// What runs ahead of each reading of a base.
  package var willReadBase: ((ItemKey) -> Void)?

  private var clock: Int64 = 1
  private var rows: [TableName: TableFold] = [:]
  private var rowRecords: [TableName: [RowRecord]] = [:]
  private var durableRows: [TableName: Int] = [:]
  /// The replacements of files by a call that hasn't returned: which, what was there, and what went there.
  private var unfinished: [(key: ItemKey, old: File?, new: File?)] = []

  /// Makes an empty disk.
  package init() {}

  private mutating func step() throws {
    steps += 1
    guard let hook = beforeStep else { return }
    beforeStep = nil
    defer { beforeStep = hook }
    try hook(&self)
  }

  // MARK: - The user

  /// Saves a file as a user's editor does: whatever is there is replaced.
  package mutating func save(_ bytes: [UInt8]?, as key: ItemKey) {
    clock += 1
    files[key] = bytes.map { File($0, of: key, modified: clock) }
    // What a user saves is the user's to keep: it is not part of tsync's promises.
    unfinished.removeAll { $0.key == key }
  }

  /// Saves an item.
  package mutating func save(_ item: Item?, as key: ItemKey) {
    save(item.map { Self.text($0, key.id) }, as: key)
  }

  /// Edits the client's side of an open conflict; `nil` removes it.
  package mutating func saveSide(_ bytes: [UInt8]?, of key: ItemKey) {
    if sides[key] != nil { sides[key]?.client = bytes }
  }

  /// Loses the journals, as where their user removed them.
  package mutating func loseJournal() {
    (rows, rowRecords, durableRows) = ([:], [:], [:])
  }

  /// Loses all but the items, as in a clone that git made.
  package mutating func gitClone() {
    loseJournal()
    sides = [:]
  }

  /// Edits the client's side of an open conflict.
  package mutating func editSide(_ item: Item, of key: ItemKey) {
    sides[key]?.client = Self.text(item, key.id)
  }

  // MARK: - ItemDisk

  package func client(_ key: ItemKey) throws -> ClientState {
    files[key]?.state ?? .absent
  }

  package func strays(in table: TableName) throws -> [ItemID: InvalidItem] {
    try candidates(in: table).strays
  }

  package func candidates(in table: TableName) throws -> [Candidate] {
    let live = try Set(liveIDs(in: table))
    let here = Set(files.keys.lazy.filter { $0.table == table }.map(\.id))
    return try live.union(here).sorted().compactMap { id in
      let key = ItemKey(table, id)
      let client = try client(key)
      if case .item(let item, _) = client, try item == rows[table]?.base(of: id).item { return nil }
      return Candidate(key: key, client: client, modified: files[key]?.modified ?? 0)
    }
  }

  package mutating func write(_ changes: [FileChange]) throws -> [WriteOutcome] {
    var outcomes: [WriteOutcome] = []
    for change in changes {
      try step()
      let (key, old) = (change.key, files[change.key])
      guard old?.digest == change.expected else {
        outcomes.append(.changedMeanwhile)
        continue
      }
      clock += 1
      let bytes = change.text ?? change.item.map { Self.text($0, key.id) }
      let new = bytes.map { File($0, of: key, modified: clock) }
      if let old { trash.append(old.bytes) }
      files[key] = new
      unfinished.append((key, old, new))
      outcomes.append(.replaced(new?.digest))
    }
    unfinished = []
    return outcomes
  }

  package mutating func keep(_ item: Item, of key: ItemKey) throws {
    try step()
    trash.append(Self.text(item, key.id))
  }

  package mutating func synchronize(_ ids: [ItemID], in table: TableName) throws {
    try step()
    unfinished.removeAll { $0.key.table == table }
  }

  package mutating func writeConflict(_ conflict: Conflict, of key: ItemKey) throws {
    try step()
    let client =
      sides[key]?.client
      ?? conflict.client.map { item in
        guard let file = files[key], file.state.item == item else { return Self.text(item, key.id) }
        return file.bytes
      }
    sides[key] = Sides(client: client, server: conflict.server, base: conflict.base)
    sides[key]?.saysDeleted = client == nil
  }

  package mutating func removeConflict(of key: ItemKey, as end: ConflictEnd) throws {
    try step()
    guard let removed = sides.removeValue(forKey: key) else { return }
    if let client = removed.client { trash.append(client) }
    if let server = removed.server { trash.append(Self.text(server, key.id)) }
  }

  package func conflictClient(of key: ItemKey) throws -> ClientState {
    Self.state(of: sides[key]?.client, key)
  }

  // MARK: - RowDisk

  package func table(_ table: TableName) throws -> any TableRows {
    let fold = rows[table] ?? TableFold()
    guard let willReadBase else { return fold }
    return ToldRows(rows: fold) { willReadBase(ItemKey(table, $0)) }
  }

  /// The rows that items are in conflict with.
  package var inConflict: [ItemKey: Row] {
    let keys = rows.keys.flatMap { (try? conflicts(in: $0)) ?? [] }
    return Dictionary(keys.map { ($0, (try? rowInConflict(of: $0)) ?? .gone($0.id)) }) { $1 }
  }

  /// The open writes of all tables.
  package var attempts: [ItemKey: Attempt] { open(.attempt) { try $0.attempt(of: $1) } }

  /// The refusals of all tables.
  package var rejections: [ItemKey: Rejection] { open(.refusal) { try $0.rejection(of: $1) } }

  private func open<Value>(
    _ kind: TableLine, _ read: (TableFold, ItemID) throws -> Value?
  ) -> [ItemKey: Value] {
    var found: [ItemKey: Value] = [:]
    for (table, rows) in rows {
      for id in (try? rows.ids(kind)) ?? [] { found[ItemKey(table, id)] = try? read(rows, id) }
    }
    return found
  }

  /// The mark of an item.
  package func mark(of key: ItemKey) -> Mark? { rows[key.table]?.state.marks[key.id] }

  package mutating func append(_ facts: [Fact], to table: TableName, durably: Bool) throws {
    guard !facts.isEmpty || (durableRows[table] ?? 0) < rowRecords[table]?.count ?? 0 else {
      return
    }
    try step()
    clock += 1
    let marks = try state(of: table).marks
    try add(facts.map { .fact(marks.dated($0, at: clock)) }, to: table, durably: durably)
  }

  package mutating func forget(_ table: TableName) throws {
    try step()
    try add([.forget], to: table, durably: true)
  }

  private mutating func add(_ records: [RowRecord], to table: TableName, durably: Bool) throws {
    rows[table] = try Self.fold(records, onto: rows[table] ?? TableFold())
    rowRecords[table, default: []] += records
    if durably { durableRows[table] = rowRecords[table]?.count }
  }

  private static func fold(_ records: some Sequence<RowRecord>, onto fold: TableFold) throws
    -> TableFold
  {
    var fold = fold
    for record in records {
      switch record {
      case .fact(let fact): try fold.add(fact)
      case .forget: fold = TableFold()
      }
    }
    return fold
  }

  // MARK: - Power

  /// Takes back what a power loss may take back, as chance has it: any suffix of each log beyond its
  /// durable part, and any of the files replaced by a call that was cut off.
  ///
  /// A replaced file comes back as it was before; its replacement is lost.
  package mutating func losePower(_ random: inout SplitMix64) {
    for table in rowRecords.keys.sorted() {
      guard let records = rowRecords[table] else { continue }
      let kept = Int.random(in: (durableRows[table] ?? 0)...records.count, using: &random)
      rowRecords[table] = Array(records[..<kept])
      durableRows[table] = kept
      rows[table] = try? Self.fold(records[..<kept], onto: TableFold())
    }
    var lost: Set<ItemKey> = []
    for (key, old, new) in unfinished.reversed() {
      guard files[key] == new, lost.contains(key) || random.once(in: 2) else { continue }
      files[key] = old
      lost.insert(key)
    }
    unfinished = []
  }

  // MARK: - Texts

  private static func text(_ item: Item, _ id: ItemID) -> [UInt8] {
    JSON.object(item.object(id: id, omittingNulls: true)).encoded()
  }

  fileprivate static func state(of bytes: [UInt8]?, _ key: ItemKey) -> ClientState {
    guard let bytes else { return .absent }
    do {
      guard let object = try JSON(parsing: bytes, limits: .item).object else {
        return .invalid(InvalidItem(place: "\(key)", message: "not an object"))
      }
      if let id = object[Item.idField]?.text, id != key.id.text {
        return .invalid(
          InvalidItem(place: "\(key)", message: "another id", otherID: try? ItemID(id)))
      }
      return .item(Item(object), Digest(of: bytes))
    } catch {
      return .invalid(
        InvalidItem(
          place: "\(key)", line: error.line, column: error.column, message: error.message))
    }
  }
}

extension MemoryDisk.File {
  /// The fingerprint of the bytes, also of those that can't be an item.
  fileprivate var digest: Digest { state.digest ?? Digest(of: bytes) }
}

/// The rows of a table, whose bases are not read untold.
private struct ToldRows: TableRows {
  let rows: TableFold
  let willReadBase: (ItemID) -> Void

  var state: TableState { rows.state }

  func base(of id: ItemID) throws -> Base {
    willReadBase(id)
    return try rows.base(of: id)
  }

  func arrival(of id: ItemID) throws -> Arrival? { try rows.arrival(of: id) }
  func attempt(of id: ItemID) throws -> Attempt? { try rows.attempt(of: id) }
  func rejection(of id: ItemID) throws -> Rejection? { try rows.rejection(of: id) }

  func forEachID(_ kind: TableLine, _ body: (UnsafeRawBufferPointer) -> Void) throws {
    try rows.forEachID(kind, body)
  }
}
