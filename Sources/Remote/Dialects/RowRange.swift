import SyncModel

/// Which rows of a table a list is asked for, in which order.
enum RowRange: Equatable {
  /// All, by time.
  case all
  /// Those changed at a time or later, by time.
  case since(Timestamp)
  /// Those changed at `start` or later and before `end`, by id, after an id.
  case within(start: Timestamp, end: Timestamp, after: Text?)
  /// Those without a time, by id, after an id.
  case untimed(after: Text?)
  /// All of a table whose rows have no time, by id, after an id, which may be a number.
  case byID(after: Text?, isNumber: Bool)
  /// The one with this id.
  case only(ItemID)
  /// Those with these ids, which may be numbers.
  case these([ItemID], areNumbers: Bool)
  /// All, the last change first.
  case newest

  /// How many ids one request asks for at most.
  static let ids = 20
  /// How many bytes a request's target may have where that can be chosen: IIS takes a query of 2 048.
  static let targetBytes = 1_900

  /// The order, as a server takes it.
  func order(_ dialect: Dialect) -> String? {
    switch self {
    case .all, .since: "\(dialect.column(.updatedAt)),id"
    case .within, .untimed, .byID: "id"
    case .newest: "\(dialect.column(.updatedAt))%20desc"
    case .only, .these: nil
    }
  }

  /// The condition in the words of a dialect; `nil` where there is none.
  func filter(_ dialect: Dialect) -> String? {
    let time = dialect.column(.updatedAt)
    return switch self {
    case .all, .newest: nil
    case .since(let start): "\(time) ge \(dialect.literal(start))"
    case .within(let start, let end, let id):
      "(\(time) ge \(dialect.literal(start))) and (\(time) lt \(dialect.literal(end)))"
        + Self.after(id, dialect)
    case .untimed(let id): "(\(time) eq null)" + Self.after(id, dialect)
    case .byID(let id, let isNumber):
      id.map { "id gt \(isNumber ? $0.string : dialect.literal($0))" }
    case .only(let id): "id eq \(dialect.literal(id.text))"
    case .these(let ids, let areNumbers):
      ids.map { "(id eq \(areNumbers ? $0.text.string : dialect.literal($0.text)))" }
        .joined(separator: " or ")
    }
  }

  private static func after(_ id: Text?, _ dialect: Dialect) -> String {
    id.map { " and (id gt \(dialect.literal($0)))" } ?? ""
  }
}

extension Dialect {
  /// Returns a text as a literal: in quotes, its own doubled.
  func literal(_ text: Text) -> String {
    var bytes = Array("'".utf8)
    for byte in text.bytes {
      if byte == UInt8(ascii: "'") { bytes.append(byte) }
      bytes.append(byte)
    }
    return String(decoding: bytes + "'".utf8, as: UTF8.self)
  }

  /// Returns a time as a literal, as the server wrote it.
  func literal(_ time: Timestamp) -> String {
    let text = Self.isPlain(time.text.bytes) ? time.text : Timestamp(ticks: time.ticks).text
    return "\(self.time.before)\(text)\(self.time.after)"
  }

  /// Whether every filter takes a time as it is written.
  ///
  /// A blank, a small letter, a leap second and an offset of most of a day are legal in RFC 3339, but
  /// not everywhere.
  private static func isPlain(_ time: [UInt8]) -> Bool {
    let hours = time.last == UInt8(ascii: "Z") ? 0 : time.dropLast(3).suffix(2).decimal ?? 24
    return hours < 14 && !time.holds(word: ":60")
      && time.allSatisfy { $0.isDigit || "-:.+TZ".utf8.contains($0) }
  }
}

extension Dialect {
  /// Returns the target of a list request: for `top` rows at most, the server's own measure where it
  /// is `nil`, after passing over `skip`; with `counts`, the answer tells how many there are in all.
  func target(
    _ range: RowRange, of feed: Feed, top: Int? = nil, skip: Int = 0, counts: Bool = false
  ) -> String {
    var options: [String] = []
    let conditions = [feed.filter?.string, range.filter(self)].compactMap(\.self)
    let filter =
      conditions.count == 1
      ? conditions[0] : conditions.map { "(\($0))" }.joined(separator: " and ")
    if !conditions.isEmpty { options.append("$filter=\(Text(filter).queryEncoded)") }
    if feed.isIDs {
      let columns = [SystemField.updatedAt, .version, .deleted].map { "\(column($0))" }
      options.append("$select=id,\(columns.joined(separator: ","))")
    }
    if let order = range.order(self) { options.append("$orderby=\(order)") }
    if skip > 0 { options.append("$skip=\(skip)") }
    if let top { options.append("$top=\(top)") }
    options.append(includesDeleted)
    if counts { options.append(countsAll) }
    return target("tables/\(feed.table)", options)
  }

  /// Returns the path of one row.
  func path(of key: ItemKey) -> String { "tables/\(key.table)/\(key.id.text.percentEncoded)" }
}
