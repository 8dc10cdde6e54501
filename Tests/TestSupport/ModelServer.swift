package import SyncEngine
package import SyncModel

/// A server that does what the protocol says, and remembers everything it was told.
package final class ModelServer {
  /// One accepted write: who made it, what it replaced, and with what.
  package struct Write {
    /// Which client.
    package let client: Int
    /// Which item.
    package let key: ItemKey
    /// The content before; `nil` where there was none.
    package let old: Item?
    /// The content after; `nil` for a delete.
    package let new: Item?
  }

  /// The rows and tombstones.
  package private(set) var rows: [ItemKey: Row] = [:]
  /// Every accepted write.
  package private(set) var writes: [Write] = []
  /// How many writes were tried, accepted or not.
  package private(set) var attempts = 0
  /// Told of each accepted write.
  package var onWrite: ((Write) -> Void)?
  /// How far the clock goes on for each write; 0 gives equal stamps to several rows.
  package var tick: Int64 = 1
  /// How often the server puts a text of its own into a field of what it is sent; 0 is never.
  package var rewriteRate = 0
  /// How many ticks earlier than the one before a row may be stamped; 0 is never.
  package var lateCommit = 0
  /// Whether versions are counters that begin anew with each row, as rows say when they were made.
  package var counts = false
  /// Whether deletes leave no tombstones.
  package var deletesForGood = false
  /// Whether new rows get ids of the server's, `1`, `2` and so on, whatever is sent.
  package var makesIDs = false
  /// The tables that there are; `nil` for all that are asked for.
  package var tables: Set<TableName>?
  /// Every row that ever was, oldest first.
  package private(set) var past: [ItemKey: [Row]] = [:]
  /// Whether the write under way says itself what that field shall be.
  private var stampIsWritten = false
  private var random = SplitMix64(seed: 1)
  /// What the clock says, in ticks of a timestamp.
  private(set) var clock: Int64 = 17_000_000_000_000_000
  private var counter = 0

  /// Makes an empty server.
  package init() {}

  /// Stores a content, as an accepted write.
  package func store(
    _ item: Item?, _ key: ItemKey, by client: Int, over old: Row?
  ) -> Row {
    clock += tick * 10_000
    counter += 1
    var item = item
    if rewriteRate > 0, !stampIsWritten, random.once(in: rewriteRate) {
      item?.fields["stamp"] = .string("t\(1_000_000 + counter)")
    }
    let count = counts ? (old?.version.flatMap { Int($0.text.string) } ?? 0) + 1 : nil
    let row = Row(
      id: key.id, item: item ?? old?.item ?? Item(JSONObject()),
      version: Version(count.map { Text("\($0)") } ?? Text("v\(counter)")),
      updatedAt: Timestamp(ticks: stamp()),
      createdAt: counts ? old?.createdAt ?? Timestamp(ticks: clock).text : nil,
      deleted: item == nil)
    let write = Write(
      client: client, key: key, old: old.flatMap { $0.deleted ? nil : $0.item }, new: item)
    writes.append(write)
    onWrite?(write)
    rows[key] = deletesForGood && row.deleted ? nil : row
    past[key, default: []].append(row)
    return row
  }

  /// When a row was changed: now, or a little earlier where commits come late, or a second machine's
  /// clock is slow, so that a row may go back.
  private func stamp() -> Int64 {
    guard lateCommit > 0 else { return clock }
    return clock - Int64(random.below(lateCommit + 1)) * 10_000
  }

  /// Returns what a replica knows that is some writes behind; not where that was stamped later.
  package func stale(_ key: ItemKey, by writes: Int = 1) -> Row? {
    guard let states = past[key]?.suffix(writes + 1), states.count > 1, let last = states.last
    else {
      return nil
    }
    return states.first { !last.isOlder(than: $0) }
  }

  /// Whether a feed has a row; a filter is the digits of the parts that it lets through, `02`.
  package static func has(_ feed: Feed, _ item: Item) -> Bool {
    guard let filter = feed.filter else { return true }
    return filter.string.utf8.contains(UInt8(ascii: "0") + UInt8(part(of: item)))
  }

  /// In which of four parts of its table a row is, by what stands in its field `text`.
  package static func part(of item: Item) -> Int {
    (item.fields["text"]?.text?.bytes ?? []).reduce(0) { $0 + Int($1) } % 4
  }

  /// Deletes a row without leaving a tombstone.
  package func deleteForGood(_ key: ItemKey) {
    rows[key] = nil
  }

  /// Puts all rows back as they were once; the clock goes on.
  package func putBack(_ rows: [ItemKey: Row]) {
    self.rows = rows
  }

  /// Puts a row in place as it was once, as somebody does who restores a copy.
  package func restore(_ row: Row, as key: ItemKey) {
    rows[key] = row
  }

  /// Throws where a table isn't there.
  fileprivate func check(_ table: TableName) throws {
    guard tables?.contains(table) != false else { throw Stop.noTable(table) }
  }

  /// Carries a request out as its bytes say.
  package func handle(_ request: ModelRequest, by client: Int) -> Reply.Outcome {
    attempts += 1
    let parts = request.target.split(separator: "/")
    guard parts.count == 2, let table = try? TableName(Text(String(parts[0]))),
      let id = try? ItemID(Text(String(parts[1])))
    else { return .refused(Refusal(status: 400, words: "bad target")) }
    guard (try? check(table)) != nil else {
      return .absent(Refusal(status: 404, words: "no such table"))
    }
    let key = ItemKey(table, id)
    let row = rows[key]
    let body = request.body.flatMap { try? JSON(parsing: $0).object }
    stampIsWritten = body?["stamp"] != nil
    let match = request.match
    if body?["text"] == "refuse me" { return .refused(Refusal(status: 400, words: "refused")) }
    switch request.method {
    case "POST" where match == nil && makesIDs:
      guard let id = try? ItemID(Text("\(rows.count + 1)")) else { return .unknown(nil) }
      return .done(
        store(Item(body ?? JSONObject()), ItemKey(table, id), by: client, over: nil))
    case "POST" where match == nil:
      guard row == nil else { return .disputed(Refusal(status: 409, words: "")) }
      return .done(store(Item(body ?? JSONObject()), key, by: client, over: nil))
    case "POST":
      guard let row else { return .absent(Refusal(status: 404, words: "")) }
      guard row.version?.text.string == match else {
        return .disputed(Refusal(status: 412, words: ""))
      }
      guard row.deleted else { return .done(row) }
      return .done(store(body.map { Item($0) } ?? row.item, key, by: client, over: row))
    default:
      guard let row, !row.deleted else { return .absent(Refusal(status: 410, words: "")) }
      guard row.version?.text.string == match else {
        return .disputed(Refusal(status: 412, words: ""))
      }
      if request.method == "DELETE" {
        _ = store(nil, key, by: client, over: row)
        return .done(nil)
      }
      var fields = row.item.fields
      for member in body?.members ?? [] {
        fields[member.name] = member.value.isNull ? nil : member.value
      }
      return .done(store(Item(fields), key, by: client, over: row))
    }
  }
}

/// A write as a ``ModelServer`` gets it.
package struct ModelRequest {
  package var method: String
  package var target: String
  /// The version that guards it.
  package var match: String?
  package var body: [UInt8]?
}

/// A client's line to a ``ModelServer``, on which nothing goes wrong.
package struct ModelBackend: Backend {
  private let server: ModelServer
  private let client: Int
  /// How many ticks before the token a pull begins, where commits may come late.
  package var overlap = 0
  /// Whether an undelete carries the item, or brings the row back as it was.
  package var undeletesWhole = false
  /// How many rows a page has.
  package var pageSize = 3
  /// Whether pages may have fewer rows though others follow.
  package var endsPagesEarly = false
  /// Whether the server promises that rows are stamped in the order of their commits.
  package var commitsInOrder = false

  /// Makes a line for a client, given by its number.
  package init(to server: ModelServer, client: Int) {
    self.server = server
    self.client = client
  }

  package func check(_ operation: Operation) throws { _ = try request(for: operation) }

  /// Returns the request that carries an operation out.
  package func request(for operation: Operation) throws -> ModelRequest {
    let match = operation.kind == .insert ? nil : operation.base?.version?.text.string
    guard operation.kind == .insert || match != nil else {
      throw Refusal(status: 428, words: "the row has no version")
    }
    let target = operation.key.description
    switch operation.kind {
    case .insert:
      let object = operation.item?.object(id: operation.key.id, omittingNulls: true)
      return ModelRequest(
        method: "POST", target: target, body: JSON.object(object ?? JSONObject()).encoded())
    case .undelete:
      let item = undeletesWhole ? operation.item : nil
      return ModelRequest(
        method: "POST", target: target, match: match,
        body: item.map {
          JSON.object($0.object(id: operation.key.id, omittingNulls: true)).encoded()
        })
    case .delete: return ModelRequest(method: "DELETE", target: target, match: match)
    case .update:
      let members = operation.change.fields.map {
        JSONObject.Member(name: $0.name, value: $0.new ?? .null)
      }
      return ModelRequest(
        method: "PATCH", target: target, match: match,
        body: JSON.object(JSONObject(members)).encoded())
    }
  }

  /// Lets the server carry an operation out.
  package func handle(_ operation: Operation) -> Reply.Outcome {
    do {
      return server.handle(try request(for: operation), by: client)
    } catch {
      return (error as? Refusal).map { .refused($0) } ?? .notSent
    }
  }

  package mutating func send(
    next: () throws -> (Attempt, Operation)?, done: (Attempt, Reply) throws -> Void,
    meanwhile: () throws -> Void
  ) throws {
    while let (attempt, operation) = try next() {
      try meanwhile()
      try done(attempt, Reply(handle(operation)))
    }
  }

  package mutating func read(_ key: ItemKey) throws -> Reading {
    try server.check(key.table)
    return server.rows[key].map(Reading.row) ?? .absent
  }

  package mutating func makesIDs(in table: TableName) throws -> Bool {
    try server.check(table)
    return server.makesIDs
  }

  package mutating func pages(
    of feed: Feed, from token: DeltaToken?, each: (Page) throws -> Bool
  ) throws {
    let table = feed.table
    try server.check(table)
    let from = token?.timestamp.map { Timestamp(ticks: $0.ticks - Int64(overlap) * 10_000) }
    guard !feed.isIDs || token != nil else {
      let newest = rows(of: feed, from: nil).compactMap(\.updatedAt).max()
      _ = try each(Page(rows: [], token: newest.map { DeltaToken($0.text) }))
      return
    }
    // Where commits come late, what was stamped since the pull began may have some before it.
    let latest = overlap > 0 ? server.clock : .max
    var rest = rows(of: feed, from: from)[...]
    let total = rest.count
    var number = 0
    while number == 0 || !rest.isEmpty {
      let size = endsPagesEarly ? 1 + number * 7 % pageSize : pageSize
      number += 1
      let rows = Array(rest.prefix(size))
      rest = rest.dropFirst(size)
      let writes = server.writes.count
      let last = rows.last
      let token = last?.updatedAt.map { DeltaToken(Timestamp(ticks: min($0.ticks, latest)).text) }
      let page = Page(rows: rows, token: token, total: total, isLast: rest.isEmpty)
      guard try each(page) else { return }
      // A row that was changed meanwhile moves behind the others, and is met again.
      guard let last, server.writes.count != writes else { continue }
      rest = self.rows(of: feed, from: from).drop { Self.place($0) <= Self.place(last) }
    }
  }

  package mutating func rows(_ ids: [ItemID], of feed: Feed) throws -> Page {
    try server.check(feed.table)
    return Page(rows: rows(of: feed, from: nil).filter { ids.contains($0.id) })
  }

  /// Returns a feed's rows from a moment on, in the order in which they are listed.
  private func rows(of feed: Feed, from moment: Timestamp?) -> [Row] {
    server.rows.filter { entry in
      entry.key.table == feed.table && ModelServer.has(feed, entry.value.item)
        && (moment.map { (entry.value.updatedAt ?? $0) >= $0 } ?? true)
    }.map { _, row in
      guard feed.isIDs else { return row }
      return Row(
        id: row.id, item: Item(JSONObject()), version: row.version, updatedAt: row.updatedAt,
        deleted: row.deleted)
    }.sorted { Self.place($0) < Self.place($1) }
  }

  private static func place(_ row: Row) -> (Int64, ItemID) { (row.updatedAt?.ticks ?? 0, row.id) }
}
