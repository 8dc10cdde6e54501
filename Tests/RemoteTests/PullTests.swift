import Remote
import SyncEngine
import SyncModel
import TestSupport
import Testing

@Suite struct PullTests {
  private let stage = Stage()

  @Test(
    "the requests of a pull are written in the words of the dialect",
    arguments: [
      (
        Dialect.mobileApps, nil,
        "tables/todoitem?$orderby=updatedAt,id&$top=7&__includeDeleted=true&$inlinecount=allpages"
      ),
      (
        .datasync, nil,
        "tables/todoitem?$orderby=updatedAt,id&$top=7&__includedeleted=true&$count=true"
      ),
      (
        .mobileServices, "2026-03-01T10:00:00.123Z",
        "tables/todoitem?$filter=__updatedAt%20ge%20datetimeoffset'2026-03-01T10:00:00.123Z'"
          + "&$orderby=__updatedAt,id&$top=7&__includeDeleted=true&$inlinecount=allpages"
          + "&__systemproperties=*"
      ),
      (
        .mobileApps, "2026-03-01T10:00:00.5+07:00",
        "tables/todoitem?$filter=updatedAt%20ge%20datetimeoffset'2026-03-01T10:00:00.5%2B07:00'"
          + "&$orderby=updatedAt,id&$top=7&__includeDeleted=true&$inlinecount=allpages"
      ),
      (
        .communityToolkit, "2026-03-01T10:00:00.1234567Z",
        "tables/todoitem?$filter=updatedAt%20ge%20cast(2026-03-01T10:00:00.1234567Z,Edm.DateTimeOffset)"
          + "&$orderby=updatedAt,id&$top=7&__includedeleted=true&$count=true"
      ),
      (
        .datasync, "2026-03-01T10:00:60-23:00",
        "tables/todoitem?$filter=updatedAt%20ge%20cast(2026-03-02T09:01:00.000Z,Edm.DateTimeOffset)"
          + "&$orderby=updatedAt,id&$top=7&__includedeleted=true&$count=true"
      ),
      (
        .mobileApps, "2026-03-01T10:00:00-23:00",
        "tables/todoitem?$filter=updatedAt%20ge%20datetimeoffset'2026-03-02T09:00:00.000Z'"
          + "&$orderby=updatedAt,id&$top=7&__includeDeleted=true&$inlinecount=allpages"
      ),
      (
        .datasync, "2026-03-01 10:00:00z",
        "tables/todoitem?$filter=updatedAt%20ge%20cast(2026-03-01T10:00:00.000Z,Edm.DateTimeOffset)"
          + "&$orderby=updatedAt,id&$top=7&__includedeleted=true&$count=true"
      ),
    ] as [(Dialect, String?, String)])
  func firstRequest(dialect: Dialect, token: String?, target: String) throws {
    let transport = TableTwin(dialect).transport
    var backend = stage.backend(
      transport, facts: ServerFacts(dialect: dialect, tables: dialect.knownTables),
      settings: RemoteSettings(pageSize: 7))
    try backend.pages(of: Feed(Sample.table), from: token.map { DeltaToken(Text($0)) }) { _ in true
    }
    #expect(transport.log.targets == [target])
  }

  @Test("pages follow one another by time, and the count is asked for once")
  func followsByTime() throws {
    let twin = TableTwin(.datasync)
    for (index, name) in Sample.names(5).enumerated() { twin.add([name], at: Int64(index)) }
    let pages = try stage.pull(twin, pageSize: 2)
    #expect(pages.ids == Sample.names(5))
    #expect(
      twin.requests == [
        "$orderby=updatedAt,id&$top=2&__includedeleted=true&$count=true",
        "$filter=updatedAt ge cast(2026-03-01T10:00:00.001Z,Edm.DateTimeOffset)"
          + "&$orderby=updatedAt,id&$top=2&__includedeleted=true",
        "$filter=updatedAt ge cast(2026-03-01T10:00:00.002Z,Edm.DateTimeOffset)"
          + "&$orderby=updatedAt,id&$top=2&__includedeleted=true",
        "$filter=updatedAt ge cast(2026-03-01T10:00:00.003Z,Edm.DateTimeOffset)"
          + "&$orderby=updatedAt,id&$top=2&__includedeleted=true",
        "$filter=updatedAt ge cast(2026-03-01T10:00:00.004Z,Edm.DateTimeOffset)"
          + "&$orderby=updatedAt,id&$top=2&__includedeleted=true",
      ])
    #expect(pages.allSatisfy { $0.total == 5 })
  }

  @Test(
    "a pull of nothing new is one request", arguments: [nil, "d1"] as [String?], Dialect.allCases)
  func nothingNew(dataset: String?, dialect: Dialect) throws {
    let twin = TableTwin(dialect)
    twin.add(["a"], at: 0)
    twin.add(["b"], at: 5)
    let dataset = dataset.map { Text($0) }
    let pages = try stage.pull(twin, from: "2026-03-01T10:00:00.005Z", dataset: dataset)
    #expect(twin.requests.count == 1)
    #expect(pages.ids == ["b"])
    #expect(pages.last?.token == DeltaToken("2026-03-01T10:00:00.005Z"))
    let empty = try stage.pull(twin, from: "2026-03-01T10:00:00.006Z", dataset: dataset)
    #expect(twin.requests.count == 2)
    #expect(empty == [Page(rows: [], total: 0, isLast: true)])
  }

  @Test("an empty table is one request, and no token", arguments: Dialect.allCases)
  func emptyTable(dialect: Dialect) throws {
    let twin = TableTwin(dialect)
    twin.counts = false
    #expect(try stage.pull(twin) == [Page(rows: [], isLast: true)])
    #expect(twin.requests.count == 1)
  }

  @Test("rows that change while the pull is under way are not missed", arguments: 0..<60)
  func changesMeanwhile(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let dialect = Dialect.allCases[Int(seed % 4)]
    let twin = TableTwin(dialect, seed: seed)
    twin.counts = Bool.random(using: &random)
    twin.shufflesTies = seed % 2 == 0
    twin.cap = Int.random(in: 1...20, using: &random)
    let isOurs = seed / 4 % 2 == 1
    if isOurs { twin.dataset = "d1" }
    // Where a change may take the time of rows that were read already, the overlap brings it.
    let isStrict = isOurs || seed % 5 < 3
    if !isStrict { twin.date = TableTwin.epoch / 10_000_000 }
    var clock: Int64 = 0
    for name in Sample.names(Int.random(in: 0...80, using: &random)) {
      clock += isOurs ? 1 : Int64.random(in: 0...1, using: &random)
      twin.add([name], at: clock)
    }
    var changes = 40
    twin.before = { _ in
      // A page may end early; each server but those of 2014 says that more follows.
      if isOurs || twin.hasLinks { twin.cap = Int.random(in: 2...20, using: &random) }
      guard changes > 0, let index = twin.entries.indices.randomElement(using: &random) else {
        return
      }
      changes -= 1
      clock += isStrict ? 1 : Int64.random(in: 0...1, using: &random)
      twin.entries[index].ticks = TableTwin.epoch + clock * 10_000
      twin.entries[index].version += 1
      twin.entries[index].deleted.toggle()
    }
    var known: [String: Row] = [:]
    var token: String?
    for _ in 0..<2 {
      for page in try stage.pull(
        twin, from: token, pageSize: Int.random(in: 1...30, using: &random),
        dataset: isOurs ? "d1" : nil)
      {
        for row in page.rows { known[row.id.description] = row }
        token = page.token?.text.string ?? token
      }
      changes = 0
    }
    for entry in twin.entries {
      #expect(known[entry.id]?.version == Version(Text("v\(entry.version)")), "seed \(seed)")
      #expect(known[entry.id]?.deleted == entry.deleted, "seed \(seed)")
    }
  }

  @Test(
    "a pull that is cut off after any page goes on from its token and misses nothing",
    arguments: 0..<12)
  func cutOff(after: Int) throws {
    for dataset in [nil, "d1"] as [Text?] {
      let twin = TableTwin(.datasync)
      for (index, name) in Sample.names(60).enumerated() { twin.add([name], at: Int64(index / 9)) }
      var found = Set<String>()
      var token: DeltaToken?
      for limit in [after, .max] {
        var pages = 0
        let transport = ScriptedTransport { request in
          var answer = twin.answer(request)
          if let dataset { answer.headers.append(HTTPField("X-Tsync-Dataset", dataset.string)) }
          return .success(answer)
        }
        var backend = stage.backend(
          transport, facts: ServerFacts(dialect: .datasync, dataset: dataset),
          settings: RemoteSettings(pageSize: 7))
        try backend.pages(of: Feed(Sample.table), from: token) { page in
          guard pages < limit else { return false }
          pages += 1
          found.formUnion(page.rows.map(\.id.description))
          token = page.token ?? token
          return true
        }
      }
      #expect(found.count == 60)
    }
  }
}
