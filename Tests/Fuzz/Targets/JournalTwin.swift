import SyncEngine

@testable import SyncModel
@testable import Workspace

/// What a table's journal says, by the rules of tsync-log-format(5) and without places or checksums.
struct JournalTwin: Equatable {
  private var rows: [ItemID: Row] = [:]
  private var waiting: [ItemID: Arrival] = [:]
  private var tokens: [Feed: DeltaToken] = [:]
  private let table: TableName
  private var measure: Int?

  /// Makes the twin of an empty log.
  init(_ table: TableName) { self.table = table }

  /// Asks a log for all that it knows.
  init(_ log: Journal) throws(Finding) {
    table = log.table
    (tokens, measure) = (log.rows.state.tokens, log.rows.state.measure)
    var ids: [ItemID] = []
    log.rows.forEach { id, _ in if let id = ItemID(id) { ids.append(id) } }
    var known: [ItemID] = []
    do {
      for id in ids { rows[id] = try log.base(of: id).row }
      for arrival in try log.arrivals() { waiting[arrival.id] = arrival }
      known = try log.ids(.live)
    } catch {
      throw Finding(description: "a row can't be read: \(error)")
    }
    let live = ids.filter { rows[$0]?.deleted == false }
    try ensure(known.sorted() == live.sorted(), "other live rows")
    try ensure(log.rows.liveCount == live.count, "\(log.rows.liveCount) live rows")
  }

  /// Takes a line's members; answers whether they say anything.
  mutating func take(_ line: [UInt8]) -> Bool {
    if let (arrival, isBase) = Self.row(in: line) {
      if isBase {
        rows[arrival.row.id] = arrival.row
        waiting[arrival.row.id] = nil
      } else {
        if let base = arrival.base { rows[arrival.id] = base }
        waiting[arrival.id] = arrival
      }
      return true
    }
    let text = [UInt8(ascii: "{")] + line + [UInt8(ascii: "}")]
    guard let object = (try? JSON(parsing: text))?.object, object["row"] == nil else {
      return false
    }
    if let names = object["but"]?.elements {
      let ids = names.compactMap { $0.text.flatMap { try? ItemID($0) } }
      guard ids.count == names.count, object["taken"]?.boolean == true else { return false }
      take(but: Set(ids), nil)
      return true
    }
    // What is said of writes is no row.
    for name in ["sent", "refused", "ends"] as [Text] where object[name] != nil {
      return object[name]?.text.flatMap { try? ItemID($0) } != nil
    }
    let (token, count) = (object["token"], object["of"])
    guard object["held"] == nil, let token, token.isNull || token.text != nil,
      count == nil || count?.integer != nil
    else { return false }
    let feed = Feed(table, query: object["query"]?.text, filter: object["filter"]?.text)
    tokens = tokens.filter { $0.key.query != feed.query }
    tokens[feed] = token.text.map(DeltaToken.init)
    measure = count?.integer ?? measure
    return true
  }

  /// Makes the arrivals bases, but some, and moves the token.
  mutating func take(but ids: Set<ItemID>, _ token: DeltaToken?) {
    if let token { tokens[Feed(table)] = token }
    for (id, arrival) in waiting where !ids.contains(id) {
      rows[id] = nil
      rows[arrival.row.id] = arrival.row
      waiting[id] = nil
    }
  }

  /// What may be said of a row.
  private static let names: [Text] = ["by", "had", "over", "mine", "ends"]

  /// Returns the row of a line, and whether it is a base.
  static func row(in line: [UInt8]) -> (arrival: Arrival, isBase: Bool)? {
    let text = [UInt8(ascii: "{")] + line + [UInt8(ascii: "}")]
    guard let json = try? JSON(parsing: text), json.duplicate == nil, let object = json.object,
      object.members.last?.name == "row",
      object.members.dropLast().allSatisfy({ names.contains($0.name) }),
      let start = line.firstRange(of: Array(#""row":"#.utf8))
    else { return nil }
    let row = Array(line[start.upperBound...])
    guard let fields = (try? JSON(parsing: row))?.object, var row = try? Row(fields, text: row)
    else { return nil }
    row.had = (object["had"]?.elements ?? []).compactMap { $0.text.flatMap(Version.init) }
    var was: ItemID?
    if let ends = object["ends"] {
      guard let id = ends.text.flatMap({ try? ItemID($0) }) else { return nil }
      was = id == row.id || object["by"] != nil ? nil : id
    }
    let arrival = Arrival(
      row, over: object["over"]?.object.map { Item($0) }, isMine: object["mine"] != nil, was: was)
    return (arrival, object["by"] != nil)
  }
}
