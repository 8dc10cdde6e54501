import SQLiteStore
import SyncModel

@testable import TableServer

/// The filters of the server, as SQL, and those of the client.
enum FilterTarget {
  static func run(_ bytes: [UInt8]) throws(Finding) {
    guard let text = Text(validating: bytes) else { return }
    if let filter = try? ODataFilter(text) {
      try print(filter)
      try evaluate(filter)
      // What a filter reads as must not depend on being within parentheses.
      if let grouped = Text(validating: [0x28] + bytes + [0x29]).flatMap({ try? ODataFilter($0) }) {
        try ensure(grouped == filter, "another filter in parentheses")
      }
    }
    if let query = try? QueryString(bytes), let list = try? ListQuery(query) {
      if let filter = list.filter { try print(filter) }
      for order in list.order {
        let sql = SQLFilter(order.column)
        try check(sql)
      }
    }
    try word(text)
  }

  // MARK: The server's

  /// Makes sure that the SQL is of the printer's own words, with a `?` for each value, and that
  /// SQLite takes it.
  private static func print(_ filter: ODataFilter) throws(Finding) {
    // The store refuses what is too deep for SQLite's parser.
    guard SQLFilter(filter).nesting <= SQLFilter.mostNesting else { return }
    var condition = "tbl = ? AND deleted = 0"
    var count = 1
    var members: [[Text]] = []
    for part in parts(of: filter) {
      let filter = SQLFilter(part, members: members)
      try check(filter)
      members = filter.members
      condition += " AND (\(filter.sql))"
      count += filter.arguments.count
    }
    let source = SQLFilter.source(members)
    count += source.arguments.count
    condition = "\(source.sql) WHERE \(condition)"
    if let fault = Self.database.fault(of: condition, arguments: count) {
      throw Finding(description: "\(fault): \(condition)")
    }
  }

  /// The conditions that must all hold, which the store puts side by side.
  private static func parts(of filter: ODataFilter) -> [ODataFilter] {
    guard case .all(let conditions) = filter else { return [filter] }
    return conditions.flatMap(parts)
  }

  private static let database = EmptyDatabase()

  private static func check(_ filter: SQLFilter) throws(Finding) {
    let sql = Array(filter.sql.utf8)
    let places = sql.count { $0 == UInt8(ascii: "?") }
    try ensure(places == filter.arguments.count, "\(places) places: \(filter.sql)")
    let pieces = sql.split { "(), ".utf8.contains($0) }
    for piece in pieces {
      let word = String(decoding: piece, as: UTF8.self)
      let isMember = filter.members.indices.contains { word == "m\($0)" }
      try ensure(isMember || words.contains(word), "not SQL: \(filter.sql)")
    }
  }

  /// Decides about some rows; a condition and its opposite never agree.
  private static func evaluate(_ filter: ODataFilter) throws(Finding) {
    for row in rows {
      do {
        let holds = try filter.holds(for: row)
        let opposite = try ODataFilter.not(filter).holds(for: row)
        try ensure(holds != opposite, "a filter and its opposite agree")
      } catch let finding as Finding {
        throw finding
      } catch {
        throw Finding(description: "a filter can't be decided: \(error)")
      }
    }
  }

  private static let rows: [StoredRow] = [
    #"{}"#, #"{"text":"a","n":1.5,"complete":true,"at":"2026-03-01T10:00:00.123Z","o":{"a":null}}"#,
  ].compactMap { body in
    guard let id = try? ItemID("a"), let version = Version("v") else { return nil }
    let moment = Moment(milliseconds: 1_772_359_200_123)
    return StoredRow(
      id: id, createdAt: moment, updatedAt: moment, version: version, isDeleted: false,
      body: Text(body))
  }

  /// All that may stand in a condition but parentheses, commas and blanks.
  private static let words: Set<String> = {
    let functions = FilterFunction.allCases.flatMap { function in
      [false, true].map { SQLFilter.name(of: function, isFlipped: $0) }
    }
    return Set(
      functions + [
        "?", "0", "1", "NULL", "NOT", "AND", "OR", "IS", "=", "<>", ">", ">=", "<", "<=",
        "coalesce", "id", "created_at", "updated_at", "version", "deleted",
      ])
  }()

  // MARK: The client's

  /// Reads a word of a command line; written again, it is the same filter.
  private static func word(_ text: Text) throws(Finding) {
    guard let filter = try? Filter(text), let id = try? ItemID("a") else { return }
    let values = filter.values.map { value in
      filter.comparison == .isIn ? escapingCommas(value) : value.string
    }
    let again =
      "\(filter.field)\(filter.comparison.rawValue)=\(values.joined(separator: ","))"
    try ensure(Text(again) == text || filter.comparison == .isIn, "\(again) was \(text)")
    try ensure((try? Filter(Text(again))) == filter, "\(again) reads otherwise than \(text)")
    for row in rows {
      guard let object = try? row.members() else { continue }
      let item = Item(object)
      let fits = filter.fits(id, item)
      if filter.comparison == .equal,
        let opposite = try? Filter(Text("\(filter.field).ne=\(values.joined())"))
      {
        try ensure(opposite.fits(id, item) != fits, "\(again) and its opposite agree")
      }
    }
  }

  private static func escapingCommas(_ value: Text) -> String {
    var bytes: [UInt8] = []
    for byte in value.bytes {
      if byte == UInt8(ascii: ",") { bytes.append(UInt8(ascii: "\\")) }
      bytes.append(byte)
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
