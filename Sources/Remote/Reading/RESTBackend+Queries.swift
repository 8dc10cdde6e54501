package import SyncEngine
package import SyncModel

extension RESTBackend {
  /// Returns what a query asks its table for, in the words of the server's dialect.
  ///
  /// A value gets its type from the field's value that `like` returns, or else from a row of the server. If the
  /// table is empty, the look of the value decides.
  ///
  /// - Throws: ``Stop``; ``NameError`` where no row has the field, or the dialect can't say the condition.
  package mutating func feed(
    of query: Query, like value: (Text) throws -> JSON?
  ) throws -> Feed {
    func joined(_ words: [String], _ sign: String) -> String {
      words.count == 1 ? words[0] : words.map { "(\($0))" }.joined(separator: sign)
    }
    var groups: [String] = []
    for group in query.groups {
      var words: [String] = []
      for condition in group {
        var sample = try value(condition.field)
        if sample == nil, condition.field != Item.idField {
          sample = try self.sample(of: condition.field, in: query.table)
        }
        words.append(try facts.dialect.words(of: condition, like: sample))
      }
      groups.append(joined(words, " and "))
    }
    let filter = Text(joined(groups, " or "))
    return Feed(query.table, query: query.name, filter: query.odata ?? filter)
  }

  /// Returns the value of a field in a row that has one; `nil` where the table is empty, or the rows have the
  /// field and no value.
  private mutating func sample(of field: Text, in table: TableName) throws -> JSON? {
    let present = Feed(table, filter: Text("\(try facts.dialect.name(of: field)) ne null"))
    for feed in [present, Feed(table)] {
      // A server may refuse a column that it doesn't have.
      guard case .page(let page) = try exchange.list(.all, of: feed, facts.dialect, top: 1) else {
        continue
      }
      guard case .row(let row)? = page.entries.first else { continue }
      let object = (try? JSON(parsing: row.text))?.object ?? JSONObject()
      if let json = Item(object).value(named: field), !json.isNull { return json }
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
          guard part.contains(where: { $0.text == entry.id }) else { throw passesOver(feed) }
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
      throw passesOver(feed)
    }
  }

  private func passesOver(_ feed: Feed) -> Stop {
    let all: [Hint] =
      feed.query.map {
        ["to pull the whole table: \(typed: "query", "rm", $0.string)"]
      } ?? []
    return .unsafe("the server passes over $filter", ways: all)
  }
}
