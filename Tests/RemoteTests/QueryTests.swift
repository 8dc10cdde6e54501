import Remote
import SyncEngine
import SyncModel
import TestSupport
import Testing

@Suite("How the server is asked for queries") struct QueryTests {
  private let stage = Stage()

  private func query(_ words: Text..., odata: Text? = nil) throws -> Query {
    try Query(name: "open", table: Sample.table, filter: words, odata: odata)
  }

  /// The field's value in the rows that are here.
  private static func here(_ field: Text) -> JSON? {
    let row = Sample.object(
      #"{"owner":"anna","complete":false,"priority":4,"due":null,"tags":["a"]}"#)
    return row[field].flatMap { $0.isNull ? nil : $0 }
  }

  @Test(
    "a filter in the words of each dialect",
    arguments: [
      ("complete=false", "complete eq false"),
      ("priority.ge=4", "priority ge 4"),
      ("owner=O'Brien", "owner eq 'O''Brien'"),
      ("owner=4", "owner eq '4'"),
      (#"owner="4""#, "owner eq '4'"),
      ("owner=", "(owner eq null) or (owner eq '')"),
      ("owner.ne=", "(owner ne null) and (owner ne '')"),
      ("priority=", "priority eq null"),
      ("owner.ne=anna", "(owner ne 'anna') or (owner eq null)"),
      ("owner.in=anna,ben", "(owner eq 'anna') or (owner eq 'ben')"),
      ("priority.in=1,2", "(priority eq 1) or (priority eq 2)"),
      ("owner.lt=m", "owner lt 'm'"),
      ("id=x1", "id eq 'x1'"),
      ("id=4", "id eq '4'"),
      ("owner.has=An", "HAS"),
    ] as [(Text, String)])
  func words(word: Text, filter: String) throws {
    for dialect in Dialect.allCases {
      var backend = stage.backend(
        ScriptedTransport(.json(500, "")), facts: ServerFacts(dialect: dialect))
      let feed = try backend.feed(of: query(word), like: Self.here)
      let has =
        [.mobileServices, .mobileApps].contains(dialect)
        ? "substringof('an',tolower(owner))" : "contains(tolower(owner),'an')"
      #expect(feed.filter?.string == filter.replacing("HAS", with: has), "\(dialect)")
    }
  }

  @Test("all conditions must hold, and OData goes as it is")
  func several() throws {
    var backend = stage.backend(ScriptedTransport(.json(500, "")))
    let both = try backend.feed(of: query("owner=anna", "priority.ge=4"), like: Self.here)
    #expect(both.filter == "(owner eq 'anna') and (priority ge 4)")
    let odata = try backend.feed(of: query(odata: "due gt now()"), like: Self.here)
    #expect(odata.filter == "due gt now()")
  }

  @Test(
    "what a query can't say is refused",
    arguments: [
      ("priority=high", "priority is a number, and 'high' is not"),
      ("complete=no", "complete is true or false, and 'no' is not"),
      ("complete.gt=false", "complete is true or false, which has no order"),
      ("priority.has=4", "priority is no text, which .has looks into"),
      ("tags=a", "a query can't ask for the field 'tags' (for OData: --odata)"),
      ("a b=c", "a query can't ask for the field 'a b' (for OData: --odata)"),
    ] as [(Text, String)])
  func refused(word: Text, words: String) throws {
    var backend = stage.backend(ScriptedTransport(.json(500, "")))
    #expect(throws: QueryFault(words)) { try backend.feed(of: query(word), like: Self.here) }
  }

  @Test("where no row here has the field, one of the server's says its type, or that there is none")
  func sample() throws {
    let row = #"[{"id":"a","done":true,"note":null,"n":2}]"#
    let transport = ScriptedTransport { request in
      // A server that doesn't know a column finds nothing.
      .success(.json(200, request.url.contains("filter=done%20ne%20null") ? row : "[]"))
    }
    var backend = stage.backend(transport, facts: ServerFacts(dialect: .mobileApps))
    #expect(try backend.feed(of: query("done=true"), like: { _ in nil }).filter == "done eq true")
    #expect(
      transport.log.targets == [
        "tables/todoitem?$filter=done%20ne%20null&$orderby=updatedAt,id&$top=1&__includeDeleted=true"
      ])
    // The table is empty.
    for (word, filter) in [
      ("n=4", "n eq 4"), ("n=\"4\"", "n eq '4'"), ("n=true", "n eq true"), ("n=t", "n eq 't'"),
    ] as [(Text, Text)] {
      #expect(try backend.feed(of: query(word), like: { _ in nil }).filter == filter)
    }
    let full = ScriptedTransport { request in
      .success(
        request.url.contains("complte")
          ? .json(400, "no such column")
          : .json(200, request.url.contains("$filter") ? "[]" : row))
    }
    backend = stage.backend(full, facts: ServerFacts(dialect: .mobileApps))
    #expect(throws: QueryFault("no row has a field 'complte'")) {
      try backend.feed(of: query("complte=true"), like: { _ in nil })
    }
    // A field that no row has a value for.
    #expect(try backend.feed(of: query("note=x"), like: { _ in nil }).filter == "note eq 'x'")
  }

  @Test(
    "what is refused is the query's fault where the table answers, else the server's",
    arguments: [400, 500, 501])
  func fault(status: Int) throws {
    for answers in [true, false] {
      let transport = ScriptedTransport { request in
        let isQuery = request.url.contains("complete")
        return .success(
          isQuery || !answers
            ? .json(status, #"{"error":"no"}"#) : .json(200, #"{"items":[],"count":0}"#))
      }
      var backend = stage.backend(transport)
      let feed = try backend.feed(of: query("complete=false"), like: Self.here)
      if answers {
        #expect(throws: QueryFault("the server answered \(status) no")) {
          try backend.pages(of: feed, from: nil) { _ in true }
        }
      } else {
        #expect(throws: Stop.self) { try backend.pages(of: feed, from: nil) { _ in true } }
      }
    }
  }

  @Test(
    "a server that finds no row by a part of its text is told before the first pull",
    arguments: [true, false])
  func parts(finds: Bool) throws {
    let transport = ScriptedTransport { request in
      let hasPart = request.url.contains("contains")
      let row = #"{"id":"a","owner":"anna"}"#
      return .success(.json(200, #"{"items":[\#(hasPart && !finds ? "" : row)]}"#))
    }
    var backend = stage.backend(transport)
    let query = try query("owner.has=an")
    if finds {
      try backend.check(query, like: Self.here)
    } else {
      #expect(throws: QueryFault("this server finds no parts of texts")) {
        try backend.check(query, like: Self.here)
      }
    }
    #expect(
      transport.log.targets.map { String($0.prefix { $0 != "&" }) }
        == [
          "tables/todoitem?$filter=contains(tolower(owner),'ann')",
          "tables/todoitem?$filter=owner%20eq%20'anna'",
        ].dropLast(finds ? 1 : 0))
    // No text that could show it.
    try backend.check(query, like: { _ in "a-b" })
    #expect(transport.log.requests.count == (finds ? 1 : 2))
  }

  @Test(
    "an empty text doesn't tell that a field has dates; a word in a field of texts is the query's fault"
  )
  func emptySample() throws {
    let transport = ScriptedTransport { request in
      let old = request.url.contains("ne%20''") ? "2026-03-01" : ""
      return .success(.json(200, #"{"items":[{"id":"a","due":"\#(old)"}]}"#))
    }
    var backend = stage.backend(transport)
    func query(_ word: Text) throws -> Query {
      try self.query(word).reading { text in
        let day = CivilDate(text == "today" ? "2026-03-02" : text)
        return day.map { DateSpan($0, from: $0.daysSince1970, to: $0.daysSince1970) }
      }
    }
    #expect(
      try backend.feed(of: query("due=today"), like: { _ in nil }).filter
        == "(due ge '2026-03-02') and (due lt '2026-03-03')")
    let words = #"due is not a date in each row; as a text: 'due.le="today"'"#
    #expect(throws: QueryFault(words)) {
      try backend.feed(of: query("due.le=today"), like: { _ in "soon" })
    }
    #expect(
      try backend.feed(of: query("due.le=2026-03-02"), like: { _ in "soon" }).filter
        == "due le '2026-03-02'")
  }

  @Test("dates stand without quotes where the server wants it so, and it is asked once")
  func bareDates() throws {
    let transport = ScriptedTransport { request in
      .success(
        request.url.contains("'") ? .json(400, "{}") : .json(200, #"{"items":[],"count":0}"#))
    }
    var backend = stage.backend(transport)
    func filter(_ word: Text, _ old: Text) throws -> Text? {
      let query = try query(word).reading { text in
        CivilDate(text).map { day in
          let start = day.daysSince1970 * 86_400 * Timestamp.perSecond
          return DateSpan(day, from: start, to: start + 86_400 * Timestamp.perSecond)
        }
      }
      return try backend.feed(of: query, like: { _ in .string(old) }).filter
    }
    #expect(try filter("due.lt=2026-03-02", "2026-03-01") == "(due lt 2026-03-02)")
    #expect(try filter("due=", "2026-03-01") == "due eq null")
    #expect(try filter("due.ne=", "2026-03-01") == "due ne null")
    #expect(
      transport.log.targets.map { String($0.prefix { $0 != "&" }) } == [
        "tables/todoitem?$filter=due%20ge%20'2026-03-01'",
        "tables/todoitem?$filter=due%20ge%202026-03-01",
      ])
    #expect(
      try filter("done=2026-03-02", "2026-03-01T10:00:00.000Z")
        == "(done ge 2026-03-02T00:00:00.000Z) and (done lt 2026-03-03T00:00:00.000Z)")
    #expect(backend.facts.tables[Sample.table]?.bareDates == ["due": true, "done": true])
    let facts = try #require(backend.facts.tables[Sample.table])
    #expect(TableFacts(facts.json) == facts)
    backend = stage.backend(ScriptedTransport(.json(200, #"{"items":[],"count":0}"#)))
    #expect(
      try filter("due.lt=2026-03-02", "2026-03-01") == "(due lt '2026-03-02') and (due ne '')")
  }

  @Test("each request of a query has its filter, and that of the pages beside it")
  func pages() throws {
    let transport = ScriptedTransport(.json(200, #"{"items":[],"count":0}"#))
    var backend = stage.backend(transport)
    let feed = try backend.feed(of: query("complete=false"), like: Self.here)
    let token = DeltaToken("2026-03-01T10:00:00.123Z")
    for token in [nil, token] { try backend.pages(of: feed, from: token) { _ in true } }
    #expect(
      transport.log.targets == [
        "tables/todoitem?$filter=complete%20eq%20false&$orderby=updatedAt,id&$top=1000"
          + "&__includedeleted=true&$count=true",
        "tables/todoitem?$filter=(complete%20eq%20false)%20and%20"
          + "(updatedAt%20ge%20cast(2026-03-01T10:00:00.123Z,Edm.DateTimeOffset))"
          + "&$orderby=updatedAt,id&$top=1000&__includedeleted=true&$count=true",
      ])
  }

  @Test("of ids nothing else is asked for, and without a token only how far they have come")
  func ids() throws {
    let row = #"{"id":"a","updatedAt":"2026-03-01T10:00:00.123Z","version":"v1"}"#
    var fields = [HTTPField("Date", "Sun, 01 Mar 2026 10:01:00 GMT")]
    let transport = ScriptedTransport { _ in
      .success(.json(200, #"{"items":[\#(row)],"count":1}"#, fields))
    }
    for (ours, token) in [(false, "09:59:00.000Z"), (true, "10:00:00.123Z")] {
      var facts = ServerFacts(dialect: .datasync)
      if ours {
        facts.dataset = "d"
        fields.append(HTTPField("X-Tsync-Dataset", "d"))
      }
      var backend = stage.backend(transport, facts: facts)
      var pages: [Page] = []
      try backend.pages(of: .ids(of: Sample.table), from: nil) {
        pages.append($0)
        return true
      }
      #expect(pages.flatMap(\.rows).isEmpty)
      #expect(pages.map(\.token) == [DeltaToken(Text("2026-03-01T\(token)"))])
    }
    fields.removeLast()
    var backend = stage.backend(transport)
    let start = DeltaToken("2026-03-01T10:00:00.000Z")
    var found: [String] = []
    try backend.pages(of: .ids(of: Sample.table), from: start) {
      found += $0.rows.map(\.id.description)
      return true
    }
    #expect(found == ["a"])
    #expect(
      transport.log.targets.first
        == "tables/todoitem?$select=id,updatedAt,version,deleted&$orderby=updatedAt%20desc&$top=1"
        + "&__includedeleted=true")
    #expect(
      transport.log.targets.last?.hasPrefix(
        "tables/todoitem?$filter=updatedAt%20ge%20cast(2026-03-01T10:00:00.000Z,Edm.DateTimeOffset)"
          + "&$select=id,updatedAt,version,deleted&$orderby=updatedAt,id&$top=1000") == true)
  }

  @Test(
    "rows are asked for by their ids, so many at a time as the server takes",
    arguments: [400, 413, 414])
  func chunks(status: Int) throws {
    func count(_ url: String) -> Int { url.split(separator: "id%20eq").count - 1 }
    let transport = ScriptedTransport { request in
      .success(
        count(request.url) > 10 ? .json(status, "{}") : .json(200, #"{"items":[],"count":0}"#))
    }
    var backend = stage.backend(transport)
    let feed = try backend.feed(of: query("complete=false"), like: Self.here)
    let ids = try (0..<45).map { try ItemID(Text("i\($0)")) }
    #expect(try backend.rows(ids, of: feed) == Page(rows: []))
    #expect(transport.log.targets.map(count) == [20, 10, 10, 10, 10, 5])
    #expect(backend.facts.tables[Sample.table]?.idsAtOnce == 10)
    #expect(
      transport.log.targets.last?.hasPrefix(
        "tables/todoitem?$filter=(complete%20eq%20false)%20and%20((id%20eq%20'i40')%20or%20(id")
        == true)
    // Longer ids make fewer at once, before the address is longer than servers take.
    let long = try (0..<20).map { try ItemID(Text(String(repeating: "x", count: 150) + "\($0)")) }
    _ = try backend.rows(long, of: feed)
    #expect(transport.log.targets.allSatisfy { $0.utf8.count < 2_048 })
  }

  @Test(
    "of rows that are asked for by their ids, a page that is cut short is no word about the others",
    arguments: [true, false])
  func cutShort(hasLink: Bool) throws {
    func row(_ id: String) -> String { #"{"id":"\#(id)","complete":false}"# }
    let transport = ScriptedTransport { request in
      let there = ["i1", "i2", "i3"].filter { request.url.contains("'\($0)'") }
      // Two rows a page, and a link where the server has them.
      let page = there.prefix(2).map(row).joined(separator: ",")
      let link = hasLink && there.count > 2 ? #","nextLink":"https://x.test/next""# : ""
      return .success(.json(200, #"{"items":[\#(page)]\#(link)}"#))
    }
    var backend = stage.backend(transport)
    let feed = try backend.feed(of: query("complete=false"), like: Self.here)
    let ids = try (1...4).map { try ItemID(Text("i\($0)")) }
    #expect(try backend.rows(ids, of: feed).rows.map(\.id.description) == ["i1", "i2", "i3"])
    let empty = ScriptedTransport(.json(200, #"{"items":[],"nextLink":"https://x.test/next"}"#))
    backend = stage.backend(empty)
    #expect(throws: Stop.self) { try backend.rows(ids, of: feed) }
    #expect(empty.log.targets.count == 3)
  }

  @Test("a server that passes over the filter is found out, and nothing of its page is handed out")
  func passedOver() throws {
    let page = #"{"items":[{"id":"a","complete":false},{"id":"b","complete":true}],"count":2}"#
    let transport = ScriptedTransport(.json(200, page))
    var backend = stage.backend(transport)
    let feed = try backend.feed(of: query("complete=false"), like: Self.here)
    let stop = Stop.unsafe(.unfiltered(query: "open"))
    #expect(throws: stop) {
      try backend.pages(of: feed, from: nil) { _ in
        Issue.record("a page is handed out")
        return true
      }
    }
    #expect(throws: stop) { try backend.rows([ItemID("c")], of: feed) }
  }
}
