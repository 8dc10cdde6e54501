import Remote
import SyncEngine
import SyncModel
import Testing

@Suite struct PullEndingTests {
  private let stage = Stage()

  private func pages(
    _ transport: ScriptedTransport, from token: String? = nil,
    facts: ServerFacts = ServerFacts(dialect: .datasync),
    settings: RemoteSettings = RemoteSettings(pageSize: 3)
  ) throws -> [Page] {
    var pages: [Page] = []
    var backend = stage.backend(transport, facts: facts, settings: settings)
    try backend.pages(of: Feed(Sample.table), from: token.map { DeltaToken(Text($0)) }) {
      pages.append($0)
      return true
    }
    return pages
  }

  private func row(_ id: String, _ time: String?) -> String {
    let time = time.map { #""\#($0)""# } ?? "null"
    return #"{"id":"\#(id)","updatedAt":\#(time),"version":"v1"}"#
  }

  private func list(_ rows: String..., date: String? = nil, count: Int? = nil) -> HTTPAnswer {
    .json(
      200,
      #"{"items":[\#(rows.joined(separator: ","))],"count":\#(count.map(String.init) ?? "null")}"#,
      date.map { [HTTPField("Date", $0)] } ?? [])
  }

  private let one = "2026-03-01T10:00:01Z"
  private let two = "2026-03-01T10:00:02Z"

  private static let endless = Stop.notSpeaking(
    "the pull makes no progress: the server keeps sending the same rows")

  @Test("a bad row at the end doesn't move the token, and is passed all the same")
  func badRowAtTheEnd() throws {
    let bad = #"{"id":"b","x":1,"x":2,"updatedAt":"\#(two)"}"#
    let transport = ScriptedTransport(list(row("a", one), bad), list(bad), list())
    let found = try pages(
      transport, facts: ServerFacts(dialect: .datasync), settings: RemoteSettings(overlapSeconds: 0)
    )
    #expect(transport.log.targets[1].contains("10:00:02Z"))
    #expect(found.flatMap(\.refused).count == 1)
    #expect(found.last?.token == DeltaToken(Text(one)))
  }

  @Test("a page is handed out while the next one is under way")
  func overlaps() throws {
    let transport = ScriptedTransport(
      list(row("a", one), row("b", one), row("c", two)), list(row("d", two), count: 4), list())
    var backend = stage.backend(transport, settings: RemoteSettings(pageSize: 3))
    var underWay: [Int] = []
    try backend.pages(of: Feed(Sample.table), from: nil) { _ in
      underWay.append(transport.log.requests.count)
      return true
    }
    #expect(underWay.prefix(2) == [2, 3])
  }

  @Test(
    "a server that passes over conditions on times, and not those on ids, is left",
    arguments: [nil, "2026-03-01T10:00:00Z"], [true, false])
  func passesOver(token: String?, isTimed: Bool) throws {
    let rows = list(row("a", isTimed ? one : nil), row("b", isTimed ? two : nil))
    var count = 0
    let transport = ScriptedTransport { request in
      count += 1
      if count > 50 { return .failure(TransportError(.unavailable, "enough", nothingSent: true)) }
      return .success(request.url.contains("id%20gt") ? self.list() : rows)
    }
    var found: [Page] = []
    var backend = stage.backend(transport, settings: RemoteSettings(pageSize: 3))
    #expect(throws: Self.endless) {
      try backend.pages(of: Feed(Sample.table), from: token.map { DeltaToken(Text($0)) }) {
        found.append($0)
        return true
      }
    }
    #expect(Set(found.ids) == ["a", "b"])
    #expect(count <= (isTimed ? 12 : 6))
  }

  /// Pulls from a server that takes no more than so many rows for a request.
  private func sizes(
    maxTop: Int, _ backend: inout RESTBackend<ScriptedTransport>, _ twin: TableTwin
  ) throws -> [String] {
    let start = twin.requests.count
    twin.maxTop = maxTop
    var found = Set<ItemID>()
    try backend.pages(of: Feed(Sample.table), from: nil) {
      found.formUnion($0.rows.map(\.id))
      return true
    }
    #expect(found.count == 120)
    let sizes = twin.requests[start...].compactMap { request in
      request.split(separator: "&").first { $0.hasPrefix("$top=") }?.dropFirst(5)
    }
    return sizes.reduce(into: []) { if $0.last != String($1) { $0.append(String($1)) } }
  }

  @Test("a server that takes no large pages is asked for half as many, and the size is learnt")
  func maxTop() throws {
    let twin = TableTwin(.mobileApps)
    for (index, name) in Sample.names(120).enumerated() { twin.add([name], at: Int64(index)) }
    var backend = stage.backend(
      twin.transport, facts: ServerFacts(dialect: .mobileApps), settings: RemoteSettings())
    #expect(try sizes(maxTop: 200, &backend, twin) == ["1000", "500", "250", "125"])
    #expect(backend.facts.tables[Sample.table]?.pageSize == 125)
    #expect(try sizes(maxTop: 5, &backend, twin) == ["125", "62", "31", "15", "7", "3"])
    #expect(try sizes(maxTop: 200, &backend, twin) == ["3"])
    var slow = stage.backend(
      twin.transport, facts: backend.facts, settings: RemoteSettings())
    #expect(try sizes(maxTop: 1, &slow, twin) == ["3", "1"])
    var small = stage.backend(
      twin.transport, facts: backend.facts, settings: RemoteSettings(pageSize: 2))
    #expect(try sizes(maxTop: 200, &small, twin) == ["2"])
    #expect(small.facts.tables[Sample.table]?.pageSize == 3)
  }

  @Test("a first page that is too large for its answer is asked for smaller")
  func tooLarge() throws {
    let transport = ScriptedTransport { request in
      .success(
        request.url.contains("$top=1000&")
          ? .json(413, "{}") : self.list(self.row("a", self.one), count: 1))
    }
    #expect(try pages(transport, settings: RemoteSettings()).ids == ["a"])
    #expect(transport.log.requests.count == 2)
  }

  @Test(
    "a list that times out goes on from where it is in smaller pages, and no size is learnt",
    arguments: [nil, "d1"], [true, false])
  func slowLine(dataset: String?, isOneTime: Bool) throws {
    let twin = TableTwin(.datasync)
    for (index, name) in Sample.names(40).enumerated() {
      twin.add([name], at: isOneTime ? 0 : Int64(index))
    }
    var tops: [Int] = []
    let timedOut = TransportError(.timedOut, "the server was silent for 30 s", nothingSent: false)
    // The first page comes; then the line carries four rows at a time.
    let transport = ScriptedTransport { request in
      var answer = twin.answer(request)
      let top = request.url.split(separator: "&").first { $0.hasPrefix("$top=") }
      tops.append(top.flatMap { Int($0.dropFirst(5)) } ?? 0)
      if let dataset { answer.headers.append(HTTPField("X-Tsync-Dataset", dataset)) }
      return twin.requests.count > 1 && tops.last ?? 0 > 4 ? .failure(timedOut) : .success(answer)
    }
    var backend = stage.backend(
      transport, facts: ServerFacts(dialect: .datasync, dataset: dataset.map { Text($0) }),
      settings: RemoteSettings(pageSize: 16))
    var found: [Page] = []
    try backend.pages(of: Feed(Sample.table), from: nil) {
      found.append($0)
      return true
    }
    #expect(Set(found.ids).count == 40)
    #expect(tops.prefix(4) == [16, 16, 8, 4] && tops.dropFirst(4).allSatisfy { $0 == 4 })
    #expect(backend.facts.tables.values.allSatisfy { $0.pageSize == nil })
  }

  @Test("a list of one row that times out ends the pull; the pages before it are handed out")
  func slowerLine() throws {
    var tops: [String] = []
    let transport = ScriptedTransport { request in
      tops.append(String(request.url.split(separator: "&").first { $0.hasPrefix("$top=") } ?? ""))
      if tops.count == 1 { return .success(self.list(self.row("a", self.one), count: 9)) }
      return .failure(
        TransportError(.timedOut, "the server was silent for 30 s", nothingSent: false))
    }
    var found: [Page] = []
    var backend = stage.backend(transport, settings: RemoteSettings(pageSize: 3))
    #expect(throws: Stop.unreachable("the server was silent for 30 s")) {
      try backend.pages(of: Feed(Sample.table), from: nil) {
        found.append($0)
        return true
      }
    }
    #expect(found.ids == ["a"])
    #expect(tops == ["$top=3", "$top=3", "$top=1"])
  }

  @Test("a refusal that has nothing to do with the page's size is told, and no size is learnt")
  func refusal() throws {
    let transport = ScriptedTransport(.json(400, #"{"error":"no such column"}"#))
    var backend = stage.backend(transport)
    #expect(throws: Stop.notSpeaking("the server answered 400 no such column")) {
      try backend.pages(of: Feed(Sample.table), from: nil) { _ in true }
    }
    #expect(transport.log.requests.count == 10)
    #expect(transport.log.targets.last?.contains("$top=1&") == true)
    #expect(backend.facts.tables.isEmpty)
  }

  @Test(
    "an answer that is not 200 is no list, whatever is in it",
    arguments: [HTTPAnswer.json(201, #"{"items":[]}"#), .json(405, "{}"), .empty(204)])
  func noList(answer: HTTPAnswer) throws {
    let stop = #expect(throws: Stop.self) { try pages(ScriptedTransport(answer)) }
    guard case .notSpeaking? = stop else {
      Issue.record("\(String(describing: stop))")
      return
    }
  }

  @Test("what a server of 2014 answers in a dialect that was taken for its own ends the pull")
  func mobileServices() throws {
    let old = Stop.notSpeaking(
      "the server speaks Mobile Services (2014), not Mobile Apps",
      .dialect("mobile-services"))
    for answer in [
      HTTPAnswer.json(200, #"[{"id":"a","__version":"x","__updatedAt":"\#(one)"}]"#),
      .json(200, "[]", [HTTPField("X-ZUMO-Server-Version", "nodev1-1.0.1")]),
      HTTPAnswer(
        status: 400, headers: [HTTPField("Content-Type", "text/html")],
        body: Array("This version (1.0.0) of the server does not support".utf8)),
    ] {
      #expect(throws: old) {
        try pages(ScriptedTransport(answer), facts: ServerFacts(dialect: .mobileApps))
      }
    }
  }

  private let date = "Sun, 01 Mar 2026 12:00:00 GMT"

  @Test("a token in the second of the clock is not ahead of it")
  func presentToken() throws {
    let now = "2026-03-01T12:00:00.999Z"
    let transport = ScriptedTransport(list(row("a", now), date: date, count: 1))
    #expect(try pages(transport, from: now).ids == ["a"])
    #expect(stage.notices == [])
  }

  @Test(
    "the token is the newest row's time, or the overlap before the server's clock",
    arguments: [
      // The newest row, the server's clock, the overlap that is set, promised order, the token.
      ("2026-03-01T11:59:00.1234567+00:00", true, nil, false, "2026-03-01T11:58:00.000Z"),
      ("2026-03-01T11:57:59.999Z", true, nil, false, "2026-03-01T11:57:59.999Z"),
      ("2026-03-01T11:59:00.1234567+00:00", true, nil, true, "2026-03-01T11:59:00.1234567+00:00"),
      ("2026-03-01T11:59:00.123Z", false, nil, false, "2026-03-01T11:57:00.123Z"),
      ("2026-03-01T11:59:00Z", true, 30, false, "2026-03-01T11:59:00Z"),
      ("2026-03-01T11:59:00Z", true, 90, true, "2026-03-01T11:58:30.000Z"),
      ("2026-03-01T11:59:00Z", true, 0, false, "2026-03-01T11:59:00Z"),
    ] as [(String, Bool, Int?, Bool, String)])
  func token(
    newest: String, hasDate: Bool, overlap: Int?, inOrder: Bool, expected: String
  ) throws {
    var answer = list(row("a", one), row("b", newest), date: hasDate ? date : nil, count: 2)
    let dataset: Text? = inOrder ? "d1" : nil
    if inOrder { answer.headers.append(HTTPField("X-Tsync-Dataset", "d1")) }
    let found = try pages(
      ScriptedTransport(answer), facts: ServerFacts(dialect: .datasync, dataset: dataset),
      settings: RemoteSettings(overlapSeconds: overlap))
    #expect(found.last?.token?.text.string == expected)
  }
}
