import SyncEngine
import SyncModel
import TestSupport

/// One client, one server and the line between them, for a test to put to work.
struct Bench {
  let table: TableName
  let server = ModelServer()
  var disk = MemoryDisk()
  var line: ScriptedLine
  var settings = Settings(now: 7)
  /// How many seconds go by after each command: so many that no replica is late any more.
  var pause: Int64 = 120

  init() throws {
    table = try TableName("todoitem")
    line = ScriptedLine(to: server, client: 1)
  }

  func key(_ id: String) throws -> ItemKey { ItemKey(table, try ItemID(Text(id))) }

  // MARK: - The user

  /// Saves an item, given as an object's text; `nil` deletes its file.
  mutating func save(_ id: String, _ text: String?) throws {
    disk.save(try text.map { try Item(text: $0) }, as: try key(id))
  }

  /// An item as it lies there, as an object's text without its id; `nil` for none.
  func item(_ id: String) -> String? {
    do {
      return try disk.client(key(id)).item.map {
        String(decoding: JSON.object($0.fields).encoded(), as: UTF8.self)
      }
    } catch { return "\(error)" }
  }

  /// Brings about one pending write of a kind, of an item `x`.
  mutating func pend(_ kind: Operation.Kind) throws {
    switch kind {
    case .insert: try save("x", #"{"a":2}"#)
    case .update:
      try share("x", #"{"a":1}"#)
      try save("x", #"{"a":2}"#)
    case .delete:
      try share("x", #"{"a":1}"#)
      try save("x", nil)
    case .undelete:
      try share("x", #"{"a":1}"#)
      try elsewhere("x", nil)
      try pull()
      try save("x", #"{"a":2}"#)
    }
  }

  /// Returns what is at the server once the write of ``pend(_:)`` is done.
  func sent(_ kind: Operation.Kind) -> String? { kind == .delete ? nil : #"{"a":2}"# }

  // MARK: - Others at the server

  /// Somebody else writes a row; `nil` deletes it.
  @discardableResult
  func elsewhere(_ id: String, _ text: String?) throws -> Row {
    let key = try key(id)
    return server.store(try text.map { try Item(text: $0) }, key, by: 2, over: server.rows[key])
  }

  /// What the server has, as an object's text; `nil` for none and for a tombstone.
  func row(_ id: String) -> String? {
    guard let row = server.rows.first(where: { $0.key.id.text == Text(id) })?.value, !row.deleted
    else { return nil }
    let fields = row.item.fields.members.filter { !$0.value.isNull }
    return String(decoding: JSON.object(JSONObject(fields)).encoded(), as: UTF8.self)
  }

  /// The row of an item as it is known here.
  func known(_ id: String) throws -> Row {
    guard let row = try disk.base(of: key(id)).row else { throw ScriptedLine.cut }
    return row
  }

  // MARK: - Commands

  /// Puts the item at the server and pulls it, so that both have it.
  mutating func share(_ id: String, _ text: String) throws {
    try elsewhere(id, text)
    try pull()
  }

  @discardableResult
  mutating func push(only ids: [String]? = nil) throws -> PushReport {
    defer { settings.now += pause }
    var report = PushReport()
    report.events = try Recovery.run([table], on: &disk, settings: settings)
    let selection = try ids.map { Set(try $0.map { try key($0) }) }
    try Push(settings: settings, selection: selection).run(
      [table], on: &disk, to: &line, report: &report)
    return report
  }

  @discardableResult
  mutating func pull(full: Bool = false) throws -> PullReport {
    defer { settings.now += pause }
    var report = PullReport(Feed(table))
    report.events = try Recovery.run([table], on: &disk, settings: settings)
    try Pull(settings: settings).run(
      Feed(table), full: full, on: &disk, from: &line, report: &report)
    return report
  }

  mutating func resolve(_ id: String, _ choice: Choice) throws {
    _ = try Recovery.run([table], on: &disk, settings: settings)
    let resolve = Resolve(settings: settings)
    let conflict = try resolve.current(key(id), on: disk)
    try resolve.settle(key(id), conflict, by: choice.resolution(of: conflict), on: &disk)
  }

  // MARK: - What comes between

  /// Lets something happen ahead of one step, counted from 1, of what the disk does from now on.
  mutating func ahead(
    of wanted: Int, _ happens: @escaping (inout MemoryDisk) throws -> Void
  ) {
    var step = 0
    disk.beforeStep = { disk in
      step += 1
      if step == wanted { try happens(&disk) }
    }
  }

  /// Runs a command until it is killed, when the disk has done so many steps; it may be through before.
  mutating func cut(at steps: Int, _ command: (inout Bench) throws -> Void) throws {
    var left = steps
    disk.beforeStep = { _ in
      guard left > 0 else { throw MemoryDisk.Crash() }
      left -= 1
    }
    do { try command(&self) } catch is MemoryDisk.Crash {}
    disk.beforeStep = nil
  }

  // MARK: - What is to be seen

  /// The writes since the last look.
  func writes() -> [String] {
    defer { line.log.writes = [] }
    return line.log.writes
  }

  /// How every item stands that is not simply as its base says, a line each.
  var standings: [String] {
    do {
      return try Survey(of: [table], on: disk).entries.map { entry in
        "\(entry.key.map { "\($0.id)" } ?? "-") \(entry.standing.words)"
      }
    } catch { return ["\(error)"] }
  }

  /// Marks an item as a command does.
  mutating func mark(_ id: String, _ mark: Mark?) throws {
    let key = try key(id)
    try disk.append([.marked(key.id, mark)], to: key.table, durably: true)
  }

  /// What keeps this client from being as the server, in words; empty where nothing does.
  var differences: [String] {
    var found = standings
    found += disk.inConflict.keys.sorted().map { "\($0.id) is in conflict" }
    let live = server.rows.filter { $0.key.table == table && !$0.value.deleted }
    for key in Set(live.keys).union(disk.files.keys).sorted() {
      let here = (try? disk.client(key).item) ?? nil
      if here != live[key]?.item { found.append("\(key.id) is another there") }
    }
    return found
  }
}
