import Remote
import SyncEngine
import SyncModel
import Testing

@Suite("Servers that don't sort, don't count right, or can't send a row") struct PullDoubtTests {
  private let stage = Stage()
  private let twin = TableTwin(.datasync)

  /// Sixty rows, in an order of their times that neither their ids nor their places show.
  init() {
    for number in 0..<60 { twin.add(["r\(number + 10)"], at: Int64(number * 37 % 60) * 1_000) }
  }

  /// What a pull has brought: the pages, and what ended it.
  private func pull(
    from token: DeltaToken? = nil, pageSize: Int = 10, facts: ServerFacts? = nil
  ) throws -> (pages: [Page], stop: Stop?) {
    var pages: [Page] = []
    var backend = stage.backend(
      twin.transport, facts: facts ?? ServerFacts(dialect: .datasync),
      settings: RemoteSettings(pageSize: pageSize))
    do {
      try backend.pages(of: Feed(Sample.table), from: token) {
        pages.append($0)
        return true
      }
    } catch let stop as Stop {
      return (pages, stop)
    }
    return (pages, nil)
  }

  private func ids(_ pages: [Page]) -> Set<String> {
    Set(pages.flatMap(\.rows).map(\.id.text.string))
  }

  @Test("a server that doesn't sort by time ends the pull", arguments: TableTwin.Order.allCases)
  func unsorted(_ order: TableTwin.Order) throws {
    twin.order = order
    let found = try pull()
    guard order != .oldestFirst else {
      #expect(found.stop == nil && ids(found.pages).count == 60)
      #expect(found.pages.last?.token != nil)
      return
    }
    #expect(found.stop == .notSpeaking("the server does not sort by updatedAt"))
    #expect(found.pages.allSatisfy { $0.token == nil })
  }

  @Test("a page that is in order by chance loses no row in silence, and moves no token")
  func inOrderByChance() throws {
    twin.order = .asStored
    twin.entries.sort { ($0.ticks ?? 0) < ($1.ticks ?? 0) }
    // The first page has the newest rows, the others follow in their order.
    twin.entries = Array(twin.entries.suffix(10) + twin.entries.prefix(50))
    let found = try pull()
    #expect(found.stop == nil)
    #expect(found.pages.last?.faults == ["the server counts 60 rows and sent 10"])
    #expect(found.pages.allSatisfy { $0.token == nil })
  }

  @Test("rows without a time are no sign of another order")
  func untimed() throws {
    for index in stride(from: 0, to: 60, by: 7) { twin.entries[index].ticks = nil }
    let found = try pull()
    #expect(found.stop == nil && ids(found.pages).count == 60)
  }

  @Test("of everything only the end moves the token, but tsync-server's")
  func tokenAtTheEnd() throws {
    let found = try pull()
    #expect(found.pages.dropLast().allSatisfy { $0.token == nil })
    #expect(found.pages.last?.token != nil)
    let token = DeltaToken(Timestamp(ticks: TableTwin.epoch).text)
    #expect(try pull(from: token).pages.first?.token != nil)
    twin.dataset = "d1"
    let ours = try pull(facts: ServerFacts(dialect: .datasync, dataset: "d1"))
    #expect(ours.pages.first?.token != nil)
  }

  @Test("rows that are deleted during the pull are counted again")
  func deletedMeanwhile() throws {
    twin.before = { [twin] number in if number == 3 { twin.entries.removeAll { $0.id == "r69" } } }
    let found = try pull()
    #expect(found.stop == nil && ids(found.pages).count >= 59)
    #expect(found.pages.last?.faults == [])
    #expect(found.pages.last?.token != nil)
  }

  @Test("a count that is too high for ever is told, and moves no token", arguments: [1, 10])
  func countsTooMuch(_ surplus: Int) throws {
    twin.surplus = surplus
    let found = try pull()
    #expect(found.stop == nil && ids(found.pages).count == 60)
    #expect(found.pages.last?.faults == ["the server counts \(60 + surplus) rows and sent 60"])
    #expect(found.pages.last?.token == nil)
  }

  @Test("a page with more rows than were asked for is taken whole")
  func largePage() throws {
    let rows = (0..<12_000).map {
      #"{"id":"i\#($0)","updatedAt":"2026-03-01T10:00:00Z","version":"v1"}"#
    }
    let transport = ScriptedTransport(
      .json(200, #"{"items":[\#(rows.joined(separator: ","))],"count":12000}"#),
      .json(200, #"{"items":[],"count":null}"#))
    var count = 0
    var backend = stage.backend(transport)
    try backend.pages(of: Feed(Sample.table), from: nil) {
      count += $0.rows.count
      return true
    }
    #expect(count == 12_000)
  }

  // MARK: - A row that makes its page fail

  /// The rows in the order of their times.
  private var sorted: [String] {
    twin.entries.sorted { ($0.ticks ?? 0) < ($1.ticks ?? 0) }.map(\.id)
  }

  @Test(
    "one row that the server can't send is passed over, all others come",
    arguments: [0, 1, 25, 58, 59], [7, 10, 1_000])
  func failingRow(place: Int, pageSize: Int) throws {
    let bad = sorted[place]
    twin.failing = [bad]
    let found = try pull(pageSize: pageSize)
    #expect(found.stop == nil)
    #expect(ids(found.pages) == Set(sorted).subtracting([bad]))
    let words = place == 0 ? "the first row" : "the row after \(sorted[place - 1])"
    #expect(found.pages.flatMap(\.faults) == ["the server answered 500 for \(words)"])
    let token = try #require(found.pages.last?.token)
    // It is asked for no more, unless it is the last one.
    let next = try pull(from: token, pageSize: pageSize)
    #expect(next.stop == nil)
    #expect(next.pages.flatMap(\.faults).isEmpty == (place < 59))
  }

  @Test("the pages are as large as before behind a row that was passed over")
  func pageSizeAfterwards() throws {
    twin.failing = [sorted[20]]
    _ = try pull(pageSize: 30)
    #expect(twin.requests.last?.contains("$top=30") == true)
  }

  @Test("a row that fails among others of its time is passed over", arguments: [0, 1, 2, 3])
  func failingAmongEqual(_ place: Int) throws {
    for index in 0..<4 { twin.entries[index].ticks = TableTwin.epoch + 250_000_000 }
    let bad = twin.entries[place].id
    twin.failing = [bad]
    let found = try pull()
    #expect(found.stop == nil)
    #expect(ids(found.pages) == Set(sorted).subtracting([bad]))
    #expect(!found.pages.flatMap(\.faults).isEmpty)
    #expect(found.pages.last?.token != nil)
  }

  @Test("a server that fails on everything ends the pull, and so do two rows on end")
  func outage() throws {
    twin.failing = Set(sorted)
    let stop = Stop.unreachable("the server answered 500 it broke")
    #expect(try pull().stop == stop)
    #expect(twin.requests.count <= 12)
    twin.failing = [sorted[5], sorted[6]]
    #expect(try pull().stop == stop)
  }
}
