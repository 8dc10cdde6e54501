package import SyncEngine
package import SyncModel

extension RESTBackend {
  /// Returns what a query asks its table for, in the words of the server's dialect.
  ///
  /// A value gets its type from the field's value that `like` returns, or else from a row of the server. If the
  /// table is empty, the look of the value decides.
  ///
  /// - Throws: ``Stop``; ``QueryFault`` where no row has the field, or the dialect can't say the condition.
  package mutating func feed(
    of query: Query, like value: (Text) throws -> JSON?
  ) throws -> Feed {
    do { return try asked(of: query, like: value) } catch let error as NameError {
      throw QueryFault(error.description)
    }
  }

  private mutating func asked(
    of query: Query, like value: (Text) throws -> JSON?
  ) throws -> Feed {
    func joined(_ words: [String], _ sign: String) -> String {
      words.count == 1 ? words[0] : words.map { "(\($0))" }.joined(separator: sign)
    }
    var groups: [String] = []
    for group in query.groups {
      var words: [String] = []
      for condition in group {
        let sample = try sample(of: condition.field, in: query.table, like: value)
        let date =
          condition.comparison == .has
          ? nil : sample?.text.flatMap { DateSpan.isDate($0) ? $0 : nil }
        let isBare =
          try date.map { try hasBareDates(condition.field, in: query.table, $0) } ?? false
        words.append(try facts.dialect.words(of: condition, like: sample, datesAreBare: isBare))
      }
      groups.append(joined(words, " and "))
    }
    let filter = Text(joined(groups, " or "))
    return Feed(query.table, query: query.name, filter: query.odata ?? filter)
  }

  /// Makes sure, before a query is first pulled, that the server finds a row by a part of its text, as it
  /// finds it by the whole.
  ///
  /// - Throws: ``Stop``; ``QueryFault`` where it doesn't.
  package mutating func check(_ query: Query, like value: (Text) throws -> JSON?) throws {
    for condition in query.groups.joined() where condition.comparison == .has {
      let (field, table) = (condition.field, query.table)
      guard field != Item.idField, let text = try sample(of: field, in: table, like: value)?.text,
        let part = text.part, let name = try? facts.dialect.name(of: field),
        let has = try? facts.dialect.words(
          of: Filter(Text("\(field).has=\(part)")), like: .string(text))
      else { continue }
      func isFound(_ words: String) throws -> Bool? {
        if case .page(let page) = try probe(words, table) { !page.entries.isEmpty } else { nil }
      }
      if try isFound(has) == false, try isFound("\(name) eq \(facts.dialect.literal(text))") == true
      {
        throw QueryFault("this server finds no parts of texts")
      }
    }
  }

  /// Asks for one row of a table that fits a condition.
  private mutating func probe(_ words: String, _ table: TableName) throws -> ListReply {
    try exchange.list(
      .all, of: Feed(table, filter: Text(words)), facts.dialect, top: 1, failures: 2)
  }

  /// Whether dates of a field stand without quotes: a server of OData 4 that has a column of dates wants it so.
  private mutating func hasBareDates(
    _ field: Text, in table: TableName, _ date: Text
  ) throws -> Bool {
    let dialect = facts.dialect
    guard !dialect.usesSubstring else { return false }
    if let known = facts.tables[table]?.bareDates[field] { return known }
    for (isBare, literal) in [(false, dialect.literal(date)), (true, date.string)] {
      switch try probe("\(try dialect.name(of: field)) ge \(literal)", table) {
      case .page:
        facts.tables[table, default: TableFacts()].bareDates[field] = isBare
        return isBare
      case .refused(let answer): if answer.status != 400 { return false }
      }
    }
    return false
  }

  /// Returns the value that a field has here, or else in a row of the server; `nil` where the table is empty, or
  /// the rows have the field and no value.
  private mutating func sample(
    of field: Text, in table: TableName, like value: (Text) throws -> JSON?
  ) throws -> JSON? {
    if let known = try value(field) { return known }
    if field == Item.idField { return nil }
    let name = try facts.dialect.name(of: field)
    let present = Feed(table, filter: Text("\(name) ne null"))
    for feed in [present, Feed(table)] {
      // A server may refuse a column that it doesn't have.
      guard case .page(let page) = try exchange.list(.all, of: feed, facts.dialect, top: 1) else {
        continue
      }
      guard case .row(let row)? = page.entries.first else { continue }
      let object = (try? JSON(parsing: row.text))?.object ?? JSONObject()
      if let json = Item(object).value(named: field), !json.isNull {
        // An empty text tells nothing.
        guard json == "",
          case .page(let page) = try probe("(\(name) ne null) and (\(name) ne '')", table),
          case .row(let row)? = page.entries.first,
          let object = (try? JSON(parsing: row.text))?.object
        else { return json }
        return Item(object).value(named: field)
      }
      let path = FieldPath(reading: field)?.field ?? field
      let head = object[path] ?? .null
      guard object[field] != nil || object[path] != nil && (head.isNull || head.object != nil)
      else {
        throw NameError("no row has a field '\(field)'")
      }
      return nil
    }
    return nil
  }

  package mutating func rows(_ ids: [ItemID], of feed: Feed) throws -> Page {
    var rest = ids[...]
    var found = Page(rows: [])
    var most = RowRange.ids
    while !rest.isEmpty {
      var size = min(most, facts.tables[feed.table]?.idsAtOnce ?? RowRange.ids, rest.count)
      // What is refused for its length is asked for in parts.
      while size > 1, length(of: rest.prefix(size), of: feed) > RowRange.targetBytes { size /= 2 }
      let part = Array(rest.prefix(size))
      let range = RowRange.these(part, areNumbers: hasNumberIDs(feed.table, part))
      switch try exchange.list(range, of: feed, facts.dialect, top: part.count, failures: 2) {
      case .refused(let answer):
        guard [400, 413, 414].contains(answer.status), size > 1 else {
          throw exchange.stop(for: answer, feed.table)
        }
        facts.tables[feed.table, default: TableFacts()].idsAtOnce = size / 2
      case .page(let page):
        let ids = Set(page.entries.compactMap(\.id))
        // A page may be cut short: the others are asked for again, and fewer where it says that more follow.
        let others = part.filter { !ids.contains($0.text) }
        rest = rest.dropFirst(size)
        if !others.isEmpty, !ids.isEmpty || page.hasLink {
          guard !ids.isEmpty || size > 1 else { throw PullCursor.hidden }
          if ids.isEmpty { most = size / 2 }
          rest = others + rest
        }
        for entry in page.entries {
          guard part.contains(where: { $0.text == entry.id }) else {
            throw Stop.unsafe(.unfiltered(query: feed.query))
          }
          found.add(entry)
        }
      }
    }
    return found
  }

  private func length(of ids: ArraySlice<ItemID>, of feed: Feed) -> Int {
    let range = RowRange.these(Array(ids), areNumbers: false)
    return facts.dialect.target(range, of: feed, top: ids.count).utf8.count
  }

  private func hasNumberIDs(_ table: TableName, _ ids: [ItemID]) -> Bool {
    facts.tables[table]?.makesIDs == true
      && ids.allSatisfy { $0.text.bytes.allSatisfy(\.isDigit) }
  }

  /// Gives how far the ids of a table have come, and none of them.
  mutating func begin(_ feed: Feed, _ each: (Page) throws -> Bool) throws {
    let reply = try exchange.list(.newest, of: feed, facts.dialect, top: 1)
    guard case .page(let page) = reply else { return }
    var cursor = cursor(from: nil, in: feed.table)
    cursor.range = nil
    (cursor.reached, cursor.began) = (page.entries.first?.time, page.date)
    _ = try each(Page(rows: [], token: cursor.token))
  }

  /// Makes sure that the server filters, once the first page of a whole query has rows: one that passes over
  /// the condition would bring the whole table, and finds a row that there can't be.
  mutating func check(_ page: ListPage, of feed: Feed) throws {
    guard feed.query != nil, !feed.isIDs, !page.entries.isEmpty else { return }
    let isNumber = facts.tables[feed.table]?.makesIDs == true
    let range = RowRange.these([try ItemID(isNumber ? "0" : "tsync-query")], areNumbers: isNumber)
    if case .page(let page) = try exchange.list(range, of: feed, facts.dialect, top: 1, failures: 2),
      !page.entries.isEmpty
    {
      throw Stop.unsafe(.unfiltered(query: feed.query))
    }
  }
}

extension Text {
  /// Three letters or digits of ASCII on end; `nil` where there are none, or the text is too long for an address.
  fileprivate var part: Text? {
    let bytes = bytes
    guard (3...200).contains(bytes.count) else { return nil }
    return (0...bytes.count - 3).lazy.map { bytes[$0..<$0 + 3] }
      .first { $0.allSatisfy { $0.isLetter || $0.isDigit } }.map { Text(decoding: $0) }
  }
}
